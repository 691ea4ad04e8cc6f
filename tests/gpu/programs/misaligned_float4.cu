// Rows of 30 floats are read four at a time, so every second row starts in the middle of a float4.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void row_sums(const float* in, float* out, int stride)
{
  const float* row = in + threadIdx.x * stride;
  float sum = 0;
  if constexpr (kGood) {
    for (int i = 0; i < 28; ++i)
      sum += row[i];
  } else {
    for (int i = 0; i < 7; ++i) {
      const float4 four = reinterpret_cast<const float4*>(row)[i];  // FAULT: misaligned
      sum += four.x + four.y + four.z + four.w;
    }
  }
  out[threadIdx.x] = sum;
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const int stride = 30;
  const std::vector<int> whole = sample(32 * stride, 100);
  const std::vector<float> in(whole.begin(), whole.end());
  std::vector<float> want(32, 0.0f);
  for (int i = 0; i < 32 * 28; ++i)
    want[i / 28] += in[i / 28 * stride + i % 28];
  const DeviceArray<float> device_in(in);
  const DeviceArray<float> device_out(32);
  (good ? row_sums<true> : row_sums<false>)<<<1, 32>>>(device_in, device_out, stride);
  finish();
  return verify(device_out.download(), want);
}
