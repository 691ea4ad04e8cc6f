#include "reports/summary_text.h"

#include <algorithm>
#include <cstdlib>
#include <ostream>

#include <fmt/format.h>

#include "reports/execution_lines.h"
#include "reports/plain_text.h"
#include "reports/repro_line.h"
#include "reports/verdict_style.h"

namespace flashgate::reports {
namespace {

constexpr std::size_t kLongestParagraph = 1500, kLongestCommand = 8000;
constexpr std::size_t kHang = 4;  // further lines of a wrapped text stand this much deeper
constexpr std::string_view kRed = "31;1", kGreen = "32;1", kYellow = "33", kDim = "2", kBold = "1";

/// A table as text; the first column is repeated where the others don't fit side by side.
using TextTable = std::vector<std::vector<std::string>>;

class SummaryWriter
{
 public:
  SummaryWriter(std::ostream& out, const RunSummary& summary, const TextOptions& options)
      : out_(out), summary_(summary), options_(options)
  {
    const char* no_color = std::getenv("NO_COLOR");
    coloured_ = options.is_terminal && (no_color == nullptr || *no_color == '\0');
  }

  void write()
  {
    write_headline();
    write_table();
    write_classes();
    write_expectation_problems();
    write_executions();
    write_excluded();
  }

 private:
  std::string painted(std::string_view text, std::string_view code) const
  {
    return coloured_ ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string(text);
  }

  std::string_view headline_colour() const
  {
    const RunState state = summary_.state();
    return state == RunState::ok ? kGreen : state == RunState::incomplete ? kYellow : kRed;
  }

  void write_wrapped(std::string_view text, std::size_t indent, std::string_view colour = {})
  {
    std::size_t used = indent;
    for (const std::string& line : wrap_text(shown_text(text, kLongestParagraph), options_.width - indent - kHang)) {
      out_ << std::string(used, ' ') << (colour.empty() ? line : painted(line, colour)) << '\n';
      used = indent + kHang;
    }
  }

  void write_headline()
  {
    write_wrapped(headline(summary_), 0, headline_colour());
    write_wrapped(run_line(summary_), 0);
    if (const std::string step = next_step(summary_); !step.empty()) write_wrapped(step, 0);
  }

  TextTable make_table() const
  {
    TextTable table{{""}};
    for (const CheckHeading& check : summary_.checks)
      table[0].push_back(shown_text(check.id, 20));
    for (const SubjectSummary& subject : summary_.subjects) {
      std::vector<std::string> row{shown_text(subject.name, 40)};
      for (const CheckCounts& counts : subject.checks)
        row.push_back(table_entry(counts));
      table.push_back(std::move(row));
    }
    return table;
  }

  static std::vector<std::size_t> column_widths(const TextTable& table)
  {
    std::vector<std::size_t> widths(table[0].size());
    for (const auto& row : table)
      for (std::size_t i = 0; i < row.size(); ++i)
        widths[i] = std::max(widths[i], width_of(row[i]));
    return widths;
  }

  std::string painted_entry(std::string_view entry, std::size_t width) const
  {
    const std::string padded = pad_text(entry, width);
    if (entry.starts_with(tone_sign(Tone::bad))) return painted(padded, kRed);
    if (entry.starts_with(tone_sign(Tone::warning))) return painted(padded, kYellow);
    return entry.starts_with("·") ? painted(padded, kDim) : padded;
  }

  /// Columns first ... last - 1 beside column 0. Nothing is padded at the end of a line.
  void write_block(const TextTable& table, const std::vector<std::size_t>& widths, std::size_t first, std::size_t last)
  {
    for (std::size_t r = 0; r < table.size(); ++r) {
      out_ << pad_text(table[r][0], widths[0]);
      for (std::size_t i = first; i < last; ++i) {
        const std::size_t width = i + 1 < last ? widths[i] : 0;
        out_ << "  " << (r == 0 ? painted(pad_text(table[r][i], width), kBold) : painted_entry(table[r][i], width));
      }
      out_ << '\n';
    }
  }

  void write_table()
  {
    if (summary_.checks.empty()) return;
    const TextTable table = make_table();
    const std::vector<std::size_t> widths = column_widths(table);
    for (std::size_t first = 1; first < widths.size();) {
      std::size_t used = widths[0];
      std::size_t last = first;
      while (last < widths.size() && (last == first || used + widths[last] + 2 <= options_.width))
        used += widths[last++] + 2;
      out_ << '\n';
      write_block(table, widths, first, last);
      first = last;
    }
    write_wrapped(
        "✓ all pass   ✗ N unexpected   (N) expected failures   ! N warnings   – not supported or skipped   · does not "
        "apply",
        0, kDim);
  }

  void write_class(const matrix::FailureClass& failure)
  {
    const std::string where = !failure.is_of_plans        ? ""
                              : failure.condition.empty() ? " everywhere"
                                                          : " where " + failure.condition;
    const std::string repro = repro_line(failure);
    const std::string expected =
        failure.unexpected < failure.cells ? fmt::format(" ({} unexpected)", group_digits(failure.unexpected)) : "";
    write_wrapped(fmt::format("{} {} {} {}: {}{}{}", verdict_sign(failure.verdict), verdict_name(failure.verdict),
                              failure.check_id, failure.subject, count_of(failure.cells, "cell"), expected, where),
                  2, kRed);
    if (!failure.detail.empty()) write_wrapped(shown_text(failure.detail, 600), 4);
    out_ << "    " << shown_text(repro.empty() ? failure.example_cell : repro, kLongestCommand) << '\n';
  }

  /// Unexpected ones first over all subjects: by verdict, then by size.
  std::vector<const matrix::FailureClass*> unexpected_classes() const
  {
    std::vector<const matrix::FailureClass*> result;
    for (const SubjectSummary& subject : summary_.subjects)
      for (const matrix::FailureClass& failure : subject.classes)
        if (failure.unexpected > 0) result.push_back(&failure);
    std::stable_sort(result.begin(), result.end(), [](const auto* left, const auto* right) {
      return std::pair(left->verdict, left->unexpected) > std::pair(right->verdict, right->unexpected);
    });
    return result;
  }

  void write_classes()
  {
    const auto classes = unexpected_classes();
    if (!classes.empty()) out_ << '\n' << painted("Failing classes, worst first", kBold) << '\n';
    for (std::size_t i = 0; i < std::min(classes.size(), options_.most_classes); ++i)
      write_class(*classes[i]);
    if (classes.size() > options_.most_classes)
      out_ << "  ... and " << group_digits(static_cast<std::int64_t>(classes.size() - options_.most_classes))
           << " more: see index.html\n";
    const std::int64_t expected = summary_.class_count(false);
    if (expected == 0) return;
    out_ << '\n';
    write_wrapped("Failing as expected: " + count_of(expected, "class") +
                      ", listed in index.html; `flashgate run --no-expectations` counts them as failures",
                  0);
  }

  void write_expectation_problems()
  {
    if (summary_.expectation_problems.empty()) return;
    out_ << '\n' << painted("Expectation lines to look at", kBold) << '\n';
    for (const matrix::ExpectationUse& use : summary_.expectation_problems)
      write_wrapped(fmt::format("{}:{}: {}, {} of {} cells fail as it says: {}", use.file, use.line, use.status,
                                group_digits(use.failing), group_digits(use.matched), shown_text(use.text, 300)),
                    2);
  }

  void write_executions()
  {
    if (summary_.executions.empty()) return;
    out_ << '\n' << painted("Executions", kBold) << '\n';
    for (const std::string& line : execution_lines(summary_))
      write_wrapped(line, 2);
  }

  void write_excluded()
  {
    if (summary_.excluded.empty()) return;
    out_ << '\n' << painted("Excluded by constraints", kBold) << '\n';
    for (const auto& [reason, cells] : summary_.excluded)
      write_wrapped(group_digits(cells) + "  " + reason, 2);
  }

  std::ostream& out_;
  const RunSummary& summary_;
  const TextOptions& options_;
  bool coloured_ = false;
};

}  // namespace

void write_text(std::ostream& out, const RunSummary& summary, const TextOptions& options)
{
  SummaryWriter(out, summary, options).write();
}

std::string table_entry(const CheckCounts& counts)
{
  if (counts.empty()) return "·";
  std::string entry;
  if (counts.unexpected() > 0) entry = fmt::format("{} {}", tone_sign(Tone::bad), group_digits(counts.unexpected()));
  if (counts.expected > 0) entry += fmt::format("{}({})", entry.empty() ? "" : " ", group_digits(counts.expected));
  if (!entry.empty()) return entry;
  if (counts.warned > 0) return fmt::format("{} {}", tone_sign(Tone::warning), group_digits(counts.warned));
  return std::string(tone_sign(counts.passed > 0 ? Tone::good : Tone::neutral));
}

}  // namespace flashgate::reports
