// Right: every integer atomic, on global and shared memory, 32 and 64 bits wide.
#include "tests/gpu/programs/program.cuh"

constexpr int kResults = 12;

__device__ void apply_all(unsigned* cells, unsigned value)
{
  atomicAdd(&cells[0], value);
  atomicSub(&cells[1], value);
  atomicMin(&cells[2], value);
  atomicMax(&cells[3], value);
  atomicAnd(&cells[4], value | 0xff00u);
  atomicOr(&cells[5], value);
  atomicXor(&cells[6], value);
  atomicInc(&cells[7], 9);
  atomicDec(&cells[8], 9);
  atomicMin(reinterpret_cast<int*>(&cells[9]), static_cast<int>(value) - 500);
  atomicExch(&cells[10], 77u);
  unsigned seen = 0;
  unsigned expected;
  do {  // a product modulo a prime, less one
    expected = seen;
    seen = atomicCAS(&cells[11], expected, (expected + 1) * (value + 1) % 65521u - 1);
  } while (seen != expected);
}

__global__ void apply(const int* in, unsigned* cells, unsigned long long* wide)
{
  __shared__ unsigned local[kResults];
  const int t = threadIdx.x;
  if (t < kResults) local[t] = t == 2 || t == 4 ? 0xffffffffu : 0u;
  __syncthreads();
  const unsigned value = in[t];
  apply_all(local, value);
  apply_all(cells, value);
  atomicAdd(&wide[0], value * 10000000000ull);
  atomicMax(&wide[1], value * 10000000000ull);
  atomicXor(&wide[2], value * 10000000000ull);
  __syncthreads();
  if (t < kResults) cells[kResults + t] = local[t];
}

void apply_on_cpu(unsigned* cells, unsigned value)
{
  cells[0] += value;
  cells[1] -= value;
  cells[2] = value < cells[2] ? value : cells[2];
  cells[3] = value > cells[3] ? value : cells[3];
  cells[4] &= value | 0xff00u;
  cells[5] |= value;
  cells[6] ^= value;
  cells[7] = cells[7] >= 9 ? 0 : cells[7] + 1;
  cells[8] = cells[8] == 0 || cells[8] > 9 ? 9 : cells[8] - 1;
  const int shifted = static_cast<int>(value) - 500;
  cells[9] = shifted < static_cast<int>(cells[9]) ? static_cast<unsigned>(shifted) : cells[9];
  cells[10] = 77;
  cells[11] = (cells[11] + 1) * (value + 1) % 65521u - 1;
}

int main(int argc, char** argv)
{
  asks_for_good(argc, argv);
  const std::vector<int> in = sample(128, 1000);
  std::vector<unsigned> cells(2 * kResults, 0);
  cells[2] = cells[4] = 0xffffffffu;
  std::vector<unsigned> want(cells.begin(), cells.begin() + kResults);
  std::vector<unsigned long long> want_wide(3, 0);
  for (unsigned value : in) {
    apply_on_cpu(want.data(), value);
    want_wide[0] += value * 10000000000ull;
    want_wide[1] = value * 10000000000ull > want_wide[1] ? value * 10000000000ull : want_wide[1];
    want_wide[2] ^= value * 10000000000ull;
  }
  want.insert(want.end(), want.begin(), want.begin() + kResults);
  for (unsigned long long value : want_wide) {
    want.push_back(static_cast<unsigned>(value));
    want.push_back(static_cast<unsigned>(value >> 32));
  }
  const DeviceArray<int> device_in(in);
  const DeviceArray<unsigned> device_cells(cells);
  const DeviceArray<unsigned long long> wide(std::vector<unsigned long long>(3, 0));
  apply<<<1, 128>>>(device_in, device_cells, wide);
  finish();
  std::vector<unsigned> got = device_cells.download();
  for (unsigned long long value : wide.download()) {
    got.push_back(static_cast<unsigned>(value));
    got.push_back(static_cast<unsigned>(value >> 32));
  }
  return verify(got, want);
}
