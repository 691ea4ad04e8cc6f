#include "matrix/execution_oracle.h"

#include <bit>
#include <utility>

#include "reference/attention_plain.h"
#include "reference/error_bound.h"

namespace flashgate::matrix {
namespace {

using reference::Problem;
using reference::Tensor;

/// How a version's partial sums of dK and dV are rounded before they are added up.
reference::BoundOptions bound_options_of(const NumericsCase& numerics, const Problem& problem)
{
  const int cp_size = number_of(numerics, NumericsAxisId::cp_size);
  const bool rounds_heads = number_of(numerics, NumericsAxisId::kernel) == 2 && reference::group_size(problem) > 1;
  reference::BoundOptions options;
  options.partial_roundings = (rounds_heads ? 1 : 0) + (cp_size > 1 ? 1 : 0);
  options.partial_sums = cp_size;
  return options;
}

/// Query rows of a group's heads that see each key, and whether they see another one.
class KeyUse
{
 public:
  KeyUse(const Problem& problem, const reference::ColumnMask& mask) : problem_(problem), mask_(mask) {}

  ForcedShares shares()
  {
    ForcedShares total;
    for (int b = 0; b < problem_.batch; ++b)
      for (int head_kv = 0; head_kv < problem_.num_heads_kv; ++head_kv)
        count_group(b, head_kv, total);
    const double rows = static_cast<double>(problem_.batch) * problem_.num_heads * problem_.seqlen_q;
    const double keys = static_cast<double>(problem_.batch) * problem_.num_heads_kv * problem_.seqlen_k;
    return {total.masked_rows / rows, total.lonely_rows / rows, total.hidden_keys / keys, total.lonely_keys / keys};
  }

 private:
  void count_group(int b, int head_kv, ForcedShares& total)
  {
    seen_.assign(static_cast<std::size_t>(problem_.seqlen_k), false);
    seen_with_others_ = seen_;
    const int group = reference::group_size(problem_);
    for (int h = head_kv * group; h < (head_kv + 1) * group; ++h)
      for (int m_block = 0; m_block < reference::tile_count(problem_.seqlen_q); ++m_block)
        count_tiles(b, h, m_block, total);
    for (std::size_t j = 0; j < seen_.size(); ++j) {
      total.hidden_keys += seen_[j] ? 0 : 1;
      total.lonely_keys += seen_with_others_[j] ? 0 : 1;
    }
  }

  /// One row of tiles: first how many keys each query row sees, then which keys are seen by rows that see several.
  void count_tiles(int b, int h, int m_block, ForcedShares& total)
  {
    tiles_.clear();
    std::uint64_t once = 0;
    std::uint64_t twice = 0;
    for (int n_block = 0; n_block < reference::tile_count(problem_.seqlen_k); ++n_block) {
      tiles_.push_back(reference::expand_tile(problem_, {mask_}, b, h, m_block, n_block));
      for (const std::uint64_t word : tiles_.back().column_words) {
        twice |= once & word;
        once |= word;
      }
    }
    total.masked_rows += tiles_.front().rows - std::popcount(once);
    total.lonely_rows += tiles_.front().rows - std::popcount(twice);
    for (std::size_t n = 0; n < tiles_.size(); ++n)
      for (int c = 0; c < tiles_[n].columns; ++c) {
        const std::uint64_t word = tiles_[n].column_words[static_cast<std::size_t>(c)];
        const std::size_t j = n * reference::kTile + static_cast<std::size_t>(c);
        seen_[j] = seen_[j] || word != 0;
        seen_with_others_[j] = seen_with_others_[j] || (word & twice) != 0;
      }
  }

  const Problem& problem_;
  const reference::ColumnMask& mask_;
  std::vector<bool> seen_;
  std::vector<bool> seen_with_others_;
  std::vector<reference::TileVisibility> tiles_;
};

void add_forward(const reference::AttentionOutputs& outputs, reference::ForwardBound bound, Tensor<double> plain,
                 const ForcedShares& forced, ExecutionOracle& oracle)
{
  const auto& rows = judged_tensors(oracle.numerics);
  const reference::Format format = reference::format_of(oracle.problem.dtype);
  oracle.tensors.push_back({rows[0], format, outputs.o, std::move(bound.o), std::move(plain), forced.masked_rows});
  oracle.tensors.push_back({rows[1], reference::Format::fp32, outputs.lse, std::move(bound.lse), {}, 0});
}

void add_backward(reference::AttentionGradients gradients, reference::BackwardBound bound,
                  reference::AttentionGradients plain, const ForcedShares& forced, ExecutionOracle& oracle)
{
  const auto& rows = judged_tensors(oracle.numerics);
  const reference::Format format = reference::format_of(oracle.problem.dtype);
  const auto add = [&](const JudgedTensor& row, Tensor<double>& value, Tensor<double>& of_bound,
                       Tensor<double>& of_plain, double share) {
    oracle.tensors.push_back({row, format, std::move(value), std::move(of_bound), std::move(of_plain), share});
  };
  add(rows[0], gradients.dq, bound.dq, plain.dq, forced.lonely_rows);
  add(rows[1], gradients.dk, bound.dk, plain.dk, forced.lonely_keys);
  add(rows[2], gradients.dv, bound.dv, plain.dv, forced.hidden_keys);
}

}  // namespace

const std::vector<JudgedTensor>& judged_tensors(const NumericsCase& numerics)
{
  using Outputs = KernelOutputs;
  static const std::vector<JudgedTensor> forward{
      {"O", "o", false, [](const Outputs& k) -> const Tensor<double>& { return k.forward.o; }},
      {"LSE", "lse", false, [](const Outputs& k) -> const Tensor<double>& { return k.forward.lse; }}};
  static const std::vector<JudgedTensor> backward{
      {"dQ", "dq", false, [](const Outputs& k) -> const Tensor<double>& { return k.backward.dq; }},
      {"dK", "dk", true, [](const Outputs& k) -> const Tensor<double>& { return k.backward.dk; }},
      {"dV", "dv", true, [](const Outputs& k) -> const Tensor<double>& { return k.backward.dv; }}};
  return is_backward(numerics) ? backward : forward;
}

ForcedShares forced_shares(const Problem& problem, const reference::ColumnMask& mask)
{
  return KeyUse(problem, mask).shares();
}

ExecutionOracle make_oracle(const NumericsCase& numerics)
{
  ExecutionOracle oracle;
  oracle.numerics = numerics;
  oracle.problem = to_problem(numerics);
  oracle.mask = make_mask(numerics, oracle.problem);
  oracle.inputs = make_inputs(numerics, oracle.problem, oracle.mask);
  oracle.area = reference::visible_area(oracle.problem, {oracle.mask});
  oracle.bound_options = bound_options_of(numerics, oracle.problem);
  const ForcedShares forced = forced_shares(oracle.problem, oracle.mask);

  const auto outputs = attention_forward(oracle.problem, oracle.mask, oracle.inputs);
  auto bound = forward_error_bound(oracle.problem, oracle.mask, oracle.inputs, outputs, oracle.bound_options);
  auto plain = attention_plain(oracle.problem, oracle.mask, oracle.inputs, {}, is_backward(numerics));
  if (!is_backward(numerics)) {
    add_forward(outputs, std::move(bound), std::move(plain.o), forced, oracle);
    return oracle;
  }
  auto gradients = attention_backward(oracle.problem, oracle.mask, oracle.inputs, outputs);
  auto gradient_bound =
      backward_error_bound(oracle.problem, oracle.mask, oracle.inputs, outputs, gradients, bound, oracle.bound_options);
  add_backward(std::move(gradients), std::move(gradient_bound), std::move(plain.gradients), forced, oracle);
  return oracle;
}

KernelOutputs poisoned_outputs(const NumericsCase& numerics, const Problem& p)
{
  KernelOutputs outputs;
  outputs.forward = {Tensor<double>(p.batch, p.num_heads, p.seqlen_q, p.head_dim_v, kUnwritten),
                     Tensor<double>(p.batch, p.num_heads, p.seqlen_q, 1, kUnwritten)};
  if (!is_backward(numerics)) return outputs;
  outputs.backward = {Tensor<double>(p.batch, p.num_heads, p.seqlen_q, p.head_dim, kUnwritten),
                      Tensor<double>(p.batch, p.num_heads_kv, p.seqlen_k, p.head_dim, kUnwritten),
                      Tensor<double>(p.batch, p.num_heads_kv, p.seqlen_k, p.head_dim_v, kUnwritten),
                      {}};
  return outputs;
}

}  // namespace flashgate::matrix
