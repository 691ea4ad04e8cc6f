#include "matrix/route_difference.h"

#include <algorithm>
#include <string_view>

namespace flashgate::matrix {
namespace {

std::vector<Decision> to_decisions(const std::vector<sim::TraceStep>& steps)
{
  std::vector<Decision> decisions;
  for (const sim::TraceStep& step : steps)
    decisions.push_back(to_decision(step));
  return decisions;
}

/// length(i, j): the longest common subsequence of what follows base[i] and head[j].
class CommonLengths
{
 public:
  CommonLengths(const std::vector<Decision>& base, const std::vector<Decision>& head)
      : columns_(head.size() + 1), lengths_((base.size() + 1) * columns_)
  {
    for (std::size_t i = base.size(); i-- > 0;)
      for (std::size_t j = head.size(); j-- > 0;)
        lengths_[i * columns_ + j] =
            base[i].same_as(head[j]) ? 1 + length(i + 1, j + 1) : std::max(length(i + 1, j), length(i, j + 1));
  }

  std::size_t length(std::size_t i, std::size_t j) const { return lengths_[i * columns_ + j]; }

 private:
  std::size_t columns_;
  std::vector<std::size_t> lengths_;
};

/// A subject may trace as much as it likes; beyond this nobody reads a difference, and it would cost a square.
constexpr std::size_t kMostSteps = 400;

std::vector<Decision> shortened(const std::vector<sim::TraceStep>& steps)
{
  std::vector<Decision> decisions = to_decisions(steps);
  if (decisions.size() > kMostSteps) decisions.resize(kMostSteps);
  return decisions;
}

}  // namespace

bool Decision::same_as(const Decision& other) const
{
  return phase == other.phase && text == other.text && outcome == other.outcome;
}

Decision to_decision(const sim::TraceStep& step)
{
  PlacedText placed = split_place(step.decision.text());
  return {step.phase, std::move(placed.text), std::string(step.outcome.text()), std::move(placed.place)};
}

Parting find_parting(const std::vector<sim::TraceStep>& base, const std::vector<sim::TraceStep>& head)
{
  const std::vector<Decision> before = to_decisions(base);
  const std::vector<Decision> now = to_decisions(head);
  const std::size_t common = std::min(before.size(), now.size());
  std::size_t at = 0;
  while (at < common && before[at].same_as(now[at]))
    ++at;
  Parting parting;
  parting.same = at == before.size() && at == now.size();
  if (parting.same && at > 0) --at;
  if (at < before.size()) parting.base = before[at];
  if (at < now.size()) parting.head = now[at];
  return parting;
}

std::vector<DifferenceLine> difference_lines(const std::vector<sim::TraceStep>& base,
                                             const std::vector<sim::TraceStep>& head)
{
  using Sign = DifferenceLine::Sign;
  std::vector<Decision> before = shortened(base);
  std::vector<Decision> now = shortened(head);
  const CommonLengths common(before, now);
  std::vector<DifferenceLine> lines;
  std::size_t i = 0, j = 0;
  while (i < before.size() || j < now.size()) {
    const bool can_base = i < before.size(), can_head = j < now.size();
    if (can_base && can_head && before[i].same_as(now[j])) {
      lines.push_back({Sign::both, std::move(now[j++])});
      ++i;
    } else if (can_base && (!can_head || common.length(i + 1, j) >= common.length(i, j + 1))) {
      lines.push_back({Sign::base, std::move(before[i++])});
    } else {
      lines.push_back({Sign::head, std::move(now[j++])});
    }
  }
  return lines;
}

}  // namespace flashgate::matrix
