#pragma once

namespace flashgate::sim {

/// Which entry of a dispatcher is called. rr = refined recompute, cp = context parallel.
enum class Path { rr_flashmask, rr_flash, cp_flashmask, rr_cp_flashmask, paddle_functional };

/// What the ranks run on. sm80 ... sm120 are CUDA devices of compute capability major 8 ... 12.
enum class Device { sm90, sm80, sm100, sm120, xpu };

/// Which parameters Paddle's flashmask_attention has: neither block_mask nor group, block_mask, or both.
enum class Signature { block_mask, legacy, group };

/// Head dim of query and key, and of value.
struct HeadDim
{
  int qk = 128;
  int v = 128;
};

/// One source that can steer a version: the global flags, or the model's configuration.
struct VersionSettings
{
  int version = 3;             ///< 2, 3, 4 are kernel generations; anything else is invalid
  bool deterministic = false;  ///< FLAGS_cudnn_deterministic, or deterministic_mode

  bool operator==(const VersionSettings&) const = default;
};

/// Everything a dispatcher may look at when one rank of a group asks it for attention: a cell of the matrix as numbers.
/// The default is the matrix's default cell.
struct Request
{
  Path path = Path::rr_flashmask;
  VersionSettings flags;         ///< in force at the first forward
  VersionSettings second_flags;  ///< in force from the second forward on; differs from `flags` only if a flag flips
  VersionSettings config;        ///< the model's own fields, which some revisions read instead of the flags
  Device device = Device::sm90;
  HeadDim head_dim;
  Signature signature = Signature::block_mask;
  int mask_columns = 2;        ///< last dim of startend_row_indices; 0: no mask
  bool causal = false;         ///< what the caller asks for; a mask of one column is causal by definition
  bool causal_direct = false;  ///< CP's functions are called directly, past the entry that refuses causal=True
  bool training = true;
  bool dropout = false;    ///< dropout 0.1
  bool scale_set = false;  ///< softmax_scale given, not the default 1/sqrt(head_dim)
  int cute_gradients = 3;  ///< how many gradients the v4 backward returns: 3 in older builds, 4 in newer
  int cp_size = 1;
  int rank = 0;
  int ranks_with_v4 = 1;  ///< the v4 package imports on ranks 0 ... ranks_with_v4 - 1
};

inline bool is_context_parallel(Path path) { return path == Path::cp_flashmask || path == Path::rr_cp_flashmask; }
inline bool is_refined_recompute(Path path) { return path != Path::cp_flashmask && path != Path::paddle_functional; }

inline bool v4_imports(const Request& request) { return request.rank < request.ranks_with_v4; }

/// Fleet's gate for v4: CUDA is up, compute capability major is 10, the package imports on this rank.
inline bool v4_available(const Request& request) { return request.device == Device::sm100 && v4_imports(request); }

/// v4 is available on every rank of the group: only then can the group as a whole run it.
inline bool v4_available_in_group(const Request& request)
{
  return request.device == Device::sm100 && request.ranks_with_v4 >= request.cp_size;
}

inline bool is_valid_version(int version) { return version >= 2 && version <= 4; }

}  // namespace flashgate::sim
