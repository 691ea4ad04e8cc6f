#include "app/bisect_report.h"

#include <nlohmann/json.hpp>
#include <ostream>

#include <fmt/format.h>

#include "reports/plain_text.h"

namespace flashgate::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestText = 2000;

void print_field(std::ostream& out, std::string_view name, const std::string& value)
{
  out << fmt::format("  {:<10} {}\n", name, reports::shown_text(value, kLongestText));
}

Json commit_json(const sim::Commit& commit)
{
  return {{"commit", commit.id}, {"subject", reports::shown_text(commit.subject, 200)}};
}

Json route_json(const sim::Commit& commit, const std::string& route)
{
  Json json = commit_json(commit);
  json["route"] = reports::shown_text(route, kLongestText);
  return json;
}

}  // namespace

std::string commit_line(const sim::Commit& commit)
{
  return fmt::format("{} {}", commit.id.substr(0, 12), reports::shown_text(commit.subject, 200));
}

void write_bisect_text(std::ostream& out, const BisectReport& report)
{
  out << (report.suspects.empty() ? "first bad commit  " : "first commit known to be bad  ")
      << commit_line(report.first_bad) << '\n';
  print_field(out, "cell", report.cell);
  print_field(out, "fails", report.check_id + ", " + report.detail);
  print_field(out, "before", fmt::format("{}  ({})", report.before, commit_line(report.last_good)));
  print_field(out, "after", report.after);
  print_field(out, "decided by", report.decided_by);
  print_field(out, "asked",
              fmt::format("{} of {}, {} each", report.asked,
                          reports::count_of(static_cast<std::int64_t>(report.commits), "commit"),
                          reports::count_of(static_cast<std::int64_t>(report.cells), "cell")));
  for (const sim::Commit& suspect : report.suspects)
    print_field(out, "suspect", commit_line(suspect) + ": skipped, so it may be the one");
  for (const SkippedCommit& skipped : report.skipped)
    print_field(out, "skipped", fmt::format("{}: {}", commit_line(skipped.commit), skipped.reason));
}

void write_bisect_json(std::ostream& out, const BisectReport& report)
{
  Json json{{"first_bad", route_json(report.first_bad, report.after)},
            {"last_good", route_json(report.last_good, report.before)},
            {"certain", report.suspects.empty()},
            {"cell", report.cell},
            {"check", report.check_id},
            {"finding", reports::shown_text(report.detail, kLongestText)},
            {"decided_by", reports::shown_text(report.decided_by, kLongestText)},
            {"commits", report.commits},
            {"asked", report.asked},
            {"cells", report.cells},
            {"suspects", Json::array()},
            {"skipped", Json::array()}};
  for (const sim::Commit& suspect : report.suspects)
    json["suspects"].push_back(commit_json(suspect));
  for (const SkippedCommit& skipped : report.skipped) {
    json["skipped"].push_back(commit_json(skipped.commit));
    json["skipped"].back()["reason"] = reports::shown_text(skipped.reason, kLongestText);
  }
  out << json.dump(2) << '\n';
}

}  // namespace flashgate::app
