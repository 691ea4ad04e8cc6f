#include <array>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>

#include "gpu/emulator/isa/form_normal.h"
#include "gpu/emulator/isa/lanes/entry.h"
#include "reference/error.h"

namespace flashgate::gpu::isa {
namespace {

struct FormHash
{
  std::size_t operator()(const Form& form) const
  {
    static_assert(std::has_unique_object_representations_v<Form>);
    std::array<char, sizeof(Form)> bytes;
    std::memcpy(bytes.data(), &form, sizeof(Form));
    return std::hash<std::string_view>{}(std::string_view(bytes.data(), bytes.size()));
  }
};

/// The forms of one core.
struct FormTable
{
  std::unordered_map<Form, Handler, FormHash> handlers;
  std::vector<Form> forms;
};

void append(void* list, const Form& form, Handler handler)
{
  FormTable& table = *static_cast<FormTable*>(list);
  if (normal_form(form) != form || !table.handlers.emplace(form, handler).second)
    throw Error("isa: form listed twice or not normal: " + describe(form));
  table.forms.push_back(form);
}

using Lister = void (*)(const FormSink&);

FormTable make_table(Lister list_forms)
{
  FormTable table;
  list_forms(FormSink{&table, append});
  return table;
}

template <Lister kLister>
const FormTable& table_from()
{
  static const FormTable table = make_table(kLister);
  return table;
}

/// Listing forms runs code of the core, so a core that the processor lacks must not get here.
const FormTable& table_of(Core core)
{
  if (!core_available(core)) throw Error("isa: this processor lacks the core " + std::string(core_name(core)));
  switch (core) {
    case Core::avx2:
      return table_from<core_avx2::list_forms>();
    case Core::avx512:
      return table_from<core_avx512::list_forms>();
    case Core::generic:
      break;
  }
  return table_from<core_generic::list_forms>();
}

}  // namespace

Handler find_handler(Core core, const Form& form)
{
  const FormTable& table = table_of(core);
  const auto found = table.handlers.find(normal_form(form));
  return found == table.handlers.end() ? nullptr : found->second;
}

const std::vector<Form>& supported_forms(Core core) { return table_of(core).forms; }

}  // namespace flashgate::gpu::isa
