#include "reference/mask_families.h"

#include <algorithm>
#include <array>

namespace flashgate::reference {
namespace {

constexpr Encoding kFull[] = {{false, 0}, {false, 2}};
constexpr Encoding kCausal[] = {{true, 0}, {true, 1}};
constexpr Encoding kCausalStart[] = {{true, 1}};
constexpr Encoding kCausalInterval[] = {{true, 2}};
constexpr Encoding kFullPair[] = {{false, 2}};
constexpr Encoding kFullQuad[] = {{false, 4}};
constexpr Encoding kEvery[] = {{true, 1}, {true, 2}, {false, 2}, {false, 4}};
constexpr Encoding kPairsAndQuad[] = {{true, 2}, {false, 2}, {false, 4}};
constexpr Encoding kUpper[] = {{false, 4}, {false, 2}};
constexpr Encoding kSwappable[] = {{false, 4}, {true, 2}};

constexpr std::array kFamilies = {
    FamilyRow{Family::full, "full", false, kFull, "every key visible"},
    FamilyRow{Family::causal, "causal", false, kCausal, "no key after the query"},
    FamilyRow{Family::sliding_window, "sliding_window", false, kCausalStart, "the last keys only"},
    FamilyRow{Family::causal_document, "causal_document", false, kCausalStart, "causal inside packed documents"},
    FamilyRow{Family::document, "document", false, kFullPair, "bidirectional inside packed documents"},
    FamilyRow{Family::share_question, "share_question", false, kCausalStart,
              "answers share a question, not each other"},
    FamilyRow{Family::global_sliding_window, "global_sliding_window", false, kFullQuad, "global tokens and a window"},
    FamilyRow{Family::causal_blockwise, "causal_blockwise", false, kCausalInterval, "blocks; the last one sees all"},
    FamilyRow{Family::prefix_lm_document, "prefix_lm_document", false, kFullPair, "bidirectional prefix per document"},
    FamilyRow{Family::prefix_lm_causal, "prefix_lm_causal", false, kFullPair, "one bidirectional prefix, then causal"},
    FamilyRow{Family::qk_sparse, "qk_sparse", false, kCausalInterval, "spans of keys dropped, diagonal included"},
    FamilyRow{Family::random_eviction, "random_eviction", false, kCausalStart, "keys evicted from some row on"},
    FamilyRow{Family::fully_masked_rows, "fully_masked_rows", true, kEvery, "rows that see no key"},
    FamilyRow{Family::fully_masked_tiles, "fully_masked_tiles", true, kEvery, "keys that no row sees"},
    FamilyRow{Family::empty_at_start, "empty_at_start", true, kPairsAndQuad, "empty intervals written at row 0"},
    FamilyRow{Family::empty_at_end, "empty_at_end", true, kEvery, "empty intervals written at the last row's end"},
    FamilyRow{Family::overlapping_intervals, "overlapping_intervals", true, kUpper, "intervals that share rows"},
    FamilyRow{Family::swapped_intervals, "swapped_intervals", true, kSwappable,
              "upper below lower, or start after end"},
    FamilyRow{Family::out_of_range, "out_of_range", true, kEvery, "bounds beyond seqlen_q"},
    FamilyRow{Family::negative_values, "negative_values", true, kEvery, "bounds below 0"},
};

constexpr bool in_enumeration_order()
{
  for (std::size_t n = 0; n < kFamilies.size(); ++n) {
    if (static_cast<std::size_t>(kFamilies[n].family) != n) return false;
  }
  return true;
}
static_assert(in_enumeration_order(), "family_row() indexes the table by the enumerator");

}  // namespace

std::span<const FamilyRow> families() { return kFamilies; }

const FamilyRow& family_row(Family family) { return kFamilies[static_cast<std::size_t>(family)]; }

const FamilyRow* find_family(std::string_view name)
{
  const auto found = std::ranges::find(kFamilies, name, &FamilyRow::name);
  return found == kFamilies.end() ? nullptr : &*found;
}

bool has_encoding(Family family, const Encoding& encoding)
{
  return std::ranges::count(family_row(family).encodings, encoding) > 0;
}

}  // namespace flashgate::reference
