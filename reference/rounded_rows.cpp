#include "reference/rounded_rows.h"

#include <algorithm>

namespace flashgate::reference {

bool RowVisibility::column_allows(int b, int h, int i, int j) const
{
  if (mask_.bounds_per_column == 0) return true;
  const std::int32_t* bounds = &mask_.startend_row_indices[mask_.offset(b, h * mask_.heads / problem_.num_heads, j)];
  if (mask_.bounds_per_column == 1) return i < bounds[0];
  if (mask_.bounds_per_column == 4) return (i < bounds[0] || i >= bounds[1]) && (i < bounds[2] || i >= bounds[3]);
  if (problem_.causal == Causal::none) return i < bounds[0] && i >= bounds[1];
  return i < bounds[0] || i >= bounds[1];
}

// Causal as "the last key a row sees", which is not how mask_expand says it.
bool RowVisibility::sees(int b, int h, int i, int j) const
{
  const PlantedFault& fault = options_.fault;
  if (b == 0 && h == 0 && i == fault.row && j == fault.column) {
    if (fault.kind == PlantedFault::Kind::leaked_element) return true;
    if (fault.kind == PlantedFault::Kind::lost_element) return false;
  }
  const int last_key = problem_.causal == Causal::none       ? problem_.seqlen_k - 1
                       : problem_.causal == Causal::top_left ? i
                                                             : i + problem_.seqlen_k - problem_.seqlen_q;
  if (j > last_key || !column_allows(b, h, i, j)) return false;
  const BlockMask* blocks = options_.block_mask;
  return blocks == nullptr || !blocks->drops(b, h * mask_.heads / problem_.num_heads, i, j);
}

Tensor<float> to_float(const Tensor<double>& tensor)
{
  Tensor<float> copy(tensor.batch(), tensor.heads(), tensor.seq(), tensor.dim());
  std::transform(tensor.begin(), tensor.end(), copy.begin(), [](double value) { return static_cast<float>(value); });
  return copy;
}

}  // namespace flashgate::reference
