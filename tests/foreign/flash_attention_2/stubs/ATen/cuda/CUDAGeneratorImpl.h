// Stands in for PyTorch's header of this name: FlashAttention-2 keeps the state of a random generator in its
// parameters, which dropout alone reads. Dropout is compiled out here.
#pragma once

#include <cstdint>

namespace at {

struct PhiloxCudaState
{
  std::uint64_t seed = 0;
  std::uint64_t offset = 0;
};

}  // namespace at
