// A byte offset is computed in 32 bits and wraps for the last rows of a matrix that is only partly mapped here.
#include "tests/gpu/programs/program.cuh"

/// The matrix has rows of 16 MiB; only rows first_row ... first_row + 3 exist, and `window` points to the first of
/// them.
template <bool kGood>
__global__ void row_heads(const char* window, int first_row, int* out)
{
  constexpr unsigned kRowBytes = 1u << 24;
  const int row = first_row + threadIdx.x;
  const char* matrix = window - static_cast<long long>(first_row) * kRowBytes;
  const long long offset = kGood ? static_cast<long long>(row) * kRowBytes : static_cast<unsigned>(row) * kRowBytes;
  out[threadIdx.x] = *reinterpret_cast<const int*>(matrix + offset);  // FAULT: out-of-bounds
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const int first_row = 254;
  const size_t row_bytes = size_t{1} << 24;
  char* window = nullptr;
  CUDA_CHECK(cudaMalloc(&window, 4 * row_bytes));
  const std::vector<int> want = {11, 22, 33, 44};
  for (int i = 0; i < 4; ++i) {
    CUDA_CHECK(cudaMemcpy(window + i * row_bytes, &want[i], sizeof(int), cudaMemcpyHostToDevice));
  }
  const DeviceArray<int> device_out(4);
  (good ? row_heads<true> : row_heads<false>)<<<1, 4>>>(window, first_row, device_out);
  finish();
  CUDA_CHECK(cudaFree(window));
  return verify(device_out.download(), want);
}
