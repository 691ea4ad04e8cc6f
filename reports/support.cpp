#include "reports/support.h"

#include <algorithm>

namespace flashgate::reports {
namespace {

void count(SupportCounts& counts, const matrix::StoredMatrix& matrix, const matrix::MatrixRow& row)
{
  if (matrix::is_failure(row.verdict))
    ++counts.failing;
  else if (is_refused(matrix, row))
    ++counts.refused;
  else
    ++counts.served;
}

/// Adds the value if it is new, and returns where it stands.
std::size_t place_of(std::vector<std::string>& values, const std::string& value)
{
  const auto place = std::find(values.begin(), values.end(), value);
  if (place != values.end()) return static_cast<std::size_t>(place - values.begin());
  values.push_back(value);
  return values.size() - 1;
}

}  // namespace

bool is_refused(const matrix::StoredMatrix& matrix, const matrix::MatrixRow& row)
{
  static const auto kPhase = std::find(matrix::plan_fields().begin(), matrix::plan_fields().end(), "error_phase") -
                             matrix::plan_fields().begin();
  const std::vector<int>& plans = matrix.plan_sets[static_cast<std::size_t>(row.plans)];
  return plans.empty() ||
         !matrix.plans[static_cast<std::size_t>(plans.front())].fields[static_cast<std::size_t>(kPhase)].empty();
}

std::vector<SubjectSupport> find_support(const matrix::StoredMatrix& matrix)
{
  const auto* dim = matrix.find_axis("head_dim");
  const auto* dim_v = matrix.find_axis("head_dim_v");
  const auto* device = matrix.find_axis("device");
  std::vector<SubjectSupport> result;
  if (dim == nullptr || dim_v == nullptr || device == nullptr) return result;
  const auto is_known = [&](int code) { return !device->values[static_cast<std::size_t>(code)].empty(); };
  if (std::ranges::none_of(device->codes, is_known)) return result;
  std::vector<std::string> dims;
  std::vector<std::size_t> dim_of_cell;
  for (std::size_t cell = 0; cell < matrix.cell_names.size(); ++cell) {
    const std::string& key = dim->values[static_cast<std::size_t>(dim->codes[cell])];
    const std::string& value = dim_v->values[static_cast<std::size_t>(dim_v->codes[cell])];
    dim_of_cell.push_back(place_of(dims, key == value ? key : key + "/" + value));
  }
  for (const matrix::SubjectRecord& subject : matrix.subjects)
    result.push_back(
        {subject.name, dims, device->values, std::vector<SupportCounts>(dims.size() * device->values.size())});
  for (const matrix::MatrixRow& row : matrix.rows) {
    const auto cell = static_cast<std::size_t>(row.cell);
    const std::size_t place = dim_of_cell[cell] * device->values.size() + static_cast<std::size_t>(device->codes[cell]);
    count(result[static_cast<std::size_t>(row.subject)].counts[place], matrix, row);
  }
  return result;
}

}  // namespace flashgate::reports
