// A three-point stencil that reads its neighbours' elements of the tile before they are known to be there.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void smooth(const float* in, float* out, int n)
{
  __shared__ float tile[128 + 2];
  const int t = threadIdx.x + 1;
  const int i = blockIdx.x * 128 + threadIdx.x;
  tile[t] = in[i];                                         // FAULT: race-shared
  if (t == 1) tile[0] = i > 0 ? in[i - 1] : 0.0f;          // FAULT: race-shared
  if (t == 128) tile[129] = i + 1 < n ? in[i + 1] : 0.0f;  // FAULT: race-shared
  if constexpr (kGood) __syncthreads();
  out[i] = 0.25f * tile[t - 1] + 0.5f * tile[t] + 0.25f * tile[t + 1];  // FAULT: race-shared ALSO: uninit-shared
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const int n = 512;
  const std::vector<int> whole = sample(n, 64);
  const std::vector<float> in(whole.begin(), whole.end());
  std::vector<float> want(n);
  for (int i = 0; i < n; ++i) {
    want[i] = 0.25f * (i > 0 ? in[i - 1] : 0.0f) + 0.5f * in[i] + 0.25f * (i + 1 < n ? in[i + 1] : 0.0f);
  }
  const DeviceArray<float> device_in(in);
  const DeviceArray<float> device_out(n);
  (good ? smooth<true> : smooth<false>)<<<n / 128, 128>>>(device_in, device_out, n);
  finish();
  return verify(device_out.download(), want);
}
