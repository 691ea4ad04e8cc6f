#include "sim/checkout/checkout_place.h"

#include <filesystem>

#include "sim/checkout/git_repository.h"

namespace flashgate::sim {

CheckoutPlace parse_place(const std::string& text)
{
  std::error_code ignored;
  for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at + 1)) {
    if (!std::filesystem::is_directory(text.substr(0, at), ignored)) continue;
    if (std::filesystem::is_directory(text, ignored)) break;
    CheckoutPlace place{text.substr(0, at), text.substr(at + 1)};
    check_ref(place.ref);
    return place;
  }
  return {text, {}};
}

}  // namespace flashgate::sim
