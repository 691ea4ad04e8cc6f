#include "matrix/cell_probe.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "matrix/checks.h"
#include "reference/error.h"

namespace flashgate::matrix {
namespace {

constexpr std::size_t kBatch = 256;

/// Asks for cells, many at a time.
class Prober
{
 public:
  Prober(const sim::Subject& subject, int check) : subject_(subject), check_(check) {}

  /// Asks for the cells in order and calls `found(cell, finding)` with the first finding that counts of each cell that
  /// has one. Stops when it returns false, or after the last cell.
  template <typename Found>
  void ask(const std::vector<Cell>& cells, Found&& found)
  {
    for (std::size_t begin = 0; begin < cells.size(); begin += kBatch) {
      const std::span<const Cell> batch = std::span(cells).subspan(begin, std::min(kBatch, cells.size() - begin));
      std::vector<sim::Request> requests;
      std::transform(batch.begin(), batch.end(), std::back_inserter(requests), to_request);
      std::vector<sim::CellPlan> plans(batch.size());
      subject_.plan_batch(requests, false, plans);
      for (std::size_t i = 0; i < batch.size(); ++i)
        if (const auto* finding = judged(requests[i], plans[i]); finding != nullptr && !found(batch[i], *finding))
          return;
    }
  }

  std::size_t unanswered() const { return unanswered_; }
  const std::string& first_reason() const { return first_reason_; }

 private:
  /// The first finding that counts; nullptr if there is none, or the subject could not be asked. Valid until the next
  /// call.
  const std::pair<int, Finding>* judged(const sim::Request& request, const sim::CellPlan& plan)
  {
    judge(request, plan, judgement_);
    for (const auto& finding : judgement_.findings) {
      if (finding.second.verdict == Verdict::error)
        note_unanswered(finding.second.text());
      else if (is_failure(finding.second.verdict) && (check_ < 0 || check_ == finding.first))
        return &finding;
    }
    return nullptr;
  }

  void note_unanswered(const std::string& reason)
  {
    if (unanswered_++ == 0) first_reason_ = reason;
  }

  const sim::Subject& subject_;
  int check_;
  std::size_t unanswered_ = 0;  ///< cells
  std::string first_reason_;
  Judgement judgement_;
};

}  // namespace

std::optional<ProbeFailure> probe(const sim::Subject& subject, const std::vector<Cell>& cells, int check)
{
  Prober prober(subject, check);
  std::optional<ProbeFailure> failure;
  prober.ask(cells, [&](const Cell& cell, const std::pair<int, Finding>& finding) {
    failure = ProbeFailure{cell, std::string(checks()[finding.first].id), finding.second.text()};
    return false;
  });
  if (!failure && prober.unanswered() > 0) throw Error(prober.first_reason());
  return failure;
}

std::vector<Cell> failing_cells(const sim::Subject& subject, const std::vector<Cell>& cells, int check)
{
  Prober prober(subject, check);
  std::vector<Cell> failing;
  prober.ask(cells, [&](const Cell& cell, const std::pair<int, Finding>&) {
    failing.push_back(cell);
    return true;
  });
  if (!cells.empty() && prober.unanswered() == cells.size()) throw Error(prober.first_reason());
  return failing;
}

}  // namespace flashgate::matrix
