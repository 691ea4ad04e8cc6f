// Right: attention with relu in place of the exponential, so that every step is defined to the bit; compared with a
// plain C++ transcription, bit by bit. Built with -fmad=false: no sum is contracted.
#include <cstring>

#include "tests/gpu/programs/tensor_core.cuh"

constexpr int kRows = 16;
constexpr int kKeys = 64;
constexpr int kDim = 64;
constexpr float kScale = 0.3f;

/// O[16 x 64] = P V / row sums of P, P = relu(Q K^T) * kScale rounded to bf16. One warp; K comes transposed [dim x
/// key].
__global__ void relu_attention(const __nv_bfloat16* q, const __nv_bfloat16* k_t, const __nv_bfloat16* v, float* out)
{
  __shared__ __align__(16) __nv_bfloat16 tile_q[kRows * kDim], tile_k[kDim * kKeys], tile_v[kKeys * kDim];
  const int lane = threadIdx.x;
  for (int i = lane; i < kRows * kDim; i += 32)
    tile_q[i] = q[i];
  for (int i = lane; i < kKeys * kDim; i += 32) {
    tile_k[i] = k_t[i];
    tile_v[i] = v[i];
  }
  __syncwarp();
  float o[kDim / 8][4] = {};
  float sum[2] = {};
  for (int key0 = 0; key0 < kKeys; key0 += 16) {
    float s[2][4] = {};
    for (int d = 0; d < kDim; d += 16) {
      unsigned a[4], b[4];
      load_matrices(a, &tile_q[lane % 16 * kDim + d + lane / 16 * 8]);
      load_matrices_transposed(b, &tile_k[(d + lane % 16) * kKeys + key0 + lane / 16 * 8]);
      multiply_add(s[0], a, b[0], b[1]);
      multiply_add(s[1], a, b[2], b[3]);
    }
    for (int n = 0; n < 2; ++n)
      for (int i = 0; i < 4; ++i) {
        s[n][i] = fmaxf(s[n][i], 0.0f) * kScale;
        sum[i / 2] += s[n][i];
      }
    const unsigned p[4] = {pack(s[0][0], s[0][1]), pack(s[0][2], s[0][3]), pack(s[1][0], s[1][1]),
                           pack(s[1][2], s[1][3])};
    for (int d = 0; d < kDim; d += 16) {
      unsigned b[4];
      load_matrices_transposed(b, &tile_v[(key0 + lane % 16) * kDim + d + lane / 16 * 8]);
      multiply_add(o[d / 8], p, b[0], b[1]);
      multiply_add(o[d / 8 + 1], p, b[2], b[3]);
    }
  }
  for (float& x : sum) {
    x += __shfl_xor_sync(0xffffffffu, x, 1);
    x += __shfl_xor_sync(0xffffffffu, x, 2);
  }
  for (int d = 0; d < kDim / 8; ++d)
    for (int i = 0; i < 4; ++i)
      out[(lane / 4 + i / 2 * 8) * kDim + d * 8 + lane % 4 * 2 + i % 2] = __fdiv_rn(o[d][i], sum[i / 2]);
}

/// The same arithmetic in the same order: mma adds its sixteen products one by one, a lane sums its own two columns of
/// each eight, and lanes add up in pairs.
std::vector<float> transcribed(const std::vector<float>& q, const std::vector<float>& k_t, const std::vector<float>& v)
{
  std::vector<float> out(kRows * kDim);
  for (int row = 0; row < kRows; ++row) {
    float p[kKeys], sum[4] = {};
    for (int key = 0; key < kKeys; ++key) {
      float s = 0;
      for (int d = 0; d < kDim; ++d)
        s = std::fma(q[row * kDim + d], k_t[d * kKeys + key], s);
      p[key] = std::fmax(s, 0.0f) * kScale;
      sum[key % 8 / 2] += p[key];
    }
    const float total = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    for (int d = 0; d < kDim; ++d) {
      float o = 0;
      for (int key = 0; key < kKeys; ++key)
        o = std::fma(__bfloat162float(__float2bfloat16(p[key])), v[key * kDim + d], o);
      out[row * kDim + d] = o / total;
    }
  }
  return out;
}

int main(int argc, char** argv)
{
  asks_for_good(argc, argv);
  const std::vector<float> q = sample_bf16(kRows * kDim, 1);
  const std::vector<float> k_t = sample_bf16(kDim * kKeys, 2);
  const std::vector<float> v = sample_bf16(kKeys * kDim, 3);
  const DeviceArray<__nv_bfloat16> device_q(to_bf16(q)), device_k_t(to_bf16(k_t)), device_v(to_bf16(v));
  const DeviceArray<float> device_out(kRows * kDim);
  relu_attention<<<1, 32>>>(device_q, device_k_t, device_v, device_out);
  finish();
  const std::vector<float> got = device_out.download();
  const std::vector<float> want = transcribed(q, k_t, v);
  if (std::memcmp(got.data(), want.data(), got.size() * sizeof(float)) == 0) return verify(got, want);
  mismatch(got, want);
  return 1;
}
