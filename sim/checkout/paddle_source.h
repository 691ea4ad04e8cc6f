#pragma once

#include <string>

#include "sim/checkout/checkout_place.h"
#include "sim/checkout/git_repository.h"

namespace flashgate::sim {

/// The Python file in which a Paddle defines its function `flashmask_attention`.
struct PaddleSource
{
  SourceFile file;
  std::string revision;  ///< the commit, or the folder
};

/// Finds it in a source tree of Paddle, or in a folder that has an installed package `paddle` (or is one): among the
/// files of nn/functional, by the function's name. Error if it isn't there.
PaddleSource find_paddle_source(const CheckoutPlace& place);

}  // namespace flashgate::sim
