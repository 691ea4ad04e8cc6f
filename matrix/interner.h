#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace flashgate::matrix {

/// Gives equal keys the same index, in the order in which they are met, and keeps one value per index.
template <typename Value>
class Interner
{
 public:
  /// The index of `key`. A new one gets the value that `make()` returns.
  template <typename Make>
  int index_of(std::string_view key, Make&& make)
  {
    scratch_.assign(key);
    const auto [place, is_new] = index_.try_emplace(scratch_, static_cast<int>(values_.size()));
    if (is_new) values_.push_back(std::forward<Make>(make)());
    return place->second;
  }

  const std::vector<Value>& values() const { return values_; }
  std::vector<Value> take() { return std::move(values_); }

 private:
  std::unordered_map<std::string, int> index_;
  std::vector<Value> values_;
  std::string scratch_;  // one allocation for all look-ups
};

/// An interner of sequences of numbers; index 0 is the empty one.
class SequenceInterner
{
 public:
  SequenceInterner() { index_of({}); }

  int index_of(const std::vector<int>& sequence)
  {
    const std::string_view key(reinterpret_cast<const char*>(sequence.data()), sequence.size() * sizeof(int));
    return sequences_.index_of(key, [&] { return sequence; });
  }

  std::vector<std::vector<int>> take() { return sequences_.take(); }

 private:
  Interner<std::vector<int>> sequences_;
};

}  // namespace flashgate::matrix
