#include "app/backend_table.h"

#include <string_view>

#include <fmt/format.h>

#include "app/backends/emulated_backend.h"
#include "app/backends/external_backend.h"
#include "app/installation.h"
#include "matrix/texts.h"
#include "reference/error.h"

namespace flashgate::app {
namespace {

using matrix::Backend;
using matrix::BackendRequest;

gpu::attention::KernelLibrary kernels() { return gpu::attention::load_kernels(kernels_folder().string()); }

/// "external:MAP.toml" is the backend "external" and its map.
constexpr std::string_view kMapSeparator = ":";
std::string_view backend_of(std::string_view name) { return name.substr(0, name.find(kMapSeparator)); }
std::string_view map_of(std::string_view name)
{
  const std::size_t separator = name.find(kMapSeparator);
  return separator == std::string_view::npos ? std::string_view() : name.substr(separator + kMapSeparator.size());
}

/// L1 unless more is asked for.
std::string emulated_evidence(const BackendRequest& request)
{
  if (request.evidence.empty()) return "L1";
  if (request.evidence != "L1" && request.evidence != "L2")
    throw Error(fmt::format("backend {} has evidence L1 and L2, not {}", matrix::printable(backend_of(request.name)),
                            matrix::printable(request.evidence)));
  return request.evidence;
}

std::unique_ptr<Backend> make_emulated(const BackendRequest& request)
{
  EmulatedBackendOptions options;
  options.evidence = emulated_evidence(request);
  return make_emulated_backend(kernels(), options);
}

std::unique_ptr<Backend> make_external(const BackendRequest& request)
{
  const std::string map(map_of(request.name));
  if (map.empty()) throw Error("backend external needs the map of a kernel: external:MAP.toml");
  return make_external_backend(map, emulated_evidence(request));
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
    {"external", "L1, L2", "external:MAP.toml: a kernel of yours, judged like ours; docs/add_a_kernel.md",
     make_external},
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
    const bool has_map = row.make == make_external;
    if ((has_map ? backend_of(request.name) : std::string_view(request.name)) == row.name) return row.make(request);
    known += fmt::format("{}{}", known.empty() ? "" : ", ", row.name);
  }
  throw Error(fmt::format("no backend '{}', expected one of {}", matrix::printable(request.name), known));
}

}  // namespace flashgate::app
