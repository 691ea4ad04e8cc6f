#pragma once

#include <string>

namespace flashgate::sim {

/// A folder, or the tree of one of its commits.
struct CheckoutPlace
{
  std::string folder;
  std::string ref;  ///< empty: the working tree

  bool operator==(const CheckoutPlace&) const = default;
};

/// Reads "PATH" or "PATH@REF". A PATH may contain '@': the first one after which a folder's name ends counts. Error if
/// REF can't be a ref.
CheckoutPlace parse_place(const std::string& text);

}  // namespace flashgate::sim
