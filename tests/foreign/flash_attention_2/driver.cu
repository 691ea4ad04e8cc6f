// Runs FlashAttention-2's own kernels, forward and backward, head dim 64 in bf16, and compares every output with plain
// attention in double. Usage: driver SEQLEN causal|full HEADS deterministic|atomic. Exits 1 where a value is out of
// bounds. Written for `flashgate emulate`; it would run on a GPU as well.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <cuda_bf16.h>
#include <cutlass/numeric_types.h>

#include "flash.h"

namespace {

constexpr int kHeadDim = 64;

struct Shape
{
  int seqlen;
  int heads;
  bool causal;
  std::size_t rows() const { return static_cast<std::size_t>(seqlen) * heads; }
  std::size_t elements() const { return rows() * kHeadDim; }
};

/// A tensor [seqlen, heads, head_dim] on both sides.
struct Tensor
{
  std::vector<float> host;
  __nv_bfloat16* device = nullptr;

  explicit Tensor(std::size_t elements) : host(elements) { cudaMalloc(&device, elements * sizeof(__nv_bfloat16)); }

  void upload()
  {
    std::vector<__nv_bfloat16> bits(host.size());
    for (std::size_t i = 0; i < host.size(); ++i) {
      bits[i] = __float2bfloat16(host[i]);
      host[i] = __bfloat162float(bits[i]);
    }
    cudaMemcpy(device, bits.data(), bits.size() * sizeof(bits[0]), cudaMemcpyHostToDevice);
  }

  void download()
  {
    std::vector<__nv_bfloat16> bits(host.size());
    cudaMemcpy(bits.data(), device, bits.size() * sizeof(bits[0]), cudaMemcpyDeviceToHost);
    for (std::size_t i = 0; i < host.size(); ++i)
      host[i] = __bfloat162float(bits[i]);
  }
};

Tensor random_tensor(std::size_t elements, unsigned seed)
{
  Tensor tensor(elements);
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal(0, 1);
  for (float& x : tensor.host)
    x = normal(generator);
  tensor.upload();
  return tensor;
}

struct Expected
{
  std::vector<double> o, dq, dk, dv, lse;
};

/// Attention and its gradients of one head, by the definition.
void attend(const Shape& s, int head, const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& d_o, Expected& e)
{
  const double scale = 1 / std::sqrt(double(kHeadDim));
  const auto at = [&](int row, int c) { return (std::size_t(row) * s.heads + head) * kHeadDim + c; };
  std::vector<double> p(s.seqlen), dp(s.seqlen);
  for (int i = 0; i < s.seqlen; ++i) {
    const int keys = s.causal ? i + 1 : s.seqlen;
    double top = -INFINITY, sum = 0, delta = 0;
    for (int j = 0; j < keys; ++j) {
      p[j] = dp[j] = 0;
      for (int c = 0; c < kHeadDim; ++c) {
        p[j] += scale * double(q.host[at(i, c)]) * k.host[at(j, c)];
        dp[j] += double(d_o.host[at(i, c)]) * v.host[at(j, c)];
      }
      top = std::max(top, p[j]);
    }
    for (int j = 0; j < keys; ++j)
      sum += p[j] = std::exp(p[j] - top);
    e.lse[std::size_t(head) * s.seqlen + i] = top + std::log(sum);
    for (int j = 0; j < keys; ++j)
      delta += (p[j] /= sum) * dp[j];
    for (int j = 0; j < keys; ++j) {
      const double ds = scale * p[j] * (dp[j] - delta);
      for (int c = 0; c < kHeadDim; ++c) {
        e.o[at(i, c)] += p[j] * v.host[at(j, c)];
        e.dv[at(j, c)] += p[j] * d_o.host[at(i, c)];
        e.dq[at(i, c)] += ds * k.host[at(j, c)];
        e.dk[at(j, c)] += ds * q.host[at(i, c)];
      }
    }
  }
}

/// Relative error in the 2-norm, which bf16 keeps near 2e-3; prints it.
bool close(const char* name, const std::vector<float>& seen, const std::vector<double>& expected, double limit)
{
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    difference += (seen[i] - expected[i]) * (seen[i] - expected[i]);
    norm += expected[i] * expected[i];
  }
  const double error = std::sqrt(difference / norm);
  const bool good = error <= limit;  // false for NaN
  std::printf("%-4s relative error %.2e %s\n", name, error, good ? "" : "TOO LARGE");
  return good;
}

template <typename T>
T* device_array(std::size_t count)
{
  T* pointer = nullptr;
  cudaMalloc(&pointer, count * sizeof(T));
  return pointer;
}

}  // namespace

int main(int argc, char** argv)
{
  if (argc != 5) return std::fprintf(stderr, "usage: driver SEQLEN causal|full HEADS deterministic|atomic\n"), 2;
  const Shape shape{std::atoi(argv[1]), std::atoi(argv[3]), std::string(argv[2]) == "causal"};
  const bool deterministic = std::string(argv[4]) == "deterministic";
  const std::size_t rounded = (shape.seqlen + 127) / 128 * 128;

  Tensor q = random_tensor(shape.elements(), 1), k = random_tensor(shape.elements(), 2);
  Tensor v = random_tensor(shape.elements(), 3), d_o = random_tensor(shape.elements(), 4);
  Tensor o(shape.elements()), dq(shape.elements()), dk(shape.elements()), dv(shape.elements());
  float* lse = device_array<float>(shape.heads * rounded);

  FLASH_NAMESPACE::Flash_bwd_params params = {};
  params.b = 1;
  params.h = params.h_k = shape.heads;
  params.h_h_k_ratio = 1;
  params.seqlen_q = params.seqlen_k = shape.seqlen;
  params.seqlen_q_rounded = params.seqlen_k_rounded = static_cast<int>(rounded);
  params.d = params.d_rounded = kHeadDim;
  params.total_q = shape.seqlen;
  params.scale_softmax = 1 / std::sqrt(float(kHeadDim));
  params.scale_softmax_log2 = params.scale_softmax * static_cast<float>(M_LOG2E);
  params.p_dropout = params.rp_dropout = 1;
  params.p_dropout_in_uint8_t = 255;
  params.scale_softmax_rp_dropout = params.scale_softmax;
  params.is_bf16 = true;
  params.is_causal = shape.causal;
  params.window_size_left = -1;
  params.window_size_right = shape.causal ? 0 : -1;
  params.is_seqlens_k_cumulative = true;
  params.softmax_lse_ptr = lse;
  params.q_ptr = q.device, params.k_ptr = k.device, params.v_ptr = v.device, params.o_ptr = o.device;
  params.do_ptr = d_o.device, params.dq_ptr = dq.device, params.dk_ptr = dk.device, params.dv_ptr = dv.device;
  const auto row = static_cast<long>(shape.heads) * kHeadDim;
  for (auto* stride : {&params.q_row_stride, &params.k_row_stride, &params.v_row_stride, &params.o_row_stride,
                       &params.do_row_stride, &params.dq_row_stride, &params.dk_row_stride, &params.dv_row_stride})
    *stride = row;
  for (auto* stride : {&params.q_head_stride, &params.k_head_stride, &params.v_head_stride, &params.o_head_stride,
                       &params.do_head_stride, &params.dq_head_stride, &params.dk_head_stride, &params.dv_head_stride})
    *stride = kHeadDim;
  for (auto* stride :
       {&params.q_batch_stride, &params.k_batch_stride, &params.v_batch_stride, &params.o_batch_stride,
        &params.do_batch_stride, &params.dq_batch_stride, &params.dk_batch_stride, &params.dv_batch_stride})
    *stride = row * shape.seqlen;

  // Backward accumulates dQ in fp32: one copy, or one per split where it is to be deterministic.
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  const int splits = deterministic ? (properties.multiProcessorCount + shape.heads - 1) / shape.heads : 1;
  const std::size_t accumulated = shape.heads * rounded * kHeadDim;
  params.dq_accum_ptr = device_array<float>(splits * accumulated);
  cudaMemset(params.dq_accum_ptr, 0, splits * accumulated * sizeof(float));
  params.dq_accum_split_stride = static_cast<long>(accumulated);
  params.dsoftmax_sum = device_array<float>(shape.heads * rounded);
  params.deterministic = deterministic;

  if (shape.causal) {
    FLASH_NAMESPACE::run_mha_fwd_<cutlass::bfloat16_t, kHeadDim, true>(params, nullptr);
    FLASH_NAMESPACE::run_mha_bwd_<cutlass::bfloat16_t, kHeadDim, true>(params, nullptr);
  } else {
    FLASH_NAMESPACE::run_mha_fwd_<cutlass::bfloat16_t, kHeadDim, false>(params, nullptr);
    FLASH_NAMESPACE::run_mha_bwd_<cutlass::bfloat16_t, kHeadDim, false>(params, nullptr);
  }
  if (cudaDeviceSynchronize() != cudaSuccess) return std::fprintf(stderr, "a kernel failed\n"), 1;

  Expected expected;
  for (auto* tensor : {&expected.o, &expected.dq, &expected.dk, &expected.dv})
    tensor->assign(shape.elements(), 0);
  expected.lse.assign(shape.rows(), 0);
  for (int head = 0; head < shape.heads; ++head)
    attend(shape, head, q, k, v, d_o, expected);
  for (Tensor* tensor : {&o, &dq, &dk, &dv})
    tensor->download();
  std::vector<float> lse_seen(shape.rows());
  cudaMemcpy(lse_seen.data(), lse, lse_seen.size() * sizeof(float), cudaMemcpyDeviceToHost);

  // bf16 keeps 8 bits: about 2e-3 in the 2-norm for values rounded once or twice.
  bool good = close("O", o.host, expected.o, 4e-3);
  good &= close("LSE", lse_seen, expected.lse, 1e-5);
  good &= close("dQ", dq.host, expected.dq, 5e-3);
  good &= close("dK", dk.host, expected.dk, 5e-3);
  good &= close("dV", dv.host, expected.dv, 5e-3);
  return good ? 0 : 1;
}
