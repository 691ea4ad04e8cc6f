#include "sim/checkout/git_repository.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "reference/error.h"
#include "sim/process/command_output.h"
#include "sim/process/plain_line.h"

namespace flashgate::sim {
namespace {

constexpr std::size_t kMostSubject = 400;
constexpr std::size_t kLargestFile = std::size_t{16} << 20;
constexpr std::size_t kLargestOfMany = std::size_t{4} << 20;
constexpr std::size_t kMostTogether = std::size_t{512} << 20;

/// Nothing of the user's or the repository's configuration may run a program, ask or fetch.
const std::vector<std::string>& quiet_environment()
{
  static const std::vector<std::string> environment{
      "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0",     "GIT_NO_LAZY_FETCH=1",     "GIT_PAGER=cat",
      "GIT_EXTERNAL_DIFF=",    "GIT_NO_REPLACE_OBJECTS=1", "GIT_LITERAL_PATHSPECS=1", "LC_ALL=C"};
  return environment;
}

/// The records of `text`, each ended by `end`.
std::vector<std::string_view> records(std::string_view text, char end)
{
  std::vector<std::string_view> result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t stop = std::min(text.find(end, at), text.size());
    result.push_back(text.substr(at, stop - at));
    at = stop + 1;
  }
  return result;
}

int number_at(std::string_view text)
{
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

void check_path(const std::string& path)
{
  const bool bad = std::any_of(path.begin(), path.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  if (path.empty() || path.front() == '/' || bad)
    throw Error("'" + plain_line(path, 200) + "' is no path in a checkout");
}

/// One entry of `git ls-tree -r -l -z`: "MODE TYPE ID SIZE\tPATH".
struct TreeEntry
{
  std::string id, path;
  std::size_t size = 0;
};

std::vector<TreeEntry> regular_files(std::string_view listing, const std::string& suffix)
{
  std::vector<TreeEntry> entries;
  for (const std::string_view record : records(listing, '\0')) {
    const std::size_t tab = record.find('\t');
    if (tab == std::string_view::npos || !record.starts_with("100")) continue;  // links and submodules are not ours
    TreeEntry entry;
    entry.path = record.substr(tab + 1);
    if (!entry.path.ends_with(suffix)) continue;
    const std::string_view head = record.substr(0, tab);
    entry.id = head.substr(head.find("blob ") + 5, 40);
    entry.size = static_cast<std::size_t>(number_at(head.substr(head.find_last_of(' ') + 1)));
    entries.push_back(std::move(entry));
  }
  std::sort(entries.begin(), entries.end(), [](const TreeEntry& a, const TreeEntry& b) { return a.path < b.path; });
  return entries;
}

/// Splits what `git cat-file --batch` wrote for `entries`: "ID blob SIZE\n", the text, "\n".
std::vector<SourceFile> split_batch(const std::string& output, const std::vector<TreeEntry>& entries)
{
  std::vector<SourceFile> files;
  std::size_t at = 0;
  for (const TreeEntry& entry : entries) {
    const std::size_t text = output.find('\n', at) + 1;
    if (text == 0 || text + entry.size > output.size())
      throw Error("git gave less than " + plain_line(entry.path, 200));
    files.push_back({entry.path, output.substr(text, entry.size)});
    at = text + entry.size + 1;
  }
  return files;
}

/// "@@ -a,b +FIRST,COUNT @@"
LineRange range_of(std::string_view hunk)
{
  const std::string_view right = hunk.substr(hunk.find(" +") + 2);
  const int first = number_at(right);
  const std::size_t comma = right.substr(0, right.find(' ')).find(',');
  const int count = comma == std::string_view::npos ? 1 : number_at(right.substr(comma + 1));
  return {first, first + count - 1};
}

}  // namespace

void check_ref(const std::string& ref)
{
  const bool bad = std::any_of(ref.begin(), ref.end(),
                               [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F || c == ':'; });
  if (ref.empty() || ref.front() == '-' || bad || ref.size() > 1000)
    throw Error("'" + plain_line(ref, 200) + "' can't be a git ref");
}

GitRepository::GitRepository(std::string folder) : folder_(std::move(folder)) { git({"rev-parse", "--git-dir"}); }

std::string GitRepository::git(const std::vector<std::string>& arguments, const std::string& input) const
{
  std::vector<std::string> argv{"git",
                                "-C",
                                folder_,
                                "-c",
                                "core.fsmonitor=false",
                                "-c",
                                "core.hooksPath=/dev/null",
                                "-c",
                                "core.quotePath=false",
                                "--no-pager"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  CommandResult result = run_command(argv, input, quiet_environment());
  if (result.status == 0) return std::move(result.output);
  const std::string why = result.first_error.empty() ? "git failed" : result.first_error;
  throw Error(plain_line(folder_, 200) + ": " + why);
}

std::string GitRepository::resolve(const std::string& ref) const
{
  check_ref(ref);
  try {
    std::string id = git({"rev-parse", "--verify", "--quiet", "--end-of-options", ref + "^{commit}"});
    id.resize(std::min<std::size_t>(id.find('\n'), id.size()));
    return id;
  } catch (const Error&) {
    throw Error(plain_line(folder_, 200) + ": has no commit '" + plain_line(ref, 200) + "'");
  }
}

Commit GitRepository::commit(const std::string& ref) const
{
  const std::string id = resolve(ref);
  const std::string subject = git({"log", "-1", "--no-show-signature", "--format=%s", id, "--"});
  return {id, plain_line(subject.substr(0, subject.find('\n')), kMostSubject)};
}

std::string GitRepository::file_at(const std::string& ref, const std::string& path) const
{
  check_path(path);
  const std::string id = resolve(ref);
  const std::string name = id + ":" + path;
  const std::string size = git({"cat-file", "-s", name});
  if (static_cast<std::size_t>(number_at(size)) > kLargestFile)
    throw Error(plain_line(path, 200) + " at " + plain_line(ref, 200) + " has more than 16 MiB");
  return git({"cat-file", "blob", name});
}

std::vector<std::string> GitRepository::paths_at(const std::string& ref, const std::string& suffix) const
{
  std::vector<std::string> paths;
  for (TreeEntry& entry : regular_files(git({"ls-tree", "-r", "-l", "-z", "--full-tree", resolve(ref)}), suffix))
    paths.push_back(std::move(entry.path));
  return paths;
}

std::vector<SourceFile> GitRepository::files_at(const std::string& ref, const std::string& suffix) const
{
  std::vector<TreeEntry> entries =
      regular_files(git({"ls-tree", "-r", "-l", "-z", "--full-tree", resolve(ref)}), suffix);
  std::erase_if(entries, [](const TreeEntry& entry) { return entry.size > kLargestOfMany; });
  std::string ids;
  std::size_t together = 0;
  for (const TreeEntry& entry : entries) {
    ids += entry.id + "\n";
    together += entry.size;
  }
  if (together > kMostTogether)
    throw Error(plain_line(folder_, 200) + ": more than 512 MiB of " + suffix + " files at " + plain_line(ref, 200));
  return split_batch(git({"cat-file", "--batch"}, ids), entries);
}

std::vector<Commit> GitRepository::commits_between(const std::string& older, const std::string& newer) const
{
  const std::string range = resolve(older) + ".." + resolve(newer);
  const std::string log =
      git({"log", "--first-parent", "--reverse", "--no-show-signature", "-z", "--format=%H %s", range, "--"});
  std::vector<Commit> commits;
  for (const std::string_view record : records(log, '\0'))
    if (record.size() > 41)
      commits.push_back({std::string(record.substr(0, 40)), plain_line(record.substr(41), kMostSubject)});
    else if (record.size() >= 40)
      commits.push_back({std::string(record.substr(0, 40)), {}});
  return commits;
}

std::vector<ChangedFile> GitRepository::changed_lines(const std::string& older, const std::string& newer,
                                                      const std::string& suffix) const
{
  const std::string diff = git({"diff", "--unified=0", "--no-color", "--no-ext-diff", "--no-textconv", "--no-prefix",
                                "--find-renames", "--ignore-submodules", resolve(older), resolve(newer), "--"});
  std::vector<ChangedFile> files;
  bool in_header = false;  // a line of content that starts with "+++" is no header
  for (std::string_view line : records(diff, '\n')) {
    if (line.starts_with("diff ")) in_header = true;
    if (in_header && line.starts_with("+++ ")) {
      line.remove_prefix(4);
      while (line.ends_with('\t'))
        line.remove_suffix(1);
      files.push_back({std::string(line), {}});
    }
    if (!line.starts_with("@@ ")) continue;
    in_header = false;
    const LineRange range = range_of(line);
    if (!files.empty() && range.last >= range.first) files.back().lines.push_back(range);
  }
  std::erase_if(files,
                [&](const ChangedFile& file) { return file.path == "/dev/null" || !file.path.ends_with(suffix); });
  std::sort(files.begin(), files.end(), [](const ChangedFile& a, const ChangedFile& b) { return a.path < b.path; });
  return files;
}

}  // namespace flashgate::sim
