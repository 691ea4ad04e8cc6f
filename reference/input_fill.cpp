#include "reference/input_fill.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "reference/half.h"
#include "reference/mask_expand.h"

namespace flashgate::reference {
namespace {

constexpr std::array kFills = {
    FillRow{Fill::uniform, "uniform", "no structure that could hide a fault; scores spread by about one"},
    FillRow{Fill::exact_integers, "exact_integers",
            "Q.K and dO.V are exact in every order, so tiling cannot excuse a bit"},
    FillRow{Fill::zero_scores, "zero_scores", "all visible keys weigh the same: O is a mean, LSE the log of a count"},
    FillRow{Fill::large_range, "large_range", "the maximum moves from tile to tile, so a lost rescale shows"},
    FillRow{Fill::one_hot_key, "one_hot_key",
            "one visible key carries most of a row: a lost or leaked key shows at once"},
    FillRow{Fill::sign_alternating, "sign_alternating",
            "O cancels to almost nothing, which an error relative to O forgives"},
    FillRow{Fill::masked_nan, "masked_nan", "NaN and infinity in K and V of keys that no row sees must reach nothing"},
    FillRow{Fill::padding_poison, "padding_poison", "NaN behind the lengths must reach nothing"},
};

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Raw generator output only: standard distributions differ between libraries.
class Source
{
 public:
  Source(Dtype dtype, std::uint64_t seed) : dtype_(dtype), generator_(seed) {}

  /// Uniform in [-limit, limit), rounded to the dtype.
  double uniform(double limit)
  {
    const double unit = static_cast<double>(generator_() >> 11) * 0x1p-53;
    return round_to(dtype_, limit * (2.0 * unit - 1.0));
  }
  /// Uniform in {-limit, ..., limit}; exact in either dtype up to 256.
  double integer(int limit) { return index(2 * limit + 1) - limit; }
  int index(int count) { return static_cast<int>(generator_() % static_cast<std::uint64_t>(count)); }

 private:
  Dtype dtype_;
  std::mt19937_64 generator_;
};

/// Zero tensors of the problem's shapes, `padding` rows longer than the lengths.
AttentionInputs make_inputs(const Problem& p, int padding)
{
  return {Tensor<double>(p.batch, p.num_heads, p.seqlen_q + padding, p.head_dim),
          Tensor<double>(p.batch, p.num_heads_kv, p.seqlen_k + padding, p.head_dim),
          Tensor<double>(p.batch, p.num_heads_kv, p.seqlen_k + padding, p.head_dim_v),
          Tensor<double>(p.batch, p.num_heads, p.seqlen_q + padding, p.head_dim_v)};
}

void fill_tensor(Tensor<double>& tensor, const auto& next) { std::generate(tensor.begin(), tensor.end(), next); }

/// Limit of Q and K for which softmax_scale Q.K has the given standard deviation, entries being uniform:
/// var(q k) = (limit^2 / 3)^2, and head_dim such products add up.
double limit_for_spread(const Problem& problem, double spread)
{
  const double scale = std::max(std::fabs(problem.softmax_scale), 0x1p-20);
  return std::sqrt(3.0 * spread / (scale * std::sqrt(static_cast<double>(problem.head_dim))));
}

/// V and dO in [-1, 1); Q and K as wide as gives scores the standard deviation `spread`.
void fill_uniform(const Problem& problem, double spread, Source& source, AttentionInputs& inputs)
{
  const double limit = limit_for_spread(problem, spread);
  fill_tensor(inputs.q, [&] { return source.uniform(limit); });
  fill_tensor(inputs.k, [&] { return source.uniform(limit); });
  fill_tensor(inputs.v, [&] { return source.uniform(1.0); });
  fill_tensor(inputs.d_o, [&] { return source.uniform(1.0); });
}

/// |q k| <= 4 and |dO v| <= 16: sums over any head_dim stay far below 2^24, so fp32 holds them exactly.
void fill_integers(Source& source, AttentionInputs& inputs)
{
  fill_tensor(inputs.q, [&] { return source.integer(2); });
  fill_tensor(inputs.k, [&] { return source.integer(2); });
  fill_tensor(inputs.v, [&] { return source.integer(4); });
  fill_tensor(inputs.d_o, [&] { return source.integer(4); });
}

/// K = 0, so scores are; V and dO are integers.
void fill_zero_scores(Source& source, AttentionInputs& inputs)
{
  fill_integers(source, inputs);
  std::fill(inputs.k.begin(), inputs.k.end(), 0.0);
}

/// Keys grow along the sequence, so later tiles hold larger scores.
void fill_large_range(const Problem& problem, Source& source, AttentionInputs& inputs)
{
  fill_uniform(problem, 2.0, source, inputs);
  for (int b = 0; b < inputs.k.batch(); ++b) {
    for (int h = 0; h < inputs.k.heads(); ++h) {
      for (int j = 0; j < inputs.k.seq(); ++j) {
        const double growth = 1.0 + 8.0 * (j + 1) / inputs.k.seq();
        for (int d = 0; d < inputs.k.dim(); ++d)
          inputs.k(b, h, j, d) = round_to(problem.dtype, growth * inputs.k(b, h, j, d));
      }
    }
  }
}

/// Ascending.
std::vector<int> visible_columns(const Problem& problem, const MaskPair& mask, int b, int h, int i)
{
  std::vector<int> visible;
  for (int j = 0; j < problem.seqlen_k; ++j) {
    if (!masked(problem, mask, b, h, i, j)) visible.push_back(j);
  }
  return visible;
}

/// Turns row i of Q to key j, as long as makes their score 4 above log(seqlen_k): that key then weighs a good 0.9.
void aim(const Problem& problem, AttentionInputs& inputs, int b, int h, int i, int j)
{
  const auto key = inputs.k.head(b, kv_head(problem, h)).row(j);
  const double score = 4.0 + std::log(static_cast<double>(problem.seqlen_k));
  const double length = problem.softmax_scale * key.squaredNorm();
  if (length == 0) return;
  for (int d = 0; d < problem.head_dim; ++d)
    inputs.q(b, h, i, d) = round_to(problem.dtype, score / length * key[d]);
}

/// Uniform, then every row of Q that sees a key is aimed at one of them.
void fill_one_hot(const Problem& problem, const ColumnMask& mask, Source& source, AttentionInputs& inputs)
{
  fill_uniform(problem, 1.0, source, inputs);
  for (int b = 0; b < problem.batch; ++b) {
    for (int h = 0; h < problem.num_heads; ++h) {
      for (int i = 0; i < problem.seqlen_q; ++i) {
        const std::vector<int> visible = visible_columns(problem, {mask}, b, h, i);
        if (visible.empty()) continue;
        aim(problem, inputs, b, h, i,
            visible[static_cast<std::size_t>(source.index(static_cast<int>(visible.size())))]);
      }
    }
  }
}

/// V flips its sign from key to key around 1, while scores stay close together.
void fill_alternating(const Problem& problem, Source& source, AttentionInputs& inputs)
{
  fill_uniform(problem, 0.25, source, inputs);
  for (int b = 0; b < inputs.v.batch(); ++b) {
    for (int h = 0; h < inputs.v.heads(); ++h) {
      for (int j = 0; j < inputs.v.seq(); ++j) {
        const double sign = j % 2 == 0 ? 1.0 : -1.0;
        for (int d = 0; d < inputs.v.dim(); ++d) {
          inputs.v(b, h, j, d) = round_to(problem.dtype, sign * (1.0 + 0.125 * inputs.v(b, h, j, d)));
        }
      }
    }
  }
}

/// True if no row of any query head of the group sees key j.
bool hidden(const Problem& problem, const MaskPair& mask, int b, int head_kv, int j)
{
  const int group = group_size(problem);
  for (int h = head_kv * group; h < (head_kv + 1) * group; ++h) {
    for (int i = 0; i < problem.seqlen_q; ++i) {
      if (!masked(problem, mask, b, h, i, j)) return false;
    }
  }
  return true;
}

/// K and V of every hidden key: NaN on even ones, infinity on odd ones, as some faults only pass one of them on.
void poison_hidden_keys(const Problem& problem, const ColumnMask& mask, AttentionInputs& inputs)
{
  for (int b = 0; b < problem.batch; ++b) {
    for (int h = 0; h < problem.num_heads_kv; ++h) {
      for (int j = 0; j < problem.seqlen_k; ++j) {
        if (!hidden(problem, {mask}, b, h, j)) continue;
        const double poison = j % 2 == 0 ? kNan : kInfinity;
        inputs.k.head(b, h).row(j).setConstant(poison);
        inputs.v.head(b, h).row(j).setConstant(poison);
      }
    }
  }
}

/// NaN in all rows behind `length`.
void poison_padding(Tensor<double>& tensor, int length)
{
  for (int b = 0; b < tensor.batch(); ++b) {
    for (int h = 0; h < tensor.heads(); ++h)
      tensor.head(b, h).bottomRows(tensor.seq() - length).setConstant(kNan);
  }
}

}  // namespace

std::span<const FillRow> fills() { return kFills; }

const FillRow& fill_row(Fill fill) { return kFills[static_cast<std::size_t>(fill)]; }

const FillRow* find_fill(std::string_view name)
{
  const auto found = std::ranges::find(kFills, name, &FillRow::name);
  return found == kFills.end() ? nullptr : &*found;
}

AttentionInputs fill_inputs(Fill fill, const Problem& problem, const ColumnMask& mask, std::uint64_t seed)
{
  Source source(problem.dtype, seed);
  AttentionInputs inputs = make_inputs(problem, fill == Fill::padding_poison ? kPaddingRows : 0);
  switch (fill) {
    case Fill::uniform:
      fill_uniform(problem, 1.0, source, inputs);
      break;
    case Fill::exact_integers:
      fill_integers(source, inputs);
      break;
    case Fill::zero_scores:
      fill_zero_scores(source, inputs);
      break;
    case Fill::large_range:
      fill_large_range(problem, source, inputs);
      break;
    case Fill::one_hot_key:
      fill_one_hot(problem, mask, source, inputs);
      break;
    case Fill::sign_alternating:
      fill_alternating(problem, source, inputs);
      break;
    case Fill::masked_nan:
      fill_uniform(problem, 1.0, source, inputs);
      poison_hidden_keys(problem, mask, inputs);
      break;
    case Fill::padding_poison:
      fill_uniform(problem, 1.0, source, inputs);
      for (Tensor<double>* tensor : {&inputs.q, &inputs.d_o})
        poison_padding(*tensor, problem.seqlen_q);
      for (Tensor<double>* tensor : {&inputs.k, &inputs.v})
        poison_padding(*tensor, problem.seqlen_k);
      break;
  }
  return inputs;
}

std::vector<double> fill_sink(const Problem& problem, std::uint64_t seed)
{
  Source source(Dtype::bf16, seed);
  std::vector<double> sink(static_cast<std::size_t>(problem.num_heads));
  std::generate(sink.begin(), sink.end(), [&] { return source.uniform(2.0); });
  return sink;
}

}  // namespace flashgate::reference
