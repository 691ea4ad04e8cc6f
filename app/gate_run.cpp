#include "app/gate_run.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/database_reference.h"
#include "app/subject_revision.h"
#include "app/suite_run.h"
#include "matrix/texts.h"
#include "reference/error.h"
#include "reports/whole_file.h"

namespace flashgate::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLast = "last";
constexpr const char* kDefaultSuite = "dispatch";

/// A side as the command line names it.
struct Reference
{
  enum class Kind { database, last, subject };

  const char* role;
  std::string text;
  Kind kind;
};

bool is_file(const std::string& path)
{
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

Reference::Kind kind_of(const std::string& text)
{
  if (text == kLast) return Reference::Kind::last;
  const std::string file = text.substr(0, text.rfind('#'));
  if (is_file(text) || is_file(file) || file.ends_with(".db")) return Reference::Kind::database;
  return Reference::Kind::subject;
}

/// PATH alone would be read as a checkout of its working tree: far too easy to get by a slip.
Reference make_reference(const char* role, const std::string& text)
{
  const Reference::Kind kind = kind_of(text);
  const bool has_kind = text.starts_with("model:") || text.starts_with("fleet:") || text.starts_with("exec:");
  if (kind == Reference::Kind::subject && !has_kind && text.find('@') == std::string::npos)
    throw Error(fmt::format("--{} '{}': expected FILE.db, FILE.db#RUN, last, a subject's name or PATH@GITREF", role,
                            matrix::printable(text)));
  return {role, text, kind};
}

class RunFinder
{
 public:
  RunFinder(const CommandLine& line, const fs::path& folder) : line_(line), folder_(folder), suite_(line.gate.suite) {}

  void read_databases(const std::vector<Reference>& references)
  {
    for (const Reference& reference : references)
      if (reference.kind == Reference::Kind::database)
        add(reference, reference.text.substr(0, database_end(reference.text)), open_run(reference.text));
    for (const Reference& reference : references)
      if (reference.kind == Reference::Kind::last) add_last(reference);
  }

  /// Asks all subjects in one run, each once.
  std::optional<GateStopped> ask_subjects(const std::vector<Reference>& references)
  {
    matrix::RunOptions options = line_.run;
    options.suite = suite_.empty() ? kDefaultSuite : suite_;
    for (const Reference& reference : references)
      if (reference.kind == Reference::Kind::subject) add_once(options.subjects, subject_name(reference.text));
    if (options.subjects.empty()) return std::nullopt;
    reports::make_folder(folder_);
    options.database = (folder_ / "results.db").string();
    options.logs = (folder_ / "logs").string();
    const matrix::RunResult result = run_with_progress(options);
    if (result.exit_code == matrix::ExitCode::nothing_ran)
      return GateStopped{result.exit_code, "suite " + options.suite + " with these filters selects no cell"};
    if (result.exit_code == matrix::ExitCode::incomplete)
      return GateStopped{result.exit_code, "stopped before every cell was asked; there is no comparison"};
    for (const Reference& reference : references)
      if (reference.kind == Reference::Kind::subject) add_asked(reference, options.database, result.run);
    return std::nullopt;
  }

  GateRun take(const char* role)
  {
    const auto found = std::find_if(found_.begin(), found_.end(), [&](const auto& one) { return one.first == role; });
    return std::move(found->second);
  }

 private:
  static std::size_t database_end(const std::string& text)
  {
    return is_file(text) ? std::string::npos : text.rfind('#');
  }

  static void add_once(std::vector<std::string>& names, const std::string& name)
  {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }

  void add(const Reference& reference, const std::string& database, OpenedRun opened)
  {
    GateRun found{reference.text, database, opened.run, opened.store.subjects(opened.run.id)};
    if (found.subjects.empty())
      throw Error(fmt::format("--{} {}: run {} has no cells", reference.role, matrix::printable(reference.text),
                              opened.run.name));
    if (suite_.empty()) suite_ = opened.run.suite;
    if (opened.run.suite != suite_)
      throw Error(fmt::format("--{} {}: run {} is of suite {}, expected {}", reference.role,
                              matrix::printable(reference.text), opened.run.name, opened.run.suite, suite_));
    found_.emplace_back(reference.role, std::move(found));
  }

  void add_last(const Reference& reference)
  {
    const std::string suite = suite_.empty() ? kDefaultSuite : suite_;
    const std::string database = line_.run.database.empty()
                                     ? (fs::path("out") / fs::path(suite).stem() / "results.db").string()
                                     : line_.run.database;
    matrix::Store store = matrix::Store::open_read_only(database);
    const auto last = store.last_run(fs::path(suite).stem().string());
    if (!last) throw Error(fmt::format("--{} last: {} has no run of suite {}", reference.role, database, suite));
    add(reference, database, {std::move(store), *last});
  }

  void add_asked(const Reference& reference, const std::string& database, const matrix::RunRecord& run)
  {
    matrix::Store store = matrix::Store::open_read_only(database);
    GateRun found{reference.text, database, run, {}};
    for (const matrix::SubjectRecord& subject : store.subjects(run.id))
      if (subject.name == subject_name(reference.text)) found.subjects.push_back(subject);
    if (found.subjects.empty())
      throw Error(fmt::format("--{} {}: no cell was asked", reference.role, matrix::printable(reference.text)));
    found_.emplace_back(reference.role, std::move(found));
  }

  const CommandLine& line_;
  const fs::path& folder_;
  std::string suite_;
  std::vector<std::pair<std::string, GateRun>> found_;
};

}  // namespace

GateRuns find_runs(const CommandLine& line, const fs::path& folder, std::optional<GateStopped>& stopped)
{
  std::vector<Reference> references{make_reference("base", line.gate.base), make_reference("head", line.gate.head)};
  const bool has_dev = !line.gate.dev.empty();
  if (has_dev) references.push_back(make_reference("dev", line.gate.dev));
  RunFinder finder(line, folder);
  finder.read_databases(references);
  stopped = finder.ask_subjects(references);
  if (stopped) return {};
  GateRuns runs{finder.take("base"), finder.take("head"), std::nullopt};
  if (has_dev) runs.dev = finder.take("dev");
  return runs;
}

}  // namespace flashgate::app
