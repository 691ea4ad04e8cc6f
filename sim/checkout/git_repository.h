#pragma once

#include <string>
#include <vector>

namespace flashgate::sim {

/// A commit: its 40 hex digits and the first line of its message, printable.
struct Commit
{
  std::string id;
  std::string subject;
};

/// Lines first ... last of a file, counted from 1, both included.
struct LineRange
{
  int first = 0;
  int last = 0;

  bool operator==(const LineRange&) const = default;
};

/// The lines of one file that the newer side of a diff added or changed, in ascending order. A file that was only
/// shortened has no range.
struct ChangedFile
{
  std::string path;
  std::vector<LineRange> lines;
};

/// A file of a commit, its path written with '/' from the top of the repository.
struct SourceFile
{
  std::string path;
  std::string text;
};

/// Reads a git repository by running git: never its working tree or index, never a hook, filter or external diff, no
/// network, no question to the terminal. Every function throws Error, one line, if git is missing, takes longer than a
/// minute, or says no. Refs and paths come from outside: an empty ref, one that starts with '-', or one with a control
/// character, a blank or ':' is refused before git sees it.
/// Thread rule: const, each call is a process of its own.
class GitRepository
{
 public:
  /// `folder` is the top of a working tree, a folder within it, or a bare repository.
  explicit GitRepository(std::string folder);

  const std::string& folder() const { return folder_; }

  /// The commit that `ref` names (a branch, a tag, a hash, HEAD~3), as 40 hex digits.
  std::string resolve(const std::string& ref) const;

  /// The commit that `ref` names, with its subject.
  Commit commit(const std::string& ref) const;

  /// The text of `path` at `ref`. Error if it isn't there, isn't a file or has more than 16 MiB.
  std::string file_at(const std::string& ref, const std::string& path) const;

  /// Paths of all files at `ref` whose names end in `suffix` (".py"; "" for all), sorted.
  std::vector<std::string> paths_at(const std::string& ref, const std::string& suffix) const;

  /// The same files with their texts, read in one process. Links, and files above 4 MiB, are left out; Error above
  /// 512 MiB together.
  std::vector<SourceFile> files_at(const std::string& ref, const std::string& suffix) const;

  /// The commits that `newer` has and `older` does not, oldest first, on first parents only, so that each one's parent
  /// is the one before it (the first one's is `older`, if `older` is a first-parent ancestor).
  std::vector<Commit> commits_between(const std::string& older, const std::string& newer) const;

  /// What differs from `older` to `newer` in files whose names end in `suffix`, renames followed, sorted by path.
  std::vector<ChangedFile> changed_lines(const std::string& older, const std::string& newer,
                                         const std::string& suffix) const;

 private:
  std::string git(const std::vector<std::string>& arguments, const std::string& input = "") const;

  std::string folder_;
};

/// Refuses a ref that can't be one, with the Error described above.
void check_ref(const std::string& ref);

}  // namespace flashgate::sim
