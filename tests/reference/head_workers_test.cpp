#include "reference/head_workers.h"

#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

namespace flashgate::reference {

TEST_CASE("every batch and head is worked on once, whatever the number of threads")
{
  for (const int threads : {1, 2, 5, 100}) {
    std::vector<int> calls(6, 0);
    for_each_head(2, 3, threads, [&](int b, int h) { calls[static_cast<std::size_t>(b * 3 + h)] += 1; });
    CHECK(calls == std::vector<int>(6, 1));
  }
}

TEST_CASE("an exception of one worker reaches the caller after all have ended")
{
  const auto work = [](int, int h) {
    if (h == 2) throw std::runtime_error("head 2");
  };
  for (const int threads : {1, 3})
    CHECK_THROWS_WITH(for_each_head(1, 4, threads, work), "head 2");
}

}  // namespace flashgate::reference
