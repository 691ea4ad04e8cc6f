#include "app/progress_line.h"

#include <ostream>

#include <fmt/format.h>

namespace flashgate::app {
namespace {

constexpr std::chrono::seconds kQuietStart{2};
constexpr std::chrono::milliseconds kTerminalStep{200};
constexpr std::chrono::seconds kLogStep{10};

std::string with_commas(std::int64_t number)
{
  std::string text = std::to_string(number);
  for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

}  // namespace

std::string progress_text(const matrix::Progress& progress, double elapsed_seconds)
{
  std::string verdicts;
  for (const auto& [verdict, cells] : progress.cells_by_verdict)
    verdicts += fmt::format("  {} {}", matrix::verdict_name(verdict), with_commas(cells));
  const double rate = elapsed_seconds > 0 ? static_cast<double>(progress.done) / elapsed_seconds : 0;
  const std::int64_t left = progress.total - progress.done;
  const auto eta = rate > 0 ? static_cast<std::int64_t>(static_cast<double>(left) / rate) : 0;
  return fmt::format("{}  {}/{} cells{}  ({} unexpected)  {}/s  ETA {}:{:02}", progress.subject,
                     with_commas(progress.done), with_commas(progress.total), verdicts,
                     with_commas(progress.unexpected), with_commas(static_cast<std::int64_t>(rate)), eta / 60,
                     eta % 60);
}

ProgressLine::ProgressLine(std::ostream& out, bool is_terminal, Clock::time_point started)
    : out_(out), is_terminal_(is_terminal), started_(started), next_(started_ + kQuietStart)
{
}

void ProgressLine::show(const matrix::Progress& progress, Clock::time_point now)
{
  if (now < next_) return;
  next_ = is_terminal_ ? now + kTerminalStep : now + kLogStep;
  const std::string text = progress_text(progress, std::chrono::duration<double>(now - started_).count());
  if (is_terminal_)
    out_ << '\r' << text << "\x1b[K" << std::flush;
  else
    out_ << text << std::endl;
  line_open_ = is_terminal_;
}

void ProgressLine::finish()
{
  if (line_open_) out_ << '\n' << std::flush;
  line_open_ = false;
}

}  // namespace flashgate::app
