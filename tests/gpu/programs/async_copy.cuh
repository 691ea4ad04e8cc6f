#pragma once

// Asynchronous copies from global to shared memory, as sm_80 has them.

/// Starts a copy of 16 bytes; both addresses are multiples of 16.
__device__ __forceinline__ void copy_async_16(void* shared, const void* global)
{
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(global) : "memory");
}

/// The same if `inside`; if not, nothing is read and the 16 bytes become zeros.
__device__ __forceinline__ void copy_async_16_or_zero(void* shared, const void* global, bool inside)
{
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  const int bytes = inside ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(global), "r"(bytes) : "memory");
}

/// Makes the copies started since the last call a group.
__device__ __forceinline__ void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }

/// Waits until at most the newest kPending groups of this thread are under way.
template <int kPending>
__device__ __forceinline__ void wait_for_copies()
{
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}
