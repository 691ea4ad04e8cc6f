#pragma once

#include <cmath>
#include <string_view>

namespace flashgate::reference {

/// Which corner a causal mask is aligned to. i is a query row, j a key column; both count from 0.
enum class Causal {
  none,          ///< no causal mask
  bottom_right,  ///< masked iff j > i + seqlen_k - seqlen_q (flag versions 3 and 4)
  top_left,      ///< masked iff j > i (flag version 2)
};

/// The storage type of Q, K, V, O and their gradients in the kernel under test. LSE is always fp32 there.
enum class Dtype { bf16, fp16 };

/// The numbers of one attention call: plain data, computed from a case, stored nowhere.
///
/// Lengths count elements, softmax_scale multiplies Q.K before the softmax. Nothing is checked here; validate() does.
/// Layout names follow Tensor: Q [batch, num_heads, seqlen_q, head_dim], K [batch, num_heads_kv, seqlen_k, head_dim],
/// V [batch, num_heads_kv, seqlen_k, head_dim_v], O and dO [batch, num_heads, seqlen_q, head_dim_v],
/// LSE [batch, num_heads, seqlen_q, 1], natural log.
struct Problem
{
  int batch = 1;
  int num_heads = 1;     ///< query heads
  int num_heads_kv = 1;  ///< divides num_heads (GQA; 1 is MQA)
  int seqlen_q = 1;
  int seqlen_k = 1;
  int head_dim = 64;    ///< of Q and K
  int head_dim_v = 64;  ///< of V and O
  double softmax_scale = 1.0;
  Causal causal = Causal::none;
  Dtype dtype = Dtype::bf16;
};

/// The scale kernels use when none is given.
inline double default_softmax_scale(int head_dim) { return 1.0 / std::sqrt(static_cast<double>(head_dim)); }

/// Query heads per key/value head. REQUIRES: num_heads_kv divides num_heads.
inline int group_size(const Problem& problem) { return problem.num_heads / problem.num_heads_kv; }

/// The key/value head that query head h reads: the block map, h div group size.
inline int kv_head(const Problem& problem, int h) { return h / group_size(problem); }

/// The enumerators as spelled.
inline std::string_view name(Causal causal)
{
  switch (causal) {
    case Causal::none:
      return "none";
    case Causal::bottom_right:
      return "bottom_right";
    case Causal::top_left:
      return "top_left";
  }
  return "?";
}

inline std::string_view name(Dtype dtype) { return dtype == Dtype::bf16 ? "bf16" : "fp16"; }

}  // namespace flashgate::reference
