#include <utility>

#include "gpu/emulator/ptx/cursor.h"
#include "gpu/emulator/ptx/function_reader.h"
#include "gpu/emulator/ptx/module.h"
#include "gpu/emulator/ptx/number.h"
#include "gpu/emulator/ptx/variable_reader.h"

namespace flashgate::gpu::ptx {
namespace {

/// Labels and bytes of `.debug_str`, from `{` on: each label to the text up to its zero byte.
void read_info_strings(Cursor cursor, std::unordered_map<std::string_view, std::string>& strings)
{
  std::string* current = nullptr;
  cursor.expect('{');
  while (cursor.peek() != '}') {
    if (cursor.dotted_word().empty()) {
      current = &strings[cursor.identifier("a label, '.b8' or '}'")];
      cursor.expect(':');
      continue;
    }
    do {
      const std::uint64_t byte = read_unsigned(cursor, 255, "a byte");
      if (current != nullptr && byte != 0) *current += static_cast<char>(byte);
      if (byte == 0) current = nullptr;
    } while (cursor.accept(','));
  }
}

class ModuleParser
{
 public:
  explicit ModuleParser(Module& module)
      : module_(module), cursor_(*module.text, 1, module.file_name), initial_room_(initial_room(*module.text))
  {
  }

  void parse()
  {
    if (!cursor_.accept_word(".version")) cursor_.fail_expected("'.version'");
    version();
    while (!cursor_.at_end()) {
      statement();
    }
    resolve_aliases();
    check_relocations();
  }

 private:
  void version()
  {
    constexpr std::uint64_t kMost = 999;
    module_.version_major = static_cast<int>(read_number_part(kMost));
    cursor_.expect('.');
    module_.version_minor = static_cast<int>(read_number_part(kMost));
  }

  /// Digits only: `8.5` is two numbers here, not a decimal one.
  std::uint64_t read_number_part(std::uint64_t most)
  {
    std::uint64_t value = 0;
    if (!at_literal(cursor_)) cursor_.fail_expected("a version such as 8.5");
    for (; cursor_.peek_at(0) >= '0' && cursor_.peek_at(0) <= '9'; cursor_.advance(1)) {
      value = value * 10 + static_cast<std::uint64_t>(cursor_.peek_at(0) - '0');
      if (value > most) cursor_.fail_expected("a version such as 8.5");
    }
    return value;
  }

  void statement()
  {
    if (cursor_.accept(';')) return;
    const std::uint32_t line = cursor_.line();
    const std::string_view word = cursor_.dotted_word();
    if (word.empty()) cursor_.fail_expected("a directive");
    if (linkage(word)) return;
    const Linkage linkage = std::exchange(linkage_, Linkage::internal);
    if (word == ".entry" || word == ".func") {
      add_function(read_function(cursor_, word == ".entry", linkage, module_.skipped));
    } else if (word == ".global" || word == ".const" || word == ".shared") {
      add_variables(space_named(word.substr(1)), linkage);
    } else if (!heading(word)) {
      if (word != ".pragma") module_.skipped.push_back({word, line});
      cursor_.skip_arguments(false);
    }
  }

  bool linkage(std::string_view word)
  {
    constexpr std::array<std::pair<std::string_view, Linkage>, 4> kLinkages{{{".visible", Linkage::visible},
                                                                             {".extern", Linkage::external},
                                                                             {".weak", Linkage::weak},
                                                                             {".common", Linkage::common}}};
    for (const auto& [name, value] : kLinkages) {
      if (word == name) {
        linkage_ = value;
        return true;
      }
    }
    return false;
  }

  /// Directives that say something about the module. False for one that is not known.
  bool heading(std::string_view word)
  {
    if (word == ".target") {
      target();
    } else if (word == ".address_size") {
      module_.address_size = static_cast<int>(read_unsigned(cursor_, 64, "an address size"));
    } else if (word == ".file") {
      file();
    } else if (word == ".section") {
      section();
    } else if (word == ".alias") {
      alias();
    } else {
      return false;
    }
    return true;
  }

  void target()
  {
    do {
      module_.target.push_back(cursor_.identifier("a target such as sm_80"));
    } while (cursor_.accept(','));
  }

  /// `1 "name", timestamp, size`
  void file()
  {
    const std::uint64_t number = read_unsigned(cursor_, 0xFFFFFFFF, "a file number");
    module_.files[static_cast<std::uint32_t>(number)] = cursor_.quoted();
    while (cursor_.accept(',')) {
      read_literal(cursor_);
    }
  }

  void section()
  {
    const bool is_strings = cursor_.dotted_word() == ".debug_str";
    if (is_strings) read_info_strings(cursor_, module_.info_strings);
    cursor_.balanced_braces();
  }

  struct Alias
  {
    std::string_view name;
    std::string_view target;
    std::uint32_t line;
  };

  void alias()
  {
    const std::uint32_t line = cursor_.line();
    const std::string_view name = cursor_.identifier("the name of a function");
    cursor_.expect(',');
    aliases_.push_back({name, cursor_.identifier("the name of a function"), line});
    cursor_.expect(';');
  }

  void resolve_aliases()
  {
    for (const Alias& alias : aliases_) {
      const auto target = module_.function_index.find(alias.target);
      if (target == module_.function_index.end()) {
        Cursor::fail_at(module_.file_name, alias.line,
                        "expected a declared function, found " + quote_for_message(alias.target));
      }
      module_.function_index[alias.name] = target->second;
    }
  }

  /// Initialisers may name what is declared further down.
  void check_relocations() const
  {
    for (const Variable& variable : module_.variables) {
      for (const Relocation& relocation : variable.relocations) {
        if (module_.variable_index.contains(relocation.symbol)) continue;
        if (module_.function_index.contains(relocation.symbol)) continue;
        Cursor::fail_at(module_.file_name, variable.line,
                        "expected declared names in the initialiser of " + quote_for_message(variable.name) +
                            ", found " + quote_for_message(relocation.symbol));
      }
    }
  }

  void add_function(Function function)
  {
    const auto [entry, is_new] =
        module_.function_index.try_emplace(function.name, static_cast<std::uint32_t>(module_.functions.size()));
    if (is_new) {
      module_.functions.push_back(std::move(function));
      return;
    }
    Function& known = module_.functions[entry->second];
    if (known.has_body && function.has_body) fail_repeated(function.name, function.line, known.line);
    if (!known.has_body) known = std::move(function);
  }

  void add_variables(StateSpace space, Linkage linkage)
  {
    const VariableContext context{.space = space, .linkage = linkage, .initial_room = &initial_room_};
    for (Variable& variable : read_variables(cursor_, context)) {
      add_variable(std::move(variable));
    }
  }

  void add_variable(Variable variable)
  {
    const auto [entry, is_new] =
        module_.variable_index.try_emplace(variable.name, static_cast<std::uint32_t>(module_.variables.size()));
    if (is_new) {
      module_.variables.push_back(std::move(variable));
      return;
    }
    Variable& known = module_.variables[entry->second];
    const bool both_defined = known.linkage != Linkage::external && variable.linkage != Linkage::external;
    if (both_defined) fail_repeated(variable.name, variable.line, known.line);
    if (known.linkage == Linkage::external) known = std::move(variable);
  }

  [[noreturn]] void fail_repeated(std::string_view name, std::uint32_t line, std::uint32_t known_line) const
  {
    Cursor::fail_at(module_.file_name, line,
                    "expected a new name, found " + quote_for_message(name) + " of line " + std::to_string(known_line));
  }

  Module& module_;
  Cursor cursor_;
  std::size_t initial_room_;
  Linkage linkage_ = Linkage::internal;
  std::vector<Alias> aliases_;
};

}  // namespace

Module parse_module(std::string text, std::string file_name)
{
  Module module;
  module.file_name = std::move(file_name);
  module.text = std::make_shared<const std::string>(std::move(text));
  ModuleParser(module).parse();
  return module;
}

}  // namespace flashgate::gpu::ptx
