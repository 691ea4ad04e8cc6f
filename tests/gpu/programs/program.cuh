#pragma once

#include <cmath>
#include <vector>

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What the programs of this folder share: how they are called, how they own device memory, how they judge a result.
// A program is called as `NAME good` or `NAME bad`. It exits with 0, 1 (its result is wrong) or 2 (a CUDA call failed,
// or it was called wrongly), and prints "ok" exactly if it exits with 0.

/// Ends the program with exit code 2 and one line if the CUDA call fails.
#define CUDA_CHECK(call) cuda_check((call), #call, __FILE__, __LINE__)

inline void cuda_check(cudaError_t error, const char* call, const char* file, int line)
{
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, cudaGetErrorString(error));
  exit(2);
}

/// Waits for the kernels launched so far; a failed launch or a failed kernel ends the program.
inline void finish()
{
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
}

/// Which twin the command line asks for: true for `good`, false for `bad`.
inline bool asks_for_good(int argc, char** argv)
{
  if (argc == 2 && strcmp(argv[1], "good") == 0) return true;
  if (argc == 2 && strcmp(argv[1], "bad") == 0) return false;
  fprintf(stderr, "usage: %s good|bad\n", argv[0]);
  exit(2);
}

/// Device memory of a fixed number of elements.
template <typename T>
class DeviceArray
{
 public:
  /// Never written: reading an element before the program writes it is a fault of the program.
  explicit DeviceArray(size_t size) : size_(size) { CUDA_CHECK(cudaMalloc(&data_, size * sizeof(T))); }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) { upload(values); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(data_); }

  operator T*() const { return data_; }

  void upload(const std::vector<T>& values) const
  {
    CUDA_CHECK(cudaMemcpy(data_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  }

  std::vector<T> download() const
  {
    std::vector<T> values(size_);
    CUDA_CHECK(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  T* data_ = nullptr;
  size_t size_;
};

/// True, with a line that names the first one, if an element is more than `tolerance` off (a NaN always is).
template <typename T>
bool mismatch(const std::vector<T>& got, const std::vector<T>& want, double tolerance = 0)
{
  for (size_t i = 0; i < want.size(); ++i) {
    const double g = static_cast<double>(got[i]);
    const double w = static_cast<double>(want[i]);
    if (g == w || std::abs(g - w) <= tolerance) continue;
    printf("wrong: element %zu is %.9g, the CPU says %.9g\n", i, g, w);
    return true;
  }
  return false;
}

/// Compares a result with the CPU's and prints "ok" if they agree. The value is the program's exit code.
template <typename T>
int verify(const std::vector<T>& got, const std::vector<T>& want, double tolerance = 0)
{
  if (mismatch(got, want, tolerance)) return 1;
  printf("ok\n");
  return 0;
}

/// Small whole numbers 0 ... limit - 1 in an irregular order that is the same everywhere.
inline std::vector<int> sample(int size, int limit, unsigned seed = 1)
{
  std::vector<int> values(size);
  for (int& value : values) {
    seed = seed * 1664525u + 1013904223u;
    value = static_cast<int>((seed >> 8) % static_cast<unsigned>(limit));
  }
  return values;
}
