#pragma once

namespace flashgate::sim {

/// The head dim of the kernel that serves `head_dim` in backward: the smallest of 32, 64, 96, 128, 192, 256 that holds
/// it; 0 above 256. (FlashAttention-2's list since its kernels for 160 and 224 were dropped.)
int tile_head_dim(int head_dim);

/// The head dim for which the caller allocates the gradients' fp32 accumulators: rounded up to 32 up to 128, to 64
/// above. Never smaller than the tile, or the kernel writes past the end (pytorch/pytorch#173953 rounded to 32
/// throughout).
int accumulator_head_dim(int head_dim);

}  // namespace flashgate::sim
