// Rows of a shared tile are 40 bytes apart, so ldmatrix gets row addresses that are no multiples of 16.
#include "tests/gpu/programs/tensor_core.cuh"

template <bool kGood>
__global__ void load(const __nv_bfloat16* in, unsigned* out)
{
  constexpr int kPitch = kGood ? 24 : 20;
  __shared__ alignas(16) __nv_bfloat16 tile[16 * kPitch];
  const int lane = threadIdx.x;
  for (int i = lane; i < 256; i += 32)
    tile[i / 16 * kPitch + i % 16] = in[i];
  __syncwarp();
  unsigned registers[4];
  load_matrices(registers, &tile[lane % 16 * kPitch + lane / 16 * 8]);  // FAULT: misaligned
  for (int i = 0; i < 4; ++i)
    out[lane * 4 + i] = registers[i];
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const std::vector<__nv_bfloat16> in = to_bf16(sample_bf16(256, 1));
  std::vector<unsigned> want(128);
  for (int i = 0; i < 128; ++i) {
    const int lane = i / 4;
    const int row = lane / 4 + i % 2 * 8;
    const int column = lane % 4 * 2 + i % 4 / 2 * 8;
    memcpy(&want[i], &in[row * 16 + column], sizeof(unsigned));
  }
  const DeviceArray<__nv_bfloat16> device_in(in);
  const DeviceArray<unsigned> device_out(128);
  (good ? load<true> : load<false>)<<<1, 32>>>(device_in, device_out);
  finish();
  return verify(device_out.download(), want);
}
