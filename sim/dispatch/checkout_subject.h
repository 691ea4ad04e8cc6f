#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/dispatch/subject.h"

namespace flashgate::sim {

/// The name of a checkout as a subject: "fleet:PATH@REF", "fleet:PATH" for a working tree; either with "?paddle=RULE"
/// at its end, RULE being legacy, block_mask, group or accepting instead of the rule that belongs to the signature.
struct CheckoutName
{
  std::string folder;
  std::string ref;  ///< empty: the working tree
  std::string paddle_rule = "by_signature";

  bool operator==(const CheckoutName&) const = default;
};

/// Empty if `subject` does not begin with "fleet:". A PATH may contain '@': the first one after which a folder's name
/// ends counts. Error for a rule that there isn't, or a ref that can't be one.
std::optional<CheckoutName> parse_checkout_name(const std::string& subject);

/// The dispatch code of a checkout: its Python files, read by git from the ref (never from the working tree, which is
/// not touched) or, without a ref, from the folder, loaded in worker processes on a stub of Paddle.
/// Error if python3 or the folder is missing, the ref is unknown, or no path has an entry in its files.
std::shared_ptr<const Subject> open_checkout(const std::string& name, const CheckoutName& checkout);

/// A program that speaks the subject protocol itself, "exec:COMMAND"; COMMAND is given to /bin/sh and runs in the
/// current folder with the same limits. Error if it can't be asked.
std::shared_ptr<const Subject> open_program(const std::string& name, const std::string& command);

}  // namespace flashgate::sim
