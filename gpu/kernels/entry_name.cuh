#pragma once

// The names of entries that are compiled once per head dim: FLASHGATE_ENTRY(v2_forward_bf16_d, FLASHGATE_HEAD_DIM) is
// v2_forward_bf16_d64. Templates have no such names, and names are what tables, reports and debuggers show.

#define FLASHGATE_JOIN(name, head_dim) name##head_dim
#define FLASHGATE_ENTRY(name, head_dim) FLASHGATE_JOIN(name, head_dim)
