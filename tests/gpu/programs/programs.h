#pragma once

#include <cstdint>
#include <string_view>

// The CUDA programs of this folder and what the emulated device must say of each. `NAME good` runs the right twin: no
// finding, exit code 0, and the output `prints`. `NAME bad` runs the faulty twin: the check `finds` is reported at a
// line that carries the comment `// FAULT: CHECK`, in NAME.cu or a .cuh of this folder; any frame of the report's
// source chain may be that line. What a line's `ALSO: CHECK, ...` names may be reported there as well. What a faulty
// twin prints and exits with is left open.

namespace flashgate::gpu::programs {

inline constexpr std::string_view kPrinted =
    "thread 0: 0.500,     0|7    |00000\n"
    "thread 1: -1.250,    -1|8    |000ff\n"
    "thread 2: 1024.000,    -2|9    |001fe\n"
    "text c -5000000000 18000000000000000000 1.250000e-03 100%\n"
    "no argument\n"
    "ok\n";

inline constexpr std::string_view kAttention =
    "1 heads, seqlen 512, full: right\n"
    "2 heads, seqlen 128, causal: right\n"
    "3 heads, seqlen 100, full: right\n"
    "1 heads, seqlen 65, causal: right\n"
    "1 heads, seqlen 1, causal: right\n"
    "ok\n";

struct Program
{
  std::string_view name;
  std::string_view finds = "";           ///< a check's name; empty: there is no faulty twin
  std::string_view prints = "ok\n";      ///< the good twin's whole standard output
  std::uint64_t instruction_budget = 0;  ///< what the faulty twin has to be run with; 0: the default will do
};

inline constexpr Program kPrograms[] = {
    {"barrier_in_call", "barrier-divergence"},
    {"barrier_lane_branch", "barrier-divergence"},
    {"barrier_loop_trips", "barrier-divergence"},
    {"barrier_two_lines", "barrier-divergence"},
    {"barrier_lane_return", "barrier-exit"},
    {"barrier_warp_return", "early-exit"},
    {"shuffle_from_absent_lane", "warp-divergence"},
    {"shuffle_in_branch", "warp-divergence"},
    {"shuffle_without_caller", "warp-divergence"},
    {"syncwarp_in_branch", "warp-divergence"},
    {"vote_after_break", "warp-divergence"},
    {"block_chain", "hang"},
    {"endless_loop", "hang", "ok\n", 10'000'000},  // it stores, so no shorter budget ends it
    {"flag_never_set", "hang"},
    {"grid_barrier", "hang"},
    {"lane_lock", "hang"},
    {"list_with_cycle", "hang"},
    {"lock_kept", "hang"},
    {"lock_order", "hang"},
    {"named_barrier_count", "hang"},
    {"named_barrier_skipped", "hang"},
    {"named_barriers_crossed", "hang"},
    {"attention_forward", "race-shared", kAttention},
    {"broadcast_reused", "race-shared"},
    {"copy_no_barrier", "race-shared"},
    {"copy_refill", "race-shared"},
    {"double_buffer", "race-shared"},
    {"histogram_plain_add", "race-shared"},
    {"producer_consumer", "race-shared"},
    {"reduction_no_barrier", "race-shared"},
    {"scan_in_place", "race-shared"},
    {"stencil_no_barrier", "race-shared"},
    {"transpose_no_barrier", "race-shared"},
    {"warp_exchange_no_syncwarp", "race-shared"},
    {"counter_plain", "race-global"},
    {"counter_reset_in_kernel", "race-global"},
    {"exchange_through_global", "race-global"},
    {"flag_without_fence", "race-global"},
    {"gradient_plain_add", "race-global"},
    {"halo_in_place", "race-global"},
    {"last_block", "race-global"},
    {"ordered_blocks", "race-global"},
    {"overlapping_blocks", "race-global"},
    {"copy_no_commit", "async-read"},
    {"copy_no_wait", "async-read"},
    {"copy_wait_count", "async-read"},
    {"matmul", "async-read"},
    {"uninit_shared_counter", "uninit-shared"},
    {"uninit_shared_tail", "uninit-shared"},
    {"uninit_global_sum", "uninit-global"},
    {"uninit_global_workspace", "uninit-global"},
    {"uninit_register_accumulator", "uninit-register"},
    {"uninit_register_load", "uninit-register"},
    {"uninit_local", "uninit-local"},
    {"fault_in_call", "out-of-bounds"},
    {"host_pointer", "out-of-bounds"},
    {"local_past_end", "out-of-bounds"},
    {"negative_slot", "out-of-bounds"},
    {"null_pointer", "out-of-bounds"},
    {"offset_overflow", "out-of-bounds"},
    {"read_before_start", "out-of-bounds"},
    {"read_past_end", "out-of-bounds"},
    {"shared_past_end", "out-of-bounds"},
    {"shared_size_at_launch", "out-of-bounds"},
    {"use_after_free", "out-of-bounds"},
    {"write_past_end", "out-of-bounds"},
    {"wrong_pitch", "out-of-bounds"},
    {"misaligned_copy", "misaligned"},
    {"misaligned_float4", "misaligned"},
    {"misaligned_ldmatrix", "misaligned"},
    {"assert_fires", "assert"},
    {"trap_fires", "trap"},
    // Right ones, whose single version is judged by its result.
    {"arithmetic_64bit"},
    {"arithmetic_double"},
    {"arithmetic_float"},
    {"arithmetic_half"},
    {"arithmetic_integer"},
    {"atomics_float"},
    {"atomics_integer"},
    {"bit_operations"},
    {"calls"},
    {"cooperative_grid"},
    {"divergent_loops"},
    {"equal_bits"},
    {"function_table"},
    {"grid_stride"},
    {"histogram"},
    {"large_grid"},
    {"print_from_kernel", "", kPrinted},
    {"reduction"},
    {"scan"},
    {"softmax"},
    {"streams_events"},
    {"tables"},
    {"tile_groups"},
    {"transpose"},
    {"warp_votes"},
};

/// What a program needs that the emulated device refuses, and how it says so.
struct RefusedProgram
{
  std::string_view name;
  std::string_view says;
};

inline constexpr RefusedProgram kRefused[] = {
    {"machine_code_only", "the program holds no PTX for sm_80 (only machine code for sm_80)"},
    {"recursion", "recursion is not supported"},
};

}  // namespace flashgate::gpu::programs
