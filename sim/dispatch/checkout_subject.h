#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/checkout/checkout_place.h"
#include "sim/dispatch/subject.h"

namespace flashgate::sim {

/// The name of a checkout as a subject: "fleet:PATH@REF", "fleet:PATH" for a working tree; either with "?paddle=" at
/// its end and what Paddle's own function does instead of following the rule that belongs to the signature: one of the
/// rules legacy, block_mask, group and accepting, or what that function does in a Paddle at PATH or PATH@REF.
struct CheckoutName
{
  CheckoutPlace place;
  std::string paddle_rule = "by_signature";
  std::optional<CheckoutPlace> paddle;  ///< the Paddle whose function is taken

  bool operator==(const CheckoutName&) const = default;
};

/// Empty if `subject` does not begin with "fleet:". Error for a rule that there isn't, or a ref that can't be one.
std::optional<CheckoutName> parse_checkout_name(const std::string& subject);

/// The dispatch code of a checkout: its Python files, read by git from the ref (never from the working tree, which is
/// not touched) or, without a ref, from the folder, loaded in worker processes on a stub of Paddle.
/// Error if python3 or a folder is missing, a ref is unknown, no path has an entry in its files, or the named Paddle
/// has no flashmask_attention.
std::shared_ptr<const Subject> open_checkout(const std::string& name, const CheckoutName& checkout);

/// A program that speaks the subject protocol itself, "exec:COMMAND"; COMMAND is given to /bin/sh and runs in the
/// current folder with the same limits. Error if it can't be asked.
std::shared_ptr<const Subject> open_program(const std::string& name, const std::string& command);

}  // namespace flashgate::sim
