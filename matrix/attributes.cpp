#include "matrix/attributes.h"

namespace flashgate::matrix {
namespace {

constexpr int kV4Available = kAxisCount;

bool v4_available(const Cell& cell)
{
  const auto number = [&](AxisId id) { return axis(id).values[cell[id]].number; };
  return number(AxisId::device) == static_cast<int>(sim::Device::sm100) && number(AxisId::v4_import) != 0;
}

}  // namespace

const std::vector<Attribute>& attributes()
{
  static const std::vector<Attribute> all = [] {
    std::vector<Attribute> made;
    for (const Axis& a : axes())
      made.push_back({a.name, a.help, a.values, a.id == AxisId::head_dim});
    made.push_back({"v4_available", "device=sm100 and v4_import=yes", {{"yes", 1}, {"no", 0}}, false});
    return made;
  }();
  return all;
}

int find_attribute(std::string_view name)
{
  for (int i = 0; i < kAttributeCount; ++i)
    if (attributes()[i].name == name) return i;
  return -1;
}

ValueSet all_values(int attribute) { return (ValueSet{1} << attributes()[attribute].values.size()) - 1; }

std::array<ValueSet, kAttributeCount> attribute_values(const Cell& cell)
{
  std::array<ValueSet, kAttributeCount> values{};
  for (int i = 0; i < kAxisCount; ++i)
    values[i] = ValueSet{1} << cell.values[i];
  values[kV4Available] = v4_available(cell) ? 1 : 2;
  return values;
}

}  // namespace flashgate::matrix
