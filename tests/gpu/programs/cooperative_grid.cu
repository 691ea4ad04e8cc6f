// Right: a cooperative launch whose blocks meet at grid barriers.
#include <cooperative_groups.h>

#include "tests/gpu/programs/program.cuh"

namespace cg = cooperative_groups;

/// One step of heat flow per trip; both buffers hold n values.
__global__ void diffuse(int* front, int* back, int n, int steps)
{
  const cg::grid_group grid = cg::this_grid();
  const int i = static_cast<int>(grid.thread_rank());
  for (int step = 0; step < steps; ++step) {
    if (i < n) back[i] = (front[i > 0 ? i - 1 : i] + 2 * front[i] + front[i + 1 < n ? i + 1 : i]) / 4;
    grid.sync();
    int* swap = front;
    front = back;
    back = swap;
  }
}

int main(int argc, char** argv)
{
  asks_for_good(argc, argv);
  int n = 250;
  int steps = 4;
  const std::vector<int> in = sample(n, 100000);
  std::vector<int> want = in;
  for (int step = 0; step < steps; ++step) {
    const std::vector<int> old = want;
    for (int i = 0; i < n; ++i)
      want[i] = (old[i > 0 ? i - 1 : i] + 2 * old[i] + old[i + 1 < n ? i + 1 : i]) / 4;
  }
  const DeviceArray<int> first(in);
  const DeviceArray<int> second(n);
  int* front = first;
  int* back = second;
  void* arguments[] = {&front, &back, &n, &steps};
  CUDA_CHECK(cudaLaunchCooperativeKernel(diffuse, dim3(4), dim3(64), arguments, 0, nullptr));
  finish();
  return verify(first.download(), want);
}
