#include "sim/process/process_tree.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include <unistd.h>

namespace flashgate::sim {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path)
{
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// "PID (NAME) STATE PARENT ...", where NAME may hold anything.
bool read_row(const fs::path& folder, ProcessRow& row)
{
  const std::string text = read_file(folder / "stat");
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos || name_end + 4 > text.size()) return false;
  row.state = text[name_end + 2];
  std::from_chars(text.data() + name_end + 4, text.data() + text.size(), row.parent);
  return true;
}

bool has_mark(pid_t pid, const std::string& mark)
{
  // Entries end in a zero byte; one more in front makes every entry begin after one.
  const std::string environment = '\0' + read_file(fs::path("/proc") / std::to_string(pid) / "environ");
  return environment.find('\0' + mark + '\0') != std::string::npos;
}

}  // namespace

std::vector<ProcessRow> all_processes()
{
  std::vector<ProcessRow> rows;
  std::error_code ended;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc", ended)) {
    const std::string name = entry.path().filename().string();
    ProcessRow row;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), row.pid);
    if (error == std::errc() && end == name.data() + name.size() && read_row(entry.path(), row)) rows.push_back(row);
  }
  return rows;
}

std::vector<pid_t> live_tree(pid_t root, const std::string& mark)
{
  const std::vector<ProcessRow> rows = all_processes();
  std::vector<pid_t> members;
  const auto add = [&](pid_t pid) {
    if (pid != getpid() && std::ranges::find(members, pid) == members.end()) members.push_back(pid);
  };
  add(root);
  for (const ProcessRow& row : rows)
    if (row.state != 'Z' && has_mark(row.pid, mark)) add(row.pid);
  for (std::size_t i = 0; i < members.size(); ++i)
    for (const ProcessRow& row : rows)
      if (row.parent == members[i]) add(row.pid);
  std::erase_if(members, [&](pid_t pid) {
    return std::ranges::none_of(rows, [&](const ProcessRow& row) { return row.pid == pid && row.state != 'Z'; });
  });
  return members;
}

}  // namespace flashgate::sim
