#include "reference/mask_rules.h"

#include <algorithm>
#include <cstddef>

namespace flashgate::reference {
namespace {

/// One element under examination.
struct Element
{
  const FamilySpec& spec;
  int rows;  ///< seqlen_q
  int columns;
  int i;
  int j;
  int evicted_from;  ///< random_eviction only
};

/// Number of the document that a position lies in; lengths.size() behind the last.
std::size_t document_of(const std::vector<int>& lengths, int position)
{
  std::size_t n = 0;
  while (n < lengths.size() && position >= lengths[n])
    position -= lengths[n++];
  return n;
}

/// First position of document n.
int start_of(const std::vector<int>& lengths, std::size_t n)
{
  int start = 0;
  for (std::size_t before = 0; before < n; ++before)
    start += lengths[before];
  return start;
}

int packed_length(const Element& e) { return start_of(e.spec.lengths, e.spec.lengths.size()); }

bool in_band(const Span& band, int position) { return position >= band.begin && position - band.begin < band.length; }

bool different_causal_documents(const Element& e)
{
  // What lies behind the last document counts as part of it, for keys; rows beyond all keys belong to nothing.
  const std::size_t last = e.spec.lengths.empty() ? 0 : e.spec.lengths.size() - 1;
  const std::size_t key_document = std::min(document_of(e.spec.lengths, e.j), last);
  if (key_document == last) return e.i >= e.columns;
  return document_of(e.spec.lengths, e.i) > key_document;
}

/// Both ways: a query sees its own document only. A key behind all documents counts to the last one, a query to none.
bool different_documents(const Element& e)
{
  if (e.spec.lengths.empty()) return true;
  const std::size_t key_document = std::min(document_of(e.spec.lengths, e.j), e.spec.lengths.size() - 1);
  return document_of(e.spec.lengths, e.i) != key_document;
}

/// Answers see the question and themselves. Nothing is seen from behind the last answer.
bool unshared_answer(const Element& e)
{
  const std::size_t key_part = document_of(e.spec.lengths, e.j);
  const bool key_is_answer = key_part > 0 && key_part < e.spec.lengths.size();
  if (e.i >= packed_length(e)) return true;
  return key_is_answer && document_of(e.spec.lengths, e.i) > key_part;
}

bool outside_global_window(const Element& e)
{
  const bool global = e.i < e.spec.global_tokens || e.j < e.spec.global_tokens;
  return !global && (e.j < e.i - e.spec.window_left || e.j > e.i + e.spec.window_right);
}

bool other_block(const Element& e)
{
  const std::size_t count = e.spec.lengths.size();
  const std::size_t key_block = document_of(e.spec.lengths, e.j);
  const std::size_t row_block = document_of(e.spec.lengths, e.i);
  if (key_block == count) return row_block == count;  // padding keys: hidden from padding rows
  if (row_block + 1 >= count) return false;           // the last block, and padding rows, see every block
  return key_block + 1 < count && row_block > key_block;
}

/// Inside a document, its prefix is seen by all and the rest causally.
bool outside_prefix_document(const Element& e)
{
  const std::size_t key_document = document_of(e.spec.lengths, e.j);
  if (key_document == e.spec.lengths.size()) return true;
  const std::size_t row_document = document_of(e.spec.lengths, e.i);
  const bool in_prefix = e.j - start_of(e.spec.lengths, key_document) < e.spec.prefixes[key_document];
  return row_document != key_document || (!in_prefix && e.i < e.j);
}

/// From the key's own row to the end of its span.
bool dropped_key(const Element& e)
{
  for (const Span& span : e.spec.dropped) {
    if (in_band(span, e.j)) return e.i >= e.j && e.i < span.begin + span.length;
  }
  return false;
}

// Adversarial families: what the odd bounds are meant to mask, said plainly.

/// The four encodings, by what they can say.
bool is_pair(const Element& e) { return !e.spec.encoding.causal && e.spec.encoding.bounds_per_column == 2; }
bool is_quad(const Element& e) { return e.spec.encoding.bounds_per_column == 4; }
bool is_start(const Element& e) { return e.spec.encoding.bounds_per_column == 1; }
bool odd(const Element& e) { return e.j % 2 == 1; }
int band_end(const Element& e) { return e.spec.rows.begin + e.spec.rows.length; }

/// A pair cannot mask a band, so there the band is what is left visible.
bool masked_row(const Element& e)
{
  if (is_pair(e)) return !in_band(e.spec.rows, e.i);
  return is_start(e) ? e.i >= e.spec.rows.begin : in_band(e.spec.rows, e.i);
}

bool odd_column_band(const Element& e)
{
  const bool below = is_start(e) || is_pair(e);
  return odd(e) && (below ? e.i >= band_end(e) : in_band(e.spec.rows, e.i));
}

bool overlap(const Element& e)
{
  if (!odd(e)) return false;
  if (is_pair(e)) return true;  // from the band's begin on, and up to its end: every row
  return e.i >= e.spec.rows.begin / 2 && e.i < band_end(e);
}

bool swapped(const Element& e) { return is_quad(e) && e.i < band_end(e); }

/// Only the bounds inside the range do anything: a lower start at the band, or for a pair an upper end there.
bool beyond_the_end(const Element& e)
{
  if (!odd(e) || is_start(e)) return false;
  return is_pair(e) ? e.i < e.spec.rows.begin : e.i >= e.spec.rows.begin;
}

bool below_zero(const Element& e)
{
  if (!odd(e)) return false;
  return is_start(e) || is_pair(e) || e.i < e.spec.rows.begin;
}

/// The table of contents of this file.
bool by_family(const Element& e)
{
  switch (e.spec.family) {
    case Family::full:
    case Family::causal:
      return false;
    case Family::sliding_window:
      return e.i - e.j >= e.spec.window_left;
    case Family::causal_document:
      return different_causal_documents(e);
    case Family::document:
      return different_documents(e);
    case Family::share_question:
      return unshared_answer(e);
    case Family::global_sliding_window:
      return outside_global_window(e);
    case Family::causal_blockwise:
      return other_block(e);
    case Family::prefix_lm_document:
      return outside_prefix_document(e);
    case Family::prefix_lm_causal:
      return e.j >= e.spec.prefix && e.j > e.i;
    case Family::qk_sparse:
      return dropped_key(e);
    case Family::random_eviction:
      return e.i >= e.evicted_from;
    case Family::fully_masked_rows:
      return masked_row(e);
    case Family::fully_masked_tiles:
      return in_band(e.spec.columns, e.j);
    case Family::empty_at_start:
    case Family::empty_at_end:
      return odd_column_band(e);
    case Family::overlapping_intervals:
      return overlap(e);
    case Family::swapped_intervals:
      return swapped(e);
    case Family::out_of_range:
      return beyond_the_end(e);
    case Family::negative_values:
      return below_zero(e);
  }
  return false;
}

bool after_the_query(const Problem& problem, int i, int j)
{
  if (problem.causal == Causal::none) return false;
  // Bottom right: the last query sees the last key. Top left: the first query sees the first key only.
  if (problem.causal == Causal::top_left) return j > i;
  return problem.seqlen_k - j < problem.seqlen_q - i;
}

}  // namespace

bool masked_by_rule(const FamilySpec& spec, const Problem& problem, int b, int h, int i, int j)
{
  if (after_the_query(problem, i, j)) return true;
  Element element{spec, problem.seqlen_q, problem.seqlen_k, i, j, 0};
  if (spec.family == Family::random_eviction) {
    const int queries_per_mask_head = problem.num_heads / spec.mask_heads;
    const int head = b * spec.mask_heads + h / queries_per_mask_head;
    element.evicted_from = spec.eviction_rows[static_cast<std::size_t>(head * problem.seqlen_k + j)];
  }
  return by_family(element);
}

}  // namespace flashgate::reference
