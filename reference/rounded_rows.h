#pragma once

#include <cstdint>
#include <vector>

#include "reference/attention_rounded.h"

namespace flashgate::reference {

/// Shared by the forward and the backward of attention_rounded, and by nothing else: which keys a row sees, and float
/// copies of the inputs.

/// Reads columns and block mask element by element. Independent of mask_expand on purpose.
class RowVisibility
{
 public:
  RowVisibility(const Problem& problem, const ColumnMask& mask, const RoundedOptions& options)
      : problem_(problem), mask_(mask), options_(options)
  {
  }

  /// True if row i of head h sees key j, planted faults included.
  bool sees(int b, int h, int i, int j) const;

 private:
  bool column_allows(int b, int h, int i, int j) const;

  const Problem& problem_;
  const ColumnMask& mask_;
  const RoundedOptions& options_;
};

/// A float tensor of the same shape.
Tensor<float> to_float(const Tensor<double>& tensor);

using FloatRow = Eigen::Map<const Eigen::VectorXf>;

/// Row s of head (b, h).
inline FloatRow row_of(const Tensor<float>& tensor, int b, int h, int s)
{
  return {tensor.head(b, h).row(s).data(), tensor.dim()};
}

}  // namespace flashgate::reference
