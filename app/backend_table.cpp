#include "app/backend_table.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/backends/emulated_backend.h"
#include "app/installation.h"
#include "matrix/texts.h"
#include "reference/error.h"

namespace flashgate::app {
namespace {

using matrix::Backend;
using matrix::BackendRequest;

gpu::attention::KernelLibrary kernels() { return gpu::attention::load_kernels(kernels_folder().string()); }

std::unique_ptr<Backend> make_emulated(const BackendRequest& request)
{
  EmulatedBackendOptions options;
  if (!request.evidence.empty()) options.evidence = request.evidence;
  if (options.evidence != "L1" && options.evidence != "L2")
    throw Error(fmt::format("backend emulated has evidence L1 and L2, not {}", matrix::printable(request.evidence)));
  return make_emulated_backend(kernels(), options);
}

std::unique_ptr<Backend> make_cuda(const BackendRequest& request)
{
  if (!request.evidence.empty())
    throw Error(fmt::format("backend cuda has evidence L3, not {}", matrix::printable(request.evidence)));
  std::string reason;
  auto backend = make_cuda_backend(kernels(), reason);
  if (backend == nullptr) throw Error(reason);
  return backend;
}

constexpr BackendRow kTable[] = {
    {"emulated", "L1, L2", "our kernels' PTX on a CUDA device that the processor plays", make_emulated},
    {"cuda", "L3", "our kernels' PTX on GPU 0, through the driver", make_cuda},
    {"reference-rounded", "none",
     "the oracle's own variant, rounded step by step: stands in for every kernel, says nothing about one",
     matrix::make_reference_backend},
};

}  // namespace

std::span<const BackendRow> backend_table() { return kTable; }

std::string why_not(const BackendRow& row)
{
  try {
    row.make({row.name, ""});
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

std::unique_ptr<Backend> make_backend(const BackendRequest& request)
{
  if (request.name.empty())
    return make_backend({why_not(kTable[0]).empty() ? "emulated" : "reference-rounded", request.evidence});
  std::string known;
  for (const BackendRow& row : kTable) {
    if (request.name == row.name) return row.make(request);
    known += fmt::format("{}{}", known.empty() ? "" : ", ", row.name);
  }
  throw Error(fmt::format("no backend '{}', expected one of {}", matrix::printable(request.name), known));
}

}  // namespace flashgate::app
