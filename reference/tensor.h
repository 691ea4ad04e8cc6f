#pragma once

#include <Eigen/Core>
#include <cassert>
#include <cstddef>
#include <vector>

namespace flashgate::reference {

/// Row-major matrix over [sequence, dimension] of one head.
template <typename Scalar>
using HeadMatrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A dense owning tensor, layout bhsd: [batch, heads, seq, dim], dim fastest, no gaps.
///
/// Copies copy the data; moves are cheap. Indices are asserted in debug builds and unchecked in release builds, so a
/// caller that takes indices from outside checks them first. Reading from several threads is safe, and so is writing to
/// different elements. Where a Problem's length is shorter than seq, the rows beyond it are padding: the oracle never
/// reads them, and leaves them as they were when it writes.
template <typename Scalar>
class Tensor
{
 public:
  Tensor() = default;

  /// Every element starts as `fill`. REQUIRES: no negative extent.
  Tensor(int batch, int heads, int seq, int dim, Scalar fill = Scalar{})
      : batch_(batch),
        heads_(heads),
        seq_(seq),
        dim_(dim),
        data_(extent(batch) * extent(heads) * extent(seq) * extent(dim), fill)
  {
  }

  int batch() const { return batch_; }
  int heads() const { return heads_; }
  int seq() const { return seq_; }
  int dim() const { return dim_; }
  std::size_t size() const { return data_.size(); }

  Scalar* data() { return data_.data(); }
  const Scalar* data() const { return data_.data(); }
  auto begin() { return data_.begin(); }
  auto end() { return data_.end(); }
  auto begin() const { return data_.begin(); }
  auto end() const { return data_.end(); }

  Scalar& operator()(int b, int h, int s, int d) { return data_[offset(b, h, s) + extent(d)]; }
  Scalar operator()(int b, int h, int s, int d) const { return data_[offset(b, h, s) + extent(d)]; }

  /// Head (b, h) as a [seq, dim] matrix over this tensor's own memory; valid as long as the tensor is.
  Eigen::Map<HeadMatrix<Scalar>> head(int b, int h) { return {data_.data() + offset(b, h, 0), seq_, dim_}; }
  Eigen::Map<const HeadMatrix<Scalar>> head(int b, int h) const { return {data_.data() + offset(b, h, 0), seq_, dim_}; }

  bool same_shape(const Tensor& other) const
  {
    return batch_ == other.batch_ && heads_ == other.heads_ && seq_ == other.seq_ && dim_ == other.dim_;
  }

 private:
  static std::size_t extent(int n) { return static_cast<std::size_t>(n); }

  /// Position of element (b, h, s, 0).
  std::size_t offset(int b, int h, int s) const
  {
    assert(0 <= b && b < batch_ && 0 <= h && h < heads_ && 0 <= s && s <= seq_);
    return ((extent(b) * extent(heads_) + extent(h)) * extent(seq_) + extent(s)) * extent(dim_);
  }

  int batch_ = 0;
  int heads_ = 0;
  int seq_ = 0;
  int dim_ = 0;
  std::vector<Scalar> data_;
};

}  // namespace flashgate::reference
