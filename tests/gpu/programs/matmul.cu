// A tiled product of bf16 matrices on the tensor core; the faulty one reads a stage before its copies have arrived.
#include "tests/gpu/programs/async_copy.cuh"
#include "tests/gpu/programs/tensor_core.cuh"

constexpr int kTileM = 64;
constexpr int kTileN = 64;
constexpr int kTileK = 32;
constexpr int kPitchA = kTileK + 8;  // eight more, so that the rows of a matrix lie in different banks
constexpr int kPitchB = kTileN + 8;
constexpr int kThreads = 128;

struct Stage
{
  __nv_bfloat16 a[kTileM * kPitchA];
  __nv_bfloat16 b[kTileK * kPitchB];
};

/// Starts the copies of the tiles A(m0 ..., k0 ...) and B(k0 ..., n0 ...).
__device__ void load_stage(Stage& stage, const __nv_bfloat16* a, const __nv_bfloat16* b, int n, int k)
{
  for (int i = threadIdx.x; i < kTileM * kTileK / 8; i += kThreads) {
    const int row = i / (kTileK / 8);
    const int column = i % (kTileK / 8) * 8;
    copy_async_16(&stage.a[row * kPitchA + column], a + row * k + column);
  }
  for (int i = threadIdx.x; i < kTileK * kTileN / 8; i += kThreads) {
    const int row = i / (kTileN / 8);
    const int column = i % (kTileN / 8) * 8;
    copy_async_16(&stage.b[row * kPitchB + column], b + row * n + column);
  }
  commit_copies();
}

/// One warp's 32 x 32 part of the tile: acc += A(32 x kTileK) * B(kTileK x 32).
__device__ void multiply_stage(float (&acc)[2][4][4], const Stage& stage, int row0, int column0)
{
  const int lane = threadIdx.x % 32;
  for (int k = 0; k < kTileK; k += 16) {
    unsigned a[2][4];
    for (int m = 0; m < 2; ++m) {
      const int row = row0 + m * 16 + lane % 16;
      load_matrices(a[m], &stage.a[row * kPitchA + k + lane / 16 * 8]);  // FAULT: async-read ALSO: uninit-shared
    }
    for (int n = 0; n < 2; ++n) {
      unsigned b[4];
      const int column = column0 + n * 16 + lane / 16 * 8;
      const __nv_bfloat16* row = &stage.b[(k + lane % 16) * kPitchB + column];
      load_matrices_transposed(b, row);  // FAULT: async-read ALSO: uninit-shared
      for (int m = 0; m < 2; ++m) {
        multiply_add(acc[m][2 * n], a[m], b[0], b[1]);
        multiply_add(acc[m][2 * n + 1], a[m], b[2], b[3]);
      }
    }
  }
}

/// C(m x n) = A(m x k) * B(k x n), row-major; m, n and k are multiples of the tile.
template <bool kGood>
__global__ void __launch_bounds__(kThreads)
    matmul(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int n, int k)
{
  __shared__ alignas(16) Stage stages[2];
  a += blockIdx.y * kTileM * k;
  b += blockIdx.x * kTileN;
  c += blockIdx.y * kTileM * n + blockIdx.x * kTileN;
  const int warp = threadIdx.x / 32;
  const int row0 = warp / 2 * 32;
  const int column0 = warp % 2 * 32;
  float acc[2][4][4] = {};
  load_stage(stages[0], a, b, n, k);
  for (int k0 = 0; k0 < k; k0 += kTileK) {
    const int step = k0 / kTileK;
    if (k0 + kTileK < k) {
      load_stage(stages[(step + 1) % 2], a + k0 + kTileK, b + (k0 + kTileK) * n, n, k);
    } else if (kGood) {
      commit_copies();  // an empty group, so that the last step's copies are not the newest either
    }
    wait_for_copies<1>();
    __syncthreads();
    multiply_stage(acc, stages[step % 2], row0, column0);
    __syncthreads();
  }
  const int g = threadIdx.x % 32 / 4;
  const int t = threadIdx.x % 4;
  for (int m = 0; m < 2; ++m) {
    for (int j = 0; j < 4; ++j) {
      float* out = c + (row0 + m * 16 + g) * n + column0 + j * 8 + 2 * t;
      *reinterpret_cast<float2*>(out) = {acc[m][j][0], acc[m][j][1]};
      *reinterpret_cast<float2*>(out + 8 * n) = {acc[m][j][2], acc[m][j][3]};
    }
  }
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const int m = 128;
  const int n = 192;
  const int k = 96;
  const std::vector<float> a = sample_bf16(m * k, 1);
  const std::vector<float> b = sample_bf16(k * n, 2);
  std::vector<float> want(m * n, 0.0f);  // sums of multiples of 2^-14 below 2^7: exact in any order
  for (int i = 0; i < m; ++i) {
    for (int l = 0; l < k; ++l) {
      for (int j = 0; j < n; ++j)
        want[i * n + j] += a[i * k + l] * b[l * n + j];
    }
  }
  const DeviceArray<__nv_bfloat16> device_a(to_bf16(a));
  const DeviceArray<__nv_bfloat16> device_b(to_bf16(b));
  const DeviceArray<float> device_c(m * n);
  const dim3 grid(n / kTileN, m / kTileM);
  (good ? matmul<true> : matmul<false>)<<<grid, kThreads>>>(device_a, device_b, device_c, n, k);
  finish();
  return verify(device_c.download(), want);
}
