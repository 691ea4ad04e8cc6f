#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "reference/column_mask.h"
#include "reference/problem.h"

namespace flashgate::reference {

/// Mask families: the twelve of the FlashMask paper (arXiv 2410.01359, figure 1) under their upstream names, and eight
/// adversarial ones that put values where implementations go wrong. make_mask() writes a family as columns;
/// mask_rules.h says independently which elements it masks. Formulas and their sources: docs/mask_semantics.md.
enum class Family {
  full,
  causal,
  sliding_window,
  causal_document,
  document,
  share_question,
  global_sliding_window,
  causal_blockwise,
  prefix_lm_document,
  prefix_lm_causal,
  qk_sparse,
  random_eviction,
  fully_masked_rows,      ///< rows that see no key
  fully_masked_tiles,     ///< keys that no row sees, written in two different ways side by side
  empty_at_start,         ///< every other column has its intervals written as empty at row 0
  empty_at_end,           ///< every other column has its intervals written as empty at row seqlen_q
  overlapping_intervals,  ///< lower and upper interval share rows
  swapped_intervals,      ///< the upper interval lies below the lower one, or a start after its end
  out_of_range,           ///< bounds beyond seqlen_q, up to INT_MAX
  negative_values,        ///< bounds below 0, down to INT_MIN
};

/// One way to write a family: whether the call is causal, and bounds_per_column (0: no column mask at all).
struct Encoding
{
  bool causal;
  int bounds_per_column;

  bool operator==(const Encoding&) const = default;
};

/// What is fixed about a family. The first encoding is the upstream one.
struct FamilyRow
{
  Family family;
  std::string_view name;
  bool adversarial;
  std::span<const Encoding> encodings;
  std::string_view help;
};

/// Every family, in the order of the enumeration.
std::span<const FamilyRow> families();

/// The row of one family, and the same by name; nullptr for a name that is none.
const FamilyRow& family_row(Family family);
const FamilyRow* find_family(std::string_view name);

/// True if the family can be written that way.
bool has_encoding(Family family, const Encoding& encoding);

/// A run of positions.
struct Span
{
  int begin = 0;
  int length = 0;
};

/// A family with its parameters: plain data, all of it; a generator draws nothing and changes nothing. Fields a family
/// does not use are ignored. Lengths and positions count elements.
struct FamilySpec
{
  Family family = Family::full;
  Encoding encoding{false, 0};
  int mask_heads = 1;
  std::vector<int> lengths{};   ///< of documents, of blocks, or of the question and then each answer
  std::vector<int> prefixes{};  ///< prefix_lm_document: visible prefix of each document; same count as lengths
  int window_left = 0;          ///< sliding_window: keys seen, self included; global_sliding_window: keys to the left
  int window_right = 0;         ///< global_sliding_window: keys to the right
  int global_tokens = 0;        ///< global_sliding_window: the first tokens, which see and are seen by all
  int prefix = 0;               ///< prefix_lm_causal
  std::vector<Span> dropped{};  ///< qk_sparse: spans of dropped keys, ascending, disjoint
  std::vector<int> eviction_rows{};  ///< random_eviction: first row not to see j, [batch, mask_heads, seqlen_k]
  Span rows{};                       ///< adversarial: a band of query rows
  Span columns{};                    ///< fully_masked_tiles: a band of keys
};

/// Parameters for a problem: upstream's own, given for seqlen_k = 8192, scaled to this seqlen_k. `seed` draws what is
/// random (evictions). encoding must be one of the family's.
FamilySpec default_spec(Family family, const Encoding& encoding, const Problem& problem, int mask_heads,
                        std::uint64_t seed);

/// The family as columns. Throws Error if the encoding is not one of the family's or disagrees with problem.causal, or
/// if a parameter does not fit (lengths that exceed seqlen_k, fewer prefixes than documents, ...).
ColumnMask make_mask(const FamilySpec& spec, const Problem& problem);

}  // namespace flashgate::reference
