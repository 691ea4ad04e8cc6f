#include "matrix/cell_probe.h"

#include "matrix/checks.h"
#include "reference/error.h"

namespace flashgate::matrix {
namespace {

/// Asks for cells, one at a time, into one plan.
class Prober
{
 public:
  Prober(const sim::Subject& subject, int check) : subject_(subject), check_(check) {}

  /// The first finding on the cell that counts; nullptr if there is none, or the subject could not be asked. Valid
  /// until the next call.
  const std::pair<int, Finding>* ask(const Cell& cell)
  {
    const sim::Request request = to_request(cell);
    subject_.plan(request, false, plan_);
    judge(request, plan_, judgement_);
    for (const auto& finding : judgement_.findings) {
      if (finding.second.verdict == Verdict::error)
        note_unanswered(finding.second.text());
      else if (is_failure(finding.second.verdict) && (check_ < 0 || check_ == finding.first))
        return &finding;
    }
    return nullptr;
  }

  std::size_t unanswered() const { return unanswered_; }
  const std::string& first_reason() const { return first_reason_; }

 private:
  void note_unanswered(const std::string& reason)
  {
    if (unanswered_++ == 0) first_reason_ = reason;
  }

  const sim::Subject& subject_;
  int check_;
  std::size_t unanswered_ = 0;  ///< cells
  std::string first_reason_;
  sim::CellPlan plan_;
  Judgement judgement_;
};

}  // namespace

std::optional<ProbeFailure> probe(const sim::Subject& subject, const std::vector<Cell>& cells, int check)
{
  Prober prober(subject, check);
  for (const Cell& cell : cells)
    if (const auto* finding = prober.ask(cell))
      return ProbeFailure{cell, std::string(checks()[finding->first].id), finding->second.text()};
  if (prober.unanswered() > 0) throw Error(prober.first_reason());
  return std::nullopt;
}

std::vector<Cell> failing_cells(const sim::Subject& subject, const std::vector<Cell>& cells, int check)
{
  Prober prober(subject, check);
  std::vector<Cell> failing;
  for (const Cell& cell : cells)
    if (prober.ask(cell) != nullptr) failing.push_back(cell);
  if (!cells.empty() && prober.unanswered() == cells.size()) throw Error(prober.first_reason());
  return failing;
}

}  // namespace flashgate::matrix
