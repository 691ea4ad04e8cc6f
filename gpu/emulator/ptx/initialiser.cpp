#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <utility>

#include "gpu/emulator/ptx/number.h"
#include "gpu/emulator/ptx/variable_reader.h"

namespace flashgate::gpu::ptx {
namespace {

class InitialiserReader
{
 public:
  InitialiserReader(Cursor& cursor, Variable& variable, std::vector<std::uint64_t> dimensions, std::size_t& room)
      : cursor_(cursor), variable_(variable), dimensions_(std::move(dimensions)), room_(room)
  {
    element_size_ = static_cast<std::uint64_t>(size_in_bytes(variable.type));
    grows_ = !dimensions_.empty() && dimensions_[0] == 0;
    if (variable.vector > 1) dimensions_.push_back(static_cast<std::uint64_t>(variable.vector));
  }

  void read()
  {
    if (variable_.type == Type::pred || variable_.type >= Type::texref) {
      cursor_.fail_expected("no initialiser for a variable of type ." + std::string(name_of(variable_.type)));
    }
    const std::uint64_t count = value(0, 0);
    if (grows_) variable_.size = count * stride(0);
  }

 private:
  /// Bytes from one element of dimension `level` to the next.
  std::uint64_t stride(std::size_t level) const
  {
    return std::accumulate(dimensions_.begin() + static_cast<std::ptrdiff_t>(level) + 1, dimensions_.end(),
                           element_size_, std::multiplies<>());
  }

  /// A scalar, or a list in braces; returns how many elements the list has. Recursion ends with the dimensions.
  std::uint64_t value(std::uint64_t offset, std::size_t level)
  {
    if (cursor_.peek() != '{') {
      if (level == 0 && !dimensions_.empty()) cursor_.fail_expected("'{'");
      scalar(offset);
      return 1;
    }
    if (level == dimensions_.size()) cursor_.fail_expected("a value");
    return list(offset, level);
  }

  std::uint64_t list(std::uint64_t offset, std::size_t level)
  {
    cursor_.expect('{');
    if (cursor_.accept('}')) return 0;
    const std::uint64_t step = stride(level);
    const std::uint64_t most = level == 0 && grows_ ? ~std::uint64_t{0} : dimensions_[level];
    std::uint64_t count = 0;
    do {
      if (count == most) cursor_.fail_expected("'}' after " + std::to_string(most) + " elements");
      if (offset + count * step > kLargestVariable) cursor_.fail_expected("'}' after 2^40 bytes");
      value(offset + count * step, level + 1);
      ++count;
    } while (cursor_.accept(','));
    cursor_.expect('}');
    return count;
  }

  void scalar(std::uint64_t offset)
  {
    if (!at_symbol()) {
      const Number number = read_expression(cursor_);
      if (number.is_integer() && cursor_.peek() == '(') return masked(offset, number.bits);
      return store(offset, bits_as(number, variable_.type));
    }
    Relocation relocation{.offset = offset, .size = static_cast<int>(element_size_)};
    symbol(relocation);
    variable_.relocations.push_back(relocation);
    store(offset, 0);
  }

  bool at_symbol()
  {
    const char character = cursor_.peek();
    return is_name_character(character) && (character < '0' || character > '9') &&
           !cursor_.rest().starts_with("WARP_SZ");
  }

  /// `name`, `generic(name)`, either with `+ offset`.
  void symbol(Relocation& relocation)
  {
    relocation.symbol = cursor_.identifier("a symbol");
    if (relocation.symbol == "generic" && cursor_.accept('(')) {
      relocation.generic = true;
      relocation.symbol = cursor_.identifier("a symbol");
      addend(relocation);
      cursor_.expect(')');
    }
    addend(relocation);
  }

  void addend(Relocation& relocation)
  {
    if (cursor_.peek() != '-' && !cursor_.accept('+')) return;
    const std::uint64_t sum = std::bit_cast<std::uint64_t>(relocation.addend) + read_expression(cursor_).bits;
    relocation.addend = std::bit_cast<std::int64_t>(sum);
  }

  /// `0xFF00(symbol)`: one byte of an address, for an array of bytes.
  void masked(std::uint64_t offset, std::uint64_t mask)
  {
    const int shift = mask == 0 ? 0 : std::countr_zero(mask);
    if (shift % 8 != 0 || mask >> shift != 0xFF || element_size_ != 1) {
      cursor_.fail_expected("a mask of one whole byte, in an array of bytes, in front of this");
    }
    Relocation relocation{.offset = offset, .size = 1, .shift = shift};
    cursor_.expect('(');
    symbol(relocation);
    cursor_.expect(')');
    variable_.relocations.push_back(relocation);
    store(offset, 0);
  }

  void store(std::uint64_t offset, std::uint64_t bits)
  {
    std::vector<std::uint8_t>& bytes = variable_.initial;
    const std::uint64_t end = offset + element_size_;
    if (end > bytes.size()) {
      if (end - bytes.size() > room_) cursor_.fail_expected("initialisers with less than 16 MiB of gaps before this");
      room_ -= end - bytes.size();
      bytes.resize(end);
    }
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(element_size_, 8); ++i) {
      bytes[offset + i] = static_cast<std::uint8_t>(bits >> (8 * i));
    }
  }

  Cursor& cursor_;
  Variable& variable_;
  std::vector<std::uint64_t> dimensions_;
  std::size_t& room_;
  std::uint64_t element_size_ = 0;
  bool grows_ = false;
};

}  // namespace

void read_initialiser(Cursor& cursor, Variable& variable, std::vector<std::uint64_t> dimensions, std::size_t& room)
{
  InitialiserReader(cursor, variable, std::move(dimensions), room).read();
}

}  // namespace flashgate::gpu::ptx
