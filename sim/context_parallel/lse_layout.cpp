#include "sim/context_parallel/lse_layout.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "reference/error.h"

namespace flashgate::sim {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void require(bool holds, const std::string& line)
{
  if (!holds) throw Error("LSE layout: " + line);
}

int sequences(const LseFormat& format) { return static_cast<int>(format.cu_seqlens.size()) - 1; }

int start(const LseFormat& format, int b) { return format.cu_seqlens[static_cast<std::size_t>(b)]; }

int length(const LseFormat& format, int b) { return start(format, b + 1) - start(format, b); }

void require_consistent(const LseFormat& format)
{
  require(format.num_heads > 0, "num_heads must be positive, got " + std::to_string(format.num_heads));
  require(sequences(format) > 0, "cu_seqlens must name at least one sequence");
  require(format.cu_seqlens.front() == 0, "cu_seqlens must start at 0, got " + std::to_string(format.cu_seqlens[0]));
  for (int b = 0; b < sequences(format); ++b) {
    require(length(format, b) >= 0, "cu_seqlens must not descend, sequence " + std::to_string(b) + " has length " +
                                        std::to_string(length(format, b)));
    require(format.layout != LseLayout::padded || length(format, b) <= format.max_length,
            "max_length is " + std::to_string(format.max_length) + ", sequence " + std::to_string(b) + " has length " +
                std::to_string(length(format, b)));
  }
}

void require_equal_lengths(const LseFormat& format)
{
  for (int b = 1; b < sequences(format); ++b) {
    require(length(format, b) == length(format, 0), "sequences must have equal lengths, sequence " + std::to_string(b) +
                                                        " has " + std::to_string(length(format, b)) +
                                                        ", sequence 0 has " + std::to_string(length(format, 0)));
  }
}

/// Where row i of sequence b, head h stands.
std::size_t offset(const LseFormat& format, int b, int h, int i)
{
  const std::size_t head =
      static_cast<std::size_t>(b) * static_cast<std::size_t>(format.num_heads) + static_cast<std::size_t>(h);
  switch (format.layout) {
    case LseLayout::varlen:
      return static_cast<std::size_t>(h) * static_cast<std::size_t>(format.cu_seqlens.back()) +
             static_cast<std::size_t>(start(format, b) + i);
    case LseLayout::padded:
      return head * static_cast<std::size_t>(format.max_length) + static_cast<std::size_t>(i);
    case LseLayout::packed_pitch:
      return head * static_cast<std::size_t>(length(format, b)) + static_cast<std::size_t>(i);
  }
  return 0;
}

/// Calls visit(position in memory, position in the canonical form) for every row that exists.
template <typename Visit>
void for_each_row(const LseFormat& format, Visit visit)
{
  LseFormat canonical = format;
  canonical.layout = LseLayout::varlen;
  for (int b = 0; b < sequences(format); ++b) {
    for (int h = 0; h < format.num_heads; ++h) {
      for (int i = 0; i < length(format, b); ++i)
        visit(offset(format, b, h, i), offset(canonical, b, h, i));
    }
  }
}

double to_canonical(const LseFormat& format, double value)
{
  if (format.empty_row == EmptyRow::positive_infinity && value == kInfinity) return -kInfinity;
  return format.base == LogBase::two ? value * std::numbers::ln2 : value;
}

double from_canonical(const LseFormat& format, double value)
{
  if (format.empty_row == EmptyRow::positive_infinity && value == -kInfinity) return kInfinity;
  return format.base == LogBase::two ? value / std::numbers::ln2 : value;
}

void require_elements(std::size_t elements, std::size_t expected, const char* what)
{
  require(elements == expected, std::string(what) + " has " + std::to_string(elements) + " elements, the lengths say " +
                                    std::to_string(expected));
}

std::size_t canonical_elements(const LseFormat& format)
{
  return static_cast<std::size_t>(format.num_heads) * static_cast<std::size_t>(format.cu_seqlens.back());
}

}  // namespace

std::size_t lse_elements(const LseFormat& format)
{
  require_consistent(format);
  if (format.layout == LseLayout::varlen) return canonical_elements(format);
  int pitch = format.max_length;
  if (format.layout == LseLayout::packed_pitch) {
    require_equal_lengths(format);
    pitch = (length(format, 0) + kLsePitch - 1) / kLsePitch * kLsePitch;
  }
  return static_cast<std::size_t>(sequences(format)) * static_cast<std::size_t>(format.num_heads) *
         static_cast<std::size_t>(pitch);
}

std::vector<double> read_lse(std::span<const double> memory, const LseFormat& format)
{
  require_elements(memory.size(), lse_elements(format), "memory");
  std::vector<double> canonical(canonical_elements(format));
  for_each_row(format, [&](std::size_t from, std::size_t to) { canonical[to] = to_canonical(format, memory[from]); });
  return canonical;
}

void write_lse(std::span<const double> canonical, const LseFormat& format, std::span<double> memory)
{
  require_elements(memory.size(), lse_elements(format), "memory");
  require_elements(canonical.size(), canonical_elements(format), "the canonical form");
  for_each_row(format, [&](std::size_t to, std::size_t from) { memory[to] = from_canonical(format, canonical[from]); });
}

reference::Tensor<double> as_tensor(std::span<const double> canonical, const LseFormat& format)
{
  require_consistent(format);
  require_equal_lengths(format);
  require_elements(canonical.size(), canonical_elements(format), "the canonical form");
  LseFormat dense = format;
  dense.layout = LseLayout::padded;
  dense.max_length = length(format, 0);
  reference::Tensor<double> tensor(sequences(format), format.num_heads, dense.max_length, 1);
  for_each_row(dense, [&](std::size_t to, std::size_t from) { tensor.data()[to] = canonical[from]; });
  return tensor;
}

}  // namespace flashgate::sim
