#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "reference/error.h"
#include "reference/mask_families.h"

namespace flashgate::reference {
namespace {

constexpr int kNever = std::numeric_limits<std::int32_t>::max();  ///< a row no query has
constexpr int kBeforeAll = std::numeric_limits<std::int32_t>::min();

/// One column's bounds, in the order of the encoding.
struct Bounds
{
  std::int32_t values[4] = {0, 0, 0, 0};
};

/// What every generator gets. total_rows is seqlen_q: upstream clips to it.
struct Column
{
  const FamilySpec& spec;
  int rows;     ///< seqlen_q
  int columns;  ///< seqlen_k
  int b;
  int mask_head;
  int j;

  int clip(int row) const { return std::min(row, rows); }
};

/// Where column j lies among consecutive spans of the given lengths.
struct Place
{
  std::size_t index = 0;  ///< lengths.size() behind the last span
  int begin = 0;
  int end = 0;
};

Place place_of(const std::vector<int>& lengths, int j)
{
  Place place;
  for (const int length : lengths) {
    place.end = place.begin + length;
    if (j < place.end) return place;
    place.begin = place.end;
    ++place.index;
  }
  return place;
}

int total(const std::vector<int>& lengths) { return std::accumulate(lengths.begin(), lengths.end(), 0); }

Bounds full(const Column& column) { return {{column.rows, 0}}; }

Bounds causal(const Column& column) { return {{column.rows}}; }

Bounds sliding_window(const Column& column) { return {{column.clip(column.j + column.spec.window_left)}}; }

/// The last document takes the padding in.
Bounds causal_document(const Column& column)
{
  const Place place = place_of(column.spec.lengths, column.j);
  const bool last = place.index + 1 >= column.spec.lengths.size();
  return {{column.clip(last ? column.columns : place.end)}};
}

/// Padding columns belong to the last document, padding rows to none.
Bounds document(const Column& column)
{
  const Place place = place_of(column.spec.lengths, column.j);
  if (place.index < column.spec.lengths.size()) return {{column.clip(place.end), column.clip(place.begin)}};
  const int last = column.spec.lengths.empty() ? 0 : column.spec.lengths.back();
  return {{column.clip(place.begin), column.clip(place.begin - last)}};
}

/// Each answer ends at its own end; the question is shared until the last answer's.
Bounds share_question(const Column& column)
{
  const Place place = place_of(column.spec.lengths, column.j);
  const bool answer = place.index > 0 && place.index < column.spec.lengths.size();
  return {{column.clip(answer ? place.end : total(column.spec.lengths))}};
}

/// A key left of the window's reach of the global rows needs no upper interval.
Bounds global_sliding_window(const Column& column)
{
  const FamilySpec& spec = column.spec;
  const int lt_start = column.j < spec.global_tokens ? column.rows : column.clip(column.j + spec.window_left + 1);
  const bool no_upper = column.j < spec.global_tokens + spec.window_right + 1;
  const int ut_start = no_upper ? 0 : column.clip(spec.global_tokens);
  const int ut_end = no_upper ? 0 : column.clip(column.j - spec.window_right);
  return {{lt_start, column.rows, ut_start, ut_end}};
}

/// A block is hidden between its own end and the last block, which sees all of them.
Bounds causal_blockwise(const Column& column)
{
  const std::vector<int>& lengths = column.spec.lengths;
  const Place place = place_of(lengths, column.j);
  const int sum = total(lengths);
  if (place.index >= lengths.size()) return {{column.clip(sum), column.rows}};
  if (place.index + 1 == lengths.size()) return {{column.clip(sum), column.clip(sum)}};
  return {{column.clip(place.end), column.clip(sum - lengths.back())}};
}

/// Behind the prefix a key is causal inside its document. Padding keys are masked for every row: from the documents'
/// end on by the lower bound, up to it by the upper one.
Bounds prefix_lm_document(const Column& column)
{
  const Place place = place_of(column.spec.lengths, column.j);
  const int sum = column.clip(total(column.spec.lengths));
  if (place.index >= column.spec.lengths.size()) return {{sum, sum}};
  const bool in_prefix = column.j < place.begin + column.spec.prefixes[place.index];
  return {{column.clip(place.end), column.clip(in_prefix ? place.begin : column.j)}};
}

Bounds prefix_lm_causal(const Column& column)
{
  return {{column.rows, column.j < column.spec.prefix ? 0 : column.clip(column.j)}};
}

/// The span starts at the key itself, so the diagonal goes too: a row may lose its only key.
Bounds qk_sparse(const Column& column)
{
  for (const Span& span : column.spec.dropped) {
    if (column.j >= span.begin && column.j < span.begin + span.length) {
      return {{column.clip(column.j), column.clip(span.begin + span.length)}};
    }
  }
  return {{column.rows, column.rows}};
}

Bounds random_eviction(const Column& column)
{
  const int head = column.b * column.spec.mask_heads + column.mask_head;
  return {{column.clip(column.spec.eviction_rows[static_cast<std::size_t>(head * column.columns + column.j)])}};
}

// The adversarial families. `quad`, `pair`, `interval` and `start` name the encodings (false,4), (false,2), (true,2)
// and (true,1); `first`/`end` are the band of rows the spec names.

struct Choices
{
  Bounds start;
  Bounds interval;
  Bounds pair;
  Bounds quad;
};

/// Picks by encoding. A family without some encoding leaves its place empty; check() keeps it from being asked for.
Bounds choose(const Encoding& encoding, const Choices& choices)
{
  if (encoding.bounds_per_column == 4) return choices.quad;
  if (encoding.bounds_per_column == 1) return choices.start;
  return encoding.causal ? choices.interval : choices.pair;
}

/// "Nothing", as upstream writes it.
Bounds unmasked(const Column& column)
{
  const int rows = column.rows;
  return choose(column.spec.encoding, {{{rows}}, {{rows, rows}}, {{rows, 0}}, {{rows, rows, 0, 0}}});
}

/// A non-causal pair can only leave a band visible: it masks what is outside.
Bounds fully_masked_rows(const Column& column)
{
  const int first = column.spec.rows.begin;
  const int end = first + column.spec.rows.length;
  return choose(column.spec.encoding, {{{first}}, {{first, end}}, {{end, first}}, {{first, end, 0, 0}}});
}

/// Neighbouring columns write "all rows" differently, which a per-block minimum and maximum must survive.
Bounds fully_masked_tiles(const Column& column)
{
  const Span& band = column.spec.columns;
  const int rows = column.rows;
  if (column.j < band.begin || column.j >= band.begin + band.length) return unmasked(column);
  if (column.j % 2 == 0) return choose(column.spec.encoding, {{{0}}, {{0, rows}}, {{0, 0}}, {{0, rows, 0, 0}}});
  return choose(column.spec.encoding, {{{0}}, {{0, rows}}, {{0, rows}}, {{rows, rows, 0, rows}}});
}

/// Odd columns of the two empty_at families mask the band of rows; a pair masks what is below it.
Bounds banded(const Column& column)
{
  const int first = column.spec.rows.begin;
  const int end = first + column.spec.rows.length;
  return choose(column.spec.encoding, {{{end}}, {{first, end}}, {{end, 0}}, {{first, end, 0, 0}}});
}

Bounds empty_at_start(const Column& column)
{
  if (column.j % 2 != 0) return banded(column);
  return choose(column.spec.encoding, {{}, {{0, 0}}, {{column.rows, 0}}, {{0, 0, 0, 0}}});
}

Bounds empty_at_end(const Column& column)
{
  if (column.j % 2 != 0) return banded(column);
  const int rows = column.rows;
  return choose(column.spec.encoding, {{{rows}}, {{rows, rows}}, {{rows, 0}}, {{rows, rows, rows, rows}}});
}

/// Quad: the upper interval begins before the lower one and ends inside it. Pair: both reach over the band, so no row
/// is left.
Bounds overlapping_intervals(const Column& column)
{
  if (column.j % 2 == 0) return unmasked(column);
  const int first = column.spec.rows.begin;
  const int end = first + column.spec.rows.length;
  return choose(column.spec.encoding, {{}, {}, {{first, end}}, {{first, end, first / 2, (first + end) / 2}}});
}

/// Quad: lower interval [0, first), upper one the band below it. Interval: from the band's end to its begin, so empty.
Bounds swapped_intervals(const Column& column)
{
  const int first = column.spec.rows.begin;
  const int end = first + column.spec.rows.length;
  return choose(column.spec.encoding, {{}, {{end, first}}, {}, {{0, first, first, end}}});
}

/// Bounds of rows that do not exist: they mask nothing, or all from a start on. The quad's upper interval is out of
/// range altogether.
Bounds out_of_range(const Column& column)
{
  const int rows = column.rows;
  const int first = column.spec.rows.begin;
  if (column.j % 2 == 0) {
    return choose(column.spec.encoding,
                  {{{rows + column.j + 1}}, {{kNever, kNever}}, {{kNever, 0}}, {{kNever, kNever, rows + 3, rows + 9}}});
  }
  return choose(column.spec.encoding,
                {{{kNever}}, {{first, kNever}}, {{rows + 5, first}}, {{first, kNever, rows + 3, kNever}}});
}

/// A start below 0 masks from row 0 on, an end below 0 masks nothing, up to the limits of int32.
Bounds negative_values(const Column& column)
{
  const int first = column.spec.rows.begin;
  if (column.j % 2 == 0) {
    return choose(column.spec.encoding,
                  {{{column.rows}}, {{kBeforeAll, -1}}, {{column.rows, -1}}, {{-7, -1, kBeforeAll, -3}}});
  }
  return choose(column.spec.encoding, {{{-1}}, {{-5, first}}, {{kBeforeAll, -1}}, {{-3, first, -9, -2}}});
}

using Generator = Bounds (*)(const Column&);

/// In the order of the enumeration.
constexpr Generator kGenerators[] = {
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
    fully_masked_rows,
    fully_masked_tiles,
    empty_at_start,
    empty_at_end,
    overlapping_intervals,
    swapped_intervals,
    out_of_range,
    negative_values,
};

void require(bool holds, const FamilySpec& spec, const char* line)
{
  if (!holds) throw Error("mask family " + std::string(family_row(spec.family).name) + ": " + line);
}

void check(const FamilySpec& spec, const Problem& problem)
{
  require(has_encoding(spec.family, spec.encoding), spec, "cannot be written with this causal and bounds_per_column");
  require(spec.encoding.causal == (problem.causal != Causal::none), spec, "causal differs from the problem's");
  require(spec.mask_heads > 0 && problem.num_heads % spec.mask_heads == 0, spec, "mask_heads must divide num_heads");
  require(total(spec.lengths) <= problem.seqlen_k, spec, "lengths exceed seqlen_k");
  require(spec.family != Family::prefix_lm_document || spec.prefixes.size() == spec.lengths.size(), spec,
          "needs one prefix per document");
  const auto evictions = static_cast<std::size_t>(problem.batch * spec.mask_heads * problem.seqlen_k);
  require(spec.family != Family::random_eviction || spec.eviction_rows.size() == evictions, spec,
          "needs one eviction row per batch, mask head and key");
}

}  // namespace

ColumnMask make_mask(const FamilySpec& spec, const Problem& problem)
{
  check(spec, problem);
  const int bounds = spec.encoding.bounds_per_column;
  if (bounds == 0) return {};
  const Generator generator = kGenerators[static_cast<std::size_t>(spec.family)];
  ColumnMask mask = make_column_mask(problem.batch, spec.mask_heads, problem.seqlen_k, bounds);
  for (int b = 0; b < mask.batch; ++b) {
    for (int head = 0; head < mask.heads; ++head) {
      for (int j = 0; j < mask.seqlen_k; ++j) {
        const Bounds column = generator({spec, problem.seqlen_q, problem.seqlen_k, b, head, j});
        std::copy_n(column.values, bounds, &mask.bound(b, head, j, 0));
      }
    }
  }
  return mask;
}

}  // namespace flashgate::reference
