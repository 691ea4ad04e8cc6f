// The launch gives a kernel half of the dynamic shared memory that it uses.
#include "tests/gpu/programs/program.cuh"

__global__ void reverse(const double* in, double* out)
{
  extern __shared__ double tile[];
  const int t = threadIdx.x;
  tile[t] = in[t];  // FAULT: out-of-bounds
  __syncthreads();
  out[t] = tile[blockDim.x - 1 - t];  // ALSO: out-of-bounds, uninit-shared
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const std::vector<int> whole = sample(96, 1000);
  const std::vector<double> in(whole.begin(), whole.end());
  const DeviceArray<double> device_in(in);
  const DeviceArray<double> device_out(96);
  reverse<<<1, 96, 96 * (good ? sizeof(double) : sizeof(float))>>>(device_in, device_out);
  finish();
  return verify(device_out.download(), {in.rbegin(), in.rend()});
}
