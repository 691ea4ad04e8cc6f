#include <algorithm>
#include <random>

#include "reference/mask_families.h"

namespace flashgate::reference {
namespace {

/// The seqlen_k that upstream's parameters are given for.
constexpr int kUpstreamLength = 8192;

/// Scaled to this seqlen_k, at least 1.
int scaled(int upstream, const Problem& problem)
{
  const auto value = static_cast<std::int64_t>(upstream) * problem.seqlen_k / kUpstreamLength;
  return std::max(1, static_cast<int>(value));
}

/// Scaled lengths; rounding up to 1 may overrun short sequences, so the tail is cut where the keys end.
std::vector<int> scaled_lengths(std::initializer_list<int> upstream, const Problem& problem)
{
  std::vector<int> lengths;
  int left = problem.seqlen_k;
  for (const int length : upstream) {
    const int fits = std::min(scaled(length, problem), left);
    if (fits > 0) lengths.push_back(fits);
    left -= fits;
  }
  return lengths;
}

/// One prefix for each document that is left, never longer than it.
std::vector<int> scaled_prefixes(std::initializer_list<int> upstream, const std::vector<int>& lengths,
                                 const Problem& problem)
{
  std::vector<int> prefixes;
  auto length = lengths.begin();
  for (const int prefix : upstream) {
    if (length == lengths.end()) break;
    prefixes.push_back(std::min(scaled(prefix, problem), *length++));
  }
  return prefixes;
}

/// About half of the keys are evicted, each at a row of the second half; the others never (seqlen_q).
std::vector<int> drawn_evictions(const Problem& problem, int mask_heads, std::uint64_t seed)
{
  std::mt19937_64 generator(seed);
  const int first = problem.seqlen_q / 2;
  const auto span = static_cast<std::uint64_t>(problem.seqlen_q - first);
  std::vector<int> rows(static_cast<std::size_t>(problem.batch * mask_heads * problem.seqlen_k), problem.seqlen_q);
  for (int& row : rows) {
    const std::uint64_t draw = generator();
    if ((draw & 1U) != 0) row = first + static_cast<int>((draw >> 1) % span);
  }
  return rows;
}

/// Ascending and disjoint, cut where the keys end.
std::vector<Span> scaled_spans(std::initializer_list<Span> upstream, const Problem& problem)
{
  std::vector<Span> spans;
  int end = 0;
  for (const Span& span : upstream) {
    const int begin = std::max(end, static_cast<int>(std::int64_t{span.begin} * problem.seqlen_k / kUpstreamLength));
    const int length = std::min(scaled(span.length, problem), problem.seqlen_k - begin);
    if (length <= 0) break;
    spans.push_back({begin, length});
    end = begin + length;
  }
  return spans;
}

/// The middle half of `length` positions; never empty.
Span middle(int length) { return {length / 4, std::max(1, length / 2)}; }

}  // namespace

FamilySpec default_spec(Family family, const Encoding& encoding, const Problem& problem, int mask_heads,
                        std::uint64_t seed)
{
  FamilySpec spec;
  spec.family = family;
  spec.encoding = encoding;
  spec.mask_heads = mask_heads;
  spec.lengths = scaled_lengths({2538, 1742, 3213}, problem);
  spec.prefixes = scaled_prefixes({1024, 1742, 512}, spec.lengths, problem);
  spec.window_left = scaled(family == Family::global_sliding_window ? 512 : 1024, problem);
  spec.window_right = scaled(512, problem);
  spec.global_tokens = scaled(16, problem);
  spec.prefix = scaled(1024, problem);
  spec.dropped = scaled_spans({{1024, 538}, {2358, 1700}}, problem);
  if (family == Family::random_eviction) spec.eviction_rows = drawn_evictions(problem, mask_heads, seed);
  spec.rows = middle(problem.seqlen_q);
  spec.columns = {0, std::max(1, std::min(64, problem.seqlen_k / 2))};
  return spec;
}

}  // namespace flashgate::reference
