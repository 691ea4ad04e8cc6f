#include "reference/head_workers.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace flashgate::reference {

void for_each_head(int batch, int heads, int threads, const std::function<void(int b, int h)>& work)
{
  const int items = batch * heads;
  std::atomic<int> next = 0;
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto drain = [&] {
    try {
      for (int item = next++; item < items; item = next++)
        work(item / heads, item % heads);
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
      next = items;
    }
  };
  {
    std::vector<std::jthread> others;
    for (int t = 1; t < std::min(threads, items); ++t)
      others.emplace_back(drain);
    drain();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace flashgate::reference
