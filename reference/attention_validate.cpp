#include <string>

#include "reference/attention.h"
#include "reference/error.h"
#include "reference/validate.h"

namespace flashgate::reference {
namespace {

/// A tensor may be longer than `seq` (padding), never shorter; the other extents are exact.
void require_shape(const Tensor<double>& tensor, const char* what, int batch, int heads, int seq, int dim)
{
  if (tensor.batch() == batch && tensor.heads() == heads && tensor.seq() >= seq && tensor.dim() == dim) return;
  const auto shape = [](int b, int h, int s, int d) {
    return "[" + std::to_string(b) + ", " + std::to_string(h) + ", " + std::to_string(s) + ", " + std::to_string(d) +
           "]";
  };
  throw Error(std::string(what) + " must be " + shape(batch, heads, seq, dim) + " (or longer in dimension 2), got " +
              shape(tensor.batch(), tensor.heads(), tensor.seq(), tensor.dim()));
}

}  // namespace

void validate(const Problem& problem, const ColumnMask& mask, const AttentionInputs& inputs,
              const AttentionOptions& options, bool backward)
{
  if (options.block_mask != nullptr) {
    validate(problem, mask, *options.block_mask);
  } else {
    validate(problem, mask);
  }
  const Problem& p = problem;
  require_shape(inputs.q, "q", p.batch, p.num_heads, p.seqlen_q, p.head_dim);
  require_shape(inputs.k, "k", p.batch, p.num_heads_kv, p.seqlen_k, p.head_dim);
  require_shape(inputs.v, "v", p.batch, p.num_heads_kv, p.seqlen_k, p.head_dim_v);
  if (backward) require_shape(inputs.d_o, "d_o", p.batch, p.num_heads, p.seqlen_q, p.head_dim_v);
  if (!inputs.sink.empty() && std::ssize(inputs.sink) != p.num_heads) {
    throw Error("sink must have " + std::to_string(p.num_heads) + " elements, got " +
                std::to_string(inputs.sink.size()));
  }
}

void validate(const Problem& problem, const AttentionOutputs& outputs)
{
  require_shape(outputs.o, "o", problem.batch, problem.num_heads, problem.seqlen_q, problem.head_dim_v);
  require_shape(outputs.lse, "lse", problem.batch, problem.num_heads, problem.seqlen_q, 1);
}

}  // namespace flashgate::reference
