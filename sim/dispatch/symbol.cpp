#include "sim/dispatch/symbol.h"

#include <deque>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>

namespace flashgate::sim {
namespace {

struct Texts
{
  std::shared_mutex mutex;
  std::deque<std::string> by_id{std::string()};  // a deque never moves its elements, so views into it stay valid
  std::unordered_map<std::string_view, std::uint32_t> ids{{std::string_view(), 0}};
};

Texts& texts()
{
  static Texts instance;
  return instance;
}

}  // namespace

Symbol::Symbol(std::string_view text)
{
  Texts& all = texts();
  std::unique_lock lock(all.mutex);
  if (const auto known = all.ids.find(text); known != all.ids.end()) {
    id_ = known->second;
    return;
  }
  id_ = static_cast<std::uint32_t>(all.by_id.size());
  all.ids.emplace(all.by_id.emplace_back(text), id_);
}

std::string_view Symbol::text() const
{
  Texts& all = texts();
  std::shared_lock lock(all.mutex);
  return all.by_id[id_];
}

}  // namespace flashgate::sim
