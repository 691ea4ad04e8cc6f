// Right: functions that are not inlined, one calling another, with results in memory and by value.
#include "tests/gpu/programs/program.cuh"

struct Interval
{
  int low;
  int high;
};

__device__ __noinline__ int clamp(int value, Interval range) { return min(max(value, range.low), range.high); }

__device__ __noinline__ Interval extent(const int* values, int count, Interval limit)
{
  Interval range{values[0], values[0]};
  for (int i = 1; i < count; ++i) {
    range.low = min(range.low, values[i]);
    range.high = max(range.high, values[i]);
  }
  return {clamp(range.low, limit), clamp(range.high, limit)};
}

__global__ void extents(const int* in, int* out)
{
  const int t = threadIdx.x;
  const Interval range = extent(in + t, 1 + t % 5, {200, 800});
  out[2 * t] = range.low;
  out[2 * t + 1] = range.high;
}

int main(int argc, char** argv)
{
  asks_for_good(argc, argv);
  const std::vector<int> in = sample(64 + 4, 1000);
  std::vector<int> want;
  for (int t = 0; t < 64; ++t) {
    int low = in[t];
    int high = in[t];
    for (int i = 1; i <= t % 5; ++i) {
      low = in[t + i] < low ? in[t + i] : low;
      high = in[t + i] > high ? in[t + i] : high;
    }
    want.push_back(low < 200 ? 200 : low > 800 ? 800 : low);
    want.push_back(high < 200 ? 200 : high > 800 ? 800 : high);
  }
  const DeviceArray<int> device_in(in);
  const DeviceArray<int> device_out(128);
  extents<<<1, 64>>>(device_in, device_out);
  finish();
  return verify(device_out.download(), want);
}
