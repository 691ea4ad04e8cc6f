// A per-thread histogram is indexed with a value that it has no bin for.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void favourite(const int* in, int* out, int n)
{
  int bins[8] = {};
  for (int i = 0; i < n; ++i) {
    const int value = in[threadIdx.x * n + i];
    ++bins[kGood ? value % 8 : value];  // FAULT: out-of-bounds ALSO: uninit-local
  }
  int best = 0;
  for (int bin = 1; bin < 8; ++bin) {
    if (bins[bin] > bins[best]) best = bin;
  }
  out[threadIdx.x] = best;
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const int n = 40;
  const std::vector<int> in = sample(32 * n, 64);
  std::vector<int> want(32, 0);
  for (int t = 0; t < 32; ++t) {
    int bins[8] = {};
    for (int i = 0; i < n; ++i)
      ++bins[in[t * n + i] % 8];
    for (int bin = 1; bin < 8; ++bin) {
      if (bins[bin] > bins[want[t]]) want[t] = bin;
    }
  }
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_out(32);
  (good ? favourite<true> : favourite<false>)<<<1, 32>>>(device_in, device_out, n);
  finish();
  return verify(device_out.download(), want);
}
