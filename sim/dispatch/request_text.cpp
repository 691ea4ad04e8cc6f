#include "sim/dispatch/request_text.h"

namespace flashgate::sim {

std::string_view path_text(Path path)
{
  switch (path) {
    case Path::rr_flashmask:
      return "rr_flashmask";
    case Path::rr_flash:
      return "rr_flash";
    case Path::cp_flashmask:
      return "cp_flashmask";
    case Path::rr_cp_flashmask:
      return "rr_cp_flashmask";
    case Path::paddle_functional:
      return "paddle_functional";
  }
  return "";
}

std::string_view device_text(Device device)
{
  switch (device) {
    case Device::sm90:
      return "sm90";
    case Device::sm80:
      return "sm80";
    case Device::sm100:
      return "sm100";
    case Device::sm120:
      return "sm120";
    case Device::xpu:
      return "xpu";
  }
  return "";
}

std::string_view signature_text(Signature signature)
{
  switch (signature) {
    case Signature::block_mask:
      return "block_mask";
    case Signature::legacy:
      return "legacy";
    case Signature::group:
      return "group";
  }
  return "";
}

}  // namespace flashgate::sim
