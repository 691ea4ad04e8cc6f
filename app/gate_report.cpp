#include "app/gate_report.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "app/subject_revision.h"
#include "matrix/side_reader.h"
#include "matrix/texts.h"
#include "reference/error.h"
#include "reports/dispatch_graph.h"
#include "reports/file_names.h"
#include "reports/report_graphs.h"
#include "reports/whole_file.h"
#include "sim/checkout/git_repository.h"
#include "sim/dispatch/checkout_subject.h"

namespace flashgate::app {
namespace {

using matrix::Side;
using matrix::SubjectRecord;

std::string described(std::string_view role, const GateRun& run)
{
  return fmt::format("--{} {} (run {})", role, matrix::printable(run.name), run.run.name);
}

const SubjectRecord* find_by_name(const GateRun& run, const std::string& name)
{
  for (const SubjectRecord& subject : run.subjects)
    if (subject.name == name) return &subject;
  return nullptr;
}

using SubjectPair = std::pair<SubjectRecord, SubjectRecord>;

/// Pairs of subjects to compare: the only ones, whatever their names, or those of one name. A head of several subjects
/// must have all that the base has: one that vanished would be compared with nothing.
std::vector<SubjectPair> pair_subjects(std::string_view role, const GateRun& base, const GateRun& head)
{
  if (base.subjects.size() == 1 && head.subjects.size() == 1) return {{base.subjects[0], head.subjects[0]}};
  std::vector<SubjectPair> pairs;
  for (const SubjectRecord& subject : head.subjects) {
    const SubjectRecord* same = find_by_name(base, subject.name);
    if (same == nullptr)
      throw Error(fmt::format("{} has no subject '{}' to compare with", described(role, base),
                              matrix::printable(subject.name)));
    pairs.emplace_back(*same, subject);
  }
  if (head.subjects.size() == 1) return pairs;
  for (const SubjectRecord& subject : base.subjects)
    if (find_by_name(head, subject.name) == nullptr)
      throw Error(
          fmt::format("{} lacks subject '{}' of --{}", described("head", head), matrix::printable(subject.name), role));
  return pairs;
}

bool is_unanswered(const matrix::CellResult& result)
{
  return std::any_of(result.failures.begin(), result.failures.end(), [](const matrix::CheckFailure& failure) {
    return failure.verdict == matrix::Verdict::error && !failure.expected;
  });
}

/// A comparison with nothing, or with half of it, is none.
void check_base(std::string_view role, const GateRun& run, const Side& base, const Side& head)
{
  const auto answered =
      std::find_if(base.cells.begin(), base.cells.end(), [](const auto& cell) { return !is_unanswered(cell.second); });
  if (answered == base.cells.end())
    throw Error(
        fmt::format("{} gave no answer on any cell{}", described(role, run),
                    base.cells.empty() ? "" : ": " + matrix::printable(base.cells.begin()->second.failures[0].detail)));
  const matrix::LackingCells lacking = matrix::lacking_cells(base, head);
  if (lacking.cells == 0) return;
  throw Error(fmt::format("{} {}lacks {} of the {} cells to be compared, for example {}", described(role, run),
                          run.run.finished.empty() ? "is incomplete and " : "", lacking.cells, head.cells.size(),
                          lacking.example));
}

Side read(const GateRun& run, const SubjectRecord& subject)
{
  matrix::Store store = matrix::Store::open_read_only(run.database);
  return matrix::read_side(store, run.run.id, subject);
}

/// What code it was: a checkout's commit, or flashgate's own for a model.
std::string commit_text(const GateRun& run)
{
  const std::string revision = revision_of(run.subjects.front());
  if (!revision.empty()) return revision;
  const matrix::Provenance& from = run.run.provenance;
  return fmt::format("flashgate {}{}", from.commit.substr(0, 12), from.dirty ? " with changes" : "");
}

reports::GateSide side_of(const GateRun& run)
{
  reports::GateSide side;
  side.name = run.name;
  for (const SubjectRecord& subject : run.subjects)
    side.subject += (side.subject.empty() ? "" : ", ") + subject.name;
  side.commit = commit_text(run);
  side.run = run.run.name;
  side.suite = run.run.suite;
  return side;
}

/// Compares every pair; returns how many cells of `base` were compared.
template <typename Compare>
std::int64_t compare_all(std::string_view role, const GateRun& base, const GateRun& head,
                         matrix::SideComparison& comparison, Compare&& compare)
{
  std::int64_t cells = 0;
  for (const auto& [base_subject, head_subject] : pair_subjects(role, base, head)) {
    const Side base_side = read(base, base_subject);
    const Side head_side = read(head, head_subject);
    check_base(role, base, base_side, head_side);
    cells += static_cast<std::int64_t>(base_side.cells.size());
    append(comparison, compare(base_side, head_side));
  }
  return cells;
}

/// Parity is told by its classes; its unchanged cells are no second count of the head's.
matrix::SideComparison parity_of(const Side& dev, const Side& pick)
{
  matrix::SideComparison comparison = matrix::compare_parity(dev, pick);
  comparison.cells[static_cast<std::size_t>(matrix::ChangeKind::unchanged)] = 0;
  return comparison;
}

/// The patch is what the head's commit has and the base's has not. It is read in the head's repository, which must
/// therefore have the base's commit.
std::optional<matrix::PatchCoverage> find_coverage(const GateRuns& runs)
{
  if (runs.base.subjects.size() != 1 || runs.head.subjects.size() != 1) return std::nullopt;
  const SubjectRecord& head = runs.head.subjects[0];
  const std::string base_commit = commit_of(runs.base.subjects[0]);
  const std::string head_commit = commit_of(head);
  const auto checkout = sim::parse_checkout_name(head.name);
  if (base_commit.empty() || head_commit.empty() || !checkout) return std::nullopt;
  matrix::Store store = matrix::Store::open_read_only(runs.head.database);
  const std::vector<matrix::CoverageRow> executable = store.coverage(runs.head.run.id, head.id);
  if (executable.empty()) return std::nullopt;
  const sim::GitRepository repository(checkout->place.folder);
  return matrix::join_coverage(repository.changed_lines(base_commit, head_commit, ".py"), executable);
}

reports::DispatchGraph graph_of(const GateRun& run, const SubjectRecord& subject)
{
  matrix::Store store = matrix::Store::open_read_only(run.database);
  return reports::build_graph(store.routes(run.run.id, subject.id));
}

}  // namespace

void draw_gate_graphs(reports::GateReport& report, const GateRuns& runs, const std::filesystem::path& folder)
{
  const std::vector<SubjectPair> pairs = pair_subjects("base", runs.base, runs.head);
  reports::make_folder(folder);
  std::vector<std::string> names;
  for (const SubjectPair& pair : pairs)
    names.push_back(pair.second.name);
  const std::vector<std::string> stems = reports::distinct_file_names(names);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const SubjectRecord &base = pairs[i].first, &head = pairs[i].second;
    const reports::DispatchGraph before = graph_of(runs.base, base), after = graph_of(runs.head, head);
    const reports::GraphDrawing drawing = reports::draw_graph(folder, stems[i], [&](std::ostream& out) {
      reports::write_diff_dot(out, before, after, base.name, head.name);
    });
    report.graphs.push_back({fmt::format("{} → {}", base.name, head.name), drawing.svg});
  }
}

reports::GateReport make_gate_report(const GateRuns& runs, double least_coverage)
{
  reports::GateReport report;
  report.base = side_of(runs.base);
  report.head = side_of(runs.head);
  report.base.cells = report.head.cells =
      compare_all("base", runs.base, runs.head, report.comparison, matrix::compare_sides);
  if (runs.dev) {
    report.dev = side_of(*runs.dev);
    report.dev->cells = compare_all("dev", *runs.dev, runs.head, report.comparison, parity_of);
  }
  report.coverage = find_coverage(runs);
  if (least_coverage < 0) return report;
  if (!report.coverage)
    throw Error("--min-patch-coverage: needs base and head as PATH@GITREF, and a head whose lines were traced");
  report.least_coverage = least_coverage;
  return report;
}

}  // namespace flashgate::app
