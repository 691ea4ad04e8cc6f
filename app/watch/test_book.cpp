#include "app/watch/test_book.h"

namespace flashgate::app {

std::size_t TestBook::place_of(const std::string& name)
{
  const auto [entry, is_new] = places_.try_emplace(name, tests_.size());
  if (is_new) {
    tests_.push_back({name, matrix::Verdict::missing, 0, {}, {}});
    states_.push_back(State::known);
  }
  return entry->second;
}

void TestBook::announce(const std::string& name) { place_of(name); }

void TestBook::start(const std::string& name)
{
  State& state = states_[place_of(name)];
  if (state == State::known) state = State::running;
}

void TestBook::finish(const std::string& name, matrix::Verdict verdict, double seconds, const std::string& detail)
{
  const std::size_t place = place_of(name);
  if (states_[place] == State::ended) return;
  states_[place] = State::ended;
  WatchedTest& test = tests_[place];
  test.verdict = verdict;
  test.seconds = seconds;
  test.detail = detail;
}

void TestBook::finish_running(const WatchedTest& as)
{
  for (std::size_t i = 0; i < tests_.size(); ++i) {
    if (states_[i] != State::running) continue;
    states_[i] = State::ended;
    const std::string name = tests_[i].name;
    tests_[i] = as;
    tests_[i].name = name;
  }
}

std::vector<std::string> TestBook::names(bool (*belongs)(State)) const
{
  std::vector<std::string> found;
  for (std::size_t i = 0; i < tests_.size(); ++i)
    if (belongs(states_[i])) found.push_back(tests_[i].name);
  return found;
}

std::vector<std::string> TestBook::running() const
{
  return names([](State state) { return state == State::running; });
}

std::vector<std::string> TestBook::ended() const
{
  return names([](State state) { return state == State::ended; });
}

std::vector<std::string> TestBook::not_ended() const
{
  return names([](State state) { return state != State::ended; });
}

}  // namespace flashgate::app
