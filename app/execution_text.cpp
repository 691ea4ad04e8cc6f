#include "app/execution_text.h"

#include <ostream>

#include <fmt/format.h>

#include "matrix/execution_checks.h"
#include "matrix/execution_explanation.h"
#include "matrix/texts.h"

namespace flashgate::app {
namespace {

void print_case(std::ostream& out, const matrix::ExecutionExplanation& why)
{
  out << "\nexecution " << matrix::numerics_name(why.result.numerics) << '\n';
  out << fmt::format("backend   {}, evidence {}, {} run(s)\nverdict   {}\n", why.result.backend, why.result.evidence,
                     why.result.runs, matrix::verdict_name(why.result.verdict));
  out << fmt::format(
      "mask      {} of {} tiles of 64 x 64 have a visible element, {} visible elements, {} of {} rows see "
      "no key\n",
      why.area.tiles, why.area.total_tiles, why.area.elements, why.area.masked_rows, why.area.total_rows);
  if (!why.fill_reason.empty()) out << fmt::format("inputs    {}\n", why.fill_reason);
}

void print_worst(std::ostream& out, const matrix::WorstElement& worst)
{
  out << fmt::format("  {:<4} at {} (tile {}, sees {}): {:.6g}, expected {:.6g}, bound {:.3g}, error / bound {:.3f}\n",
                     worst.tensor, matrix::index_text(worst.index), worst.tile, worst.visible, worst.actual,
                     worst.expected, worst.bound, worst.bound_ratio);
  out << "       " << worst.why << '\n';
}

void print_bits(std::ostream& out, const matrix::TensorResult& tensor, int runs)
{
  if (runs < 2) return;
  out << fmt::format("  {:<4} {}: {} different result(s) in {} runs\n", tensor.tensor,
                     tensor.promises_bits ? "promises equal bits" : "promises no bits", tensor.results, runs);
}

}  // namespace

matrix::Verdict explain_numerics(std::ostream& out, const matrix::NumericsCase& numerics,
                                 const matrix::Backend& backend)
{
  const matrix::ExecutionExplanation why = matrix::explain_execution(numerics, backend);
  print_case(out, why);
  if (!why.worst.empty()) out << "worst elements\n";
  for (const matrix::WorstElement& worst : why.worst)
    print_worst(out, worst);
  for (const matrix::TensorResult& tensor : why.result.tensors)
    print_bits(out, tensor, why.result.runs);
  for (const matrix::ExecutionFinding& finding : why.result.findings)
    out << fmt::format("{:<10}{}: {}\n", finding.check_id, matrix::verdict_name(finding.verdict),
                       matrix::printable(finding.detail));
  return why.result.verdict;
}

}  // namespace flashgate::app
