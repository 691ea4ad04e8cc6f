#include "matrix/store_merge.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "matrix/cell_filter.h"
#include "matrix/store_file.h"
#include "matrix/store_internal.h"
#include "reference/error.h"

namespace flashgate::matrix {
namespace {

/// What all parts must share.
struct Whole
{
  std::string suite, digest, commit;
  std::int64_t seed = 0, count = 0;
  std::string from;  ///< the database that said so first
};

/// The last run of an input, and the parts it has.
struct Input
{
  std::string path;
  std::int64_t run = 0;
  std::string name, finished;
  Whole whole;
  std::vector<std::string> shards;
};

Input read_input(const std::string& path)
{
  return guarded(path, [&] {
    const auto database = open_file_to_read(path);
    Input input;
    input.path = path;
    SQLite::Statement run(*database,
                          "SELECT id, name, coalesce(finished, ''), suite, coalesce(flashgate_commit, '') || "
                          "iif(dirty, ' with changes', ''), seed FROM run ORDER BY id DESC LIMIT 1");
    if (!run.executeStep()) throw Error(fmt::format("{}: has no run, expected a part of one", path));
    input.run = run.getColumn(0).getInt64();
    input.name = run.getColumn(1).getString();
    input.finished = run.getColumn(2).getString();
    input.whole = {run.getColumn(3).getString(), {}, run.getColumn(4).getString(),
                   run.getColumn(5).getInt64(),  0,  path};
    SQLite::Statement parts(*database, "SELECT shard, whole_digest FROM run_part WHERE run = ? ORDER BY shard");
    parts.bind(1, input.run);
    while (parts.executeStep()) {
      input.shards.push_back(parts.getColumn(0).getString());
      input.whole.digest = parts.getColumn(1).getString();
      input.whole.count = parse_shard(input.shards.back()).count;
    }
    if (input.shards.empty())
      throw Error(fmt::format("{}: run {} is no part, expected one made with --shard", path, input.name));
    return input;
  });
}

template <typename Value>
void check_same(const Whole& first, const Whole& other, const char* what, const Value& expected, const Value& found)
{
  if (expected != found)
    throw Error(fmt::format("{}: {} {}, expected {} as in {}", other.from, what, found, expected, first.from));
}

void check_same(const Whole& first, const Whole& other)
{
  check_same(first, other, "suite", first.suite, other.suite);
  check_same(first, other, "flashgate of commit", first.commit, other.commit);
  check_same(first, other, "seed", first.seed, other.seed);
  check_same(first, other, "number of shards", first.count, other.count);
  check_same(first, other, "selection of cells and subjects", first.digest, other.digest);
}

/// The merged run in the output: that of this whole, or a new one.
class Merge
{
 public:
  explicit Merge(const std::string& output) : database_(open_file_to_write(output))
  {
    database_->exec("PRAGMA foreign_keys = ON");
  }

  MergeResult merge(const std::vector<Input>& inputs)
  {
    for (const Input& input : inputs)  // says no before anything changes
      if (!input.finished.empty()) attach(input, [&] { is_there(input); });
    for (const Input& input : inputs)
      if (!input.finished.empty()) attach(input, [&] { add(input); });
    if (run_ != 0) finish(inputs.front().whole);
    for (const Input& input : inputs)
      if (input.finished.empty()) say_unfinished(input);
    return std::move(result_);
  }

 private:
  template <typename Action>
  void attach(const Input& input, const Action& action)
  {
    SQLite::Statement attach(*database_, "ATTACH ? AS part");
    attach.bind(1, input.path);
    attach.exec();
    {
      SQLite::Transaction transaction(*database_);  // an immediate one would lock the part for writing too
      action();
      transaction.commit();
    }
    database_->exec("DETACH part");
  }

  /// True if the output has all parts of an input, false if none; Error if some.
  bool is_there(const Input& input)
  {
    if (run_ == 0) run_ = find_run(input);
    const auto there = std::ranges::count_if(input.shards, [&](const auto& shard) { return has(input, shard); });
    if (there != 0 && there != static_cast<std::ptrdiff_t>(input.shards.size()))
      throw Error(fmt::format("{}: some of its parts are merged already, expected all or none", input.path));
    return there != 0;
  }

  void add(const Input& input)
  {
    const bool present = is_there(input);
    if (!present) {
      if (run_ == 0) run_ = make_run(input);
      copy_part(*database_, input.run, run_);
    }
    auto& list = present ? result_.present : result_.added;
    list.insert(list.end(), input.shards.begin(), input.shards.end());
  }

  /// The output's run of the same whole; 0 if there is none.
  std::int64_t find_run(const Input& input)
  {
    SQLite::Statement find(*database_,
                           "SELECT run FROM run_part WHERE whole_digest = (SELECT whole_digest FROM part.run_part "
                           "WHERE run = ?1) AND run IN (SELECT m.id FROM main.run AS m JOIN part.run AS p ON "
                           "m.suite = p.suite AND m.seed = p.seed AND m.flashgate_commit IS p.flashgate_commit AND "
                           "m.dirty = p.dirty WHERE p.id = ?1) LIMIT 1");
    find.bind(1, input.run);
    return find.executeStep() ? find.getColumn(0).getInt64() : 0;
  }

  /// A run with the provenance of the first part.
  std::int64_t make_run(const Input& input)
  {
    std::string columns;
    for (const auto& [name, needs_value] : columns_of(*database_, "main", "run"))
      if (name != "id" && name != "name" && name != "finished" && name != "exit_code") columns += ", " + name;
    database_->exec(
        fmt::format("INSERT INTO main.run (name{0}) SELECT suite || '-' || (SELECT 1 + count(*) FROM "
                    "main.run WHERE suite = p.suite){0} FROM part.run AS p WHERE id = {1}",
                    columns, input.run));
    return database_->getLastInsertRowid();
  }

  /// True if the output has this part of the same run; Error if of another one.
  bool has(const Input& input, const std::string& shard)
  {
    SQLite::Statement find(*database_,
                           "SELECT m.started IS coalesce(p.started, r.started) AND m.finished IS "
                           "coalesce(p.finished, r.finished) FROM main.run_part AS m JOIN part.run_part AS p USING "
                           "(shard) JOIN part.run AS r ON r.id = p.run WHERE m.run = ? AND p.run = ? AND shard = ?");
    SQLite::bind(find, run_, input.run, shard);
    if (!find.executeStep()) return false;
    if (find.getColumn(0).getInt() == 0)
      throw Error(fmt::format("{}: shard {} is merged already, from another run", input.path, shard));
    return true;
  }

  void finish(const Whole& whole)
  {
    SQLite::Statement update(*database_, R"(
        UPDATE run SET
          started = (SELECT min(started) FROM run_part WHERE run = run.id),
          suite_digest = ?2,
          selected = (SELECT sum(selected) FROM run_part WHERE run = run.id),
          finished = iif((SELECT count(*) FROM run_part WHERE run = run.id) = ?3,
                         (SELECT max(finished) FROM run_part WHERE run = run.id), NULL),
          exit_code = iif((SELECT count(*) FROM run_part WHERE run = run.id) = ?3,
                          (SELECT iif(min(exit_code) = 5, 5, max(iif(exit_code = 5, 0, exit_code)))
                           FROM run_part WHERE run = run.id), NULL)
        WHERE id = ?1)");
    SQLite::bind(update, run_, whole.digest, whole.count);
    update.exec();
    SQLite::Statement run(*database_, "SELECT name, coalesce(exit_code, 2) FROM run WHERE id = ?");
    run.bind(1, run_);
    run.executeStep();
    result_.run = run.getColumn(0).getString();
    result_.exit_code = run.getColumn(1).getInt();
    for (std::int64_t i = 1; i <= whole.count; ++i) {
      const std::string shard = fmt::format("{}/{}", i, whole.count);
      SQLite::Statement find(*database_, "SELECT 1 FROM run_part WHERE run = ? AND shard = ?");
      SQLite::bind(find, run_, shard);
      if (!find.executeStep()) result_.missing.push_back(shard);
    }
  }

  void say_unfinished(const Input& input)
  {
    for (const std::string& shard : input.shards) {
      const std::string text = fmt::format("{}: {} is not finished, continue it with --resume", shard, input.path);
      const auto found = std::ranges::find(result_.missing, shard);
      if (found != result_.missing.end())
        *found = text;
      else
        result_.missing.push_back(text);
    }
  }

  std::unique_ptr<SQLite::Database> database_;
  std::int64_t run_ = 0;
  MergeResult result_;
};

void check_inputs(const std::string& output, const std::vector<Input>& inputs)
{
  std::map<std::string, std::string> seen;
  for (const Input& input : inputs) {
    check_same(inputs.front().whole, input.whole);
    if (input.path == output) throw Error(fmt::format("{}: is the output and an input", output));
    for (const std::string& shard : input.shards)
      if (const auto [other, is_new] = seen.emplace(shard, input.path); !is_new && other->second != input.path)
        throw Error(fmt::format("{}: has shard {}, which {} has too", input.path, shard, other->second));
  }
}

/// An output named by mistake, as the first of several inputs is by who forgets it, must not become half a run.
void check_output(Store& output, const Whole& whole)
{
  for (const RunRecord& run : output.runs())
    for (const RunPart& part : output.parts(run.id))
      if (part.whole_digest == whole.digest && part.started.empty())
        throw Error(fmt::format("{}: has shard {} itself, expected a database to merge into before those of the shards",
                                output.path(), part.shard));
}

}  // namespace

MergeResult merge_parts(const std::string& output, const std::vector<std::string>& paths)
{
  std::vector<Input> inputs;
  for (const std::string& path : paths)
    inputs.push_back(read_input(path));
  if (inputs.empty()) throw Error("merge: no database given, expected the parts of a run");
  check_inputs(output, inputs);
  {
    Store made = Store::open_or_create(output);  // makes the schema, or says what is wrong with the file
    check_output(made, inputs.front().whole);
  }
  return guarded(output, [&] { return Merge(output).merge(inputs); });
}

}  // namespace flashgate::matrix
