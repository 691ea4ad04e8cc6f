#pragma once

#include <span>
#include <vector>

#include "reference/tensor.h"

namespace flashgate::sim {

/// LSE as different versions lay it out in memory, and the one form everything here compares and merges: natural log,
/// -inf for a fully masked row. Pure functions, any thread.
enum class LseLayout {
  varlen,        ///< [heads, total]: sequences one after the other, no padding
  padded,        ///< [batch, heads, max_length]: rows behind a sequence's length are padding
  packed_pitch,  ///< flag version 2: allocated as [batch, heads, pitch], pitch = seqlen_q rounded up to 128, but
                 ///< addressed (b heads + h) seqlen_q + i, so the rows of one head do not start at a multiple of pitch
                 ///< and the end of the allocation is never written. All sequences have equal lengths
};

/// What a fully masked row says.
enum class EmptyRow {
  negative_infinity,  ///< flag versions 3 and 4
  positive_infinity,  ///< flag version 2; a row with a NaN says +inf there too and only its O tells the two apart
};

enum class LogBase { natural, two };

struct LseFormat
{
  LseLayout layout = LseLayout::varlen;
  int num_heads = 1;
  std::vector<int> cu_seqlens;  ///< [0, end of sequence 0, end of sequence 1, ...], in query rows
  int max_length = 0;           ///< padded only: the longest sequence, or more
  EmptyRow empty_row = EmptyRow::negative_infinity;
  LogBase base = LogBase::natural;
};

/// Version 2 rounds its LSE pitch to this.
constexpr int kLsePitch = 128;

/// The elements a buffer of the format has. Throws Error, naming what does not fit, if cu_seqlens does not start at 0
/// or descends, if there is no sequence or no head, if max_length is shorter than the longest sequence, or if the
/// sequences of packed_pitch differ in length.
std::size_t lse_elements(const LseFormat& format);

/// The canonical form, [heads, total]. Reads exactly the elements of rows that exist: padding may hold anything. Throws
/// Error like lse_elements, and if memory has another number of elements than the format says.
std::vector<double> read_lse(std::span<const double> memory, const LseFormat& format);

/// The inverse: writes a canonical LSE into memory of the format; padding keeps what it held. Throws Error like
/// read_lse, and if `canonical` is not [heads, total].
void write_lse(std::span<const double> canonical, const LseFormat& format, std::span<double> memory);

/// A canonical LSE of sequences of equal length as [batch, heads, seqlen_q, 1]. Throws Error if lengths differ.
reference::Tensor<double> as_tensor(std::span<const double> canonical, const LseFormat& format);

}  // namespace flashgate::sim
