// The consumers of a slot tell the producer that it is empty before they have read it.
#include "tests/gpu/programs/program.cuh"

constexpr int kFull = 1;
constexpr int kEmpty = 2;

__device__ void wait(int barrier) { asm volatile("bar.sync %0, 96;" ::"r"(barrier) : "memory"); }
__device__ void arrive(int barrier) { asm volatile("bar.arrive %0, 96;" ::"r"(barrier) : "memory"); }

template <bool kGood>
__global__ void sum_rows(const int* in, int* out, int rows)
{
  __shared__ int slot[32];
  const int t = threadIdx.x;
  const bool producer = t < 32;
  int sum = 0;
  for (int row = 0; row < rows; ++row) {
    if (producer) {
      if (row > 0) wait(kEmpty);
      slot[t] = in[row * 32 + t];  // FAULT: race-shared
      arrive(kFull);
    } else {
      const bool refilled = row + 1 < rows;
      wait(kFull);
      if (!kGood && refilled) arrive(kEmpty);
      sum += slot[(t + 1) % 32];  // FAULT: race-shared
      if (kGood && refilled) arrive(kEmpty);
    }
  }
  if (!producer) out[t - 32] = sum;
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const int rows = 5;
  const std::vector<int> in = sample(rows * 32, 1000);
  std::vector<int> want(64, 0);
  for (int i = 0; i < 64; ++i) {
    for (int row = 0; row < rows; ++row)
      want[i] += in[row * 32 + (i + 1) % 32];
  }
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_out(64);
  (good ? sum_rows<true> : sum_rows<false>)<<<1, 96>>>(device_in, device_out, rows);
  finish();
  return verify(device_out.download(), want);
}
