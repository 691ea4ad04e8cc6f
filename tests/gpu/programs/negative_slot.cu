// A hash is made signed before the remainder is taken, so half of the slots are negative.
#include "tests/gpu/programs/program.cuh"

template <bool kGood>
__global__ void fill_slots(int* table, int size)
{
  const unsigned hash = threadIdx.x * 2654435761u;
  const int slot = kGood ? static_cast<int>(hash % static_cast<unsigned>(size)) : static_cast<int>(hash) % size;
  atomicAdd(&table[slot], 1);  // FAULT: out-of-bounds
}

int main(int argc, char** argv)
{
  const bool good = asks_for_good(argc, argv);
  const int size = 37;
  std::vector<int> want(size, 0);
  for (unsigned i = 0; i < 128; ++i)
    ++want[i * 2654435761u % size];
  const DeviceArray<int> table(std::vector<int>(size, 0));
  (good ? fill_slots<true> : fill_slots<false>)<<<1, 128>>>(table, size);
  finish();
  return verify(table.download(), want);
}
