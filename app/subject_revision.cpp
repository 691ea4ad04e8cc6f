#include "app/subject_revision.h"

#include <string_view>

namespace flashgate::app {
namespace {

/// How sim/dispatch/checkout_subject.cpp begins the description of a checkout.
constexpr std::string_view kCheckout = "dispatch code of a checkout, ";

constexpr std::size_t kCommitDigits = 12;

}  // namespace

std::string subject_name(const std::string& reference)
{
  for (const std::string_view kind : {"model:", "fleet:", "exec:"})
    if (reference.starts_with(kind)) return reference;
  return "fleet:" + reference;
}

std::string revision_of(const matrix::SubjectRecord& subject)
{
  if (!subject.description.starts_with(kCheckout)) return {};
  return subject.description.substr(kCheckout.size());
}

std::string commit_of(const matrix::SubjectRecord& subject)
{
  const std::string revision = revision_of(subject);
  const std::size_t digits = revision.find_first_not_of("0123456789abcdef");
  return digits == kCommitDigits && revision[digits] == ' ' ? revision.substr(0, digits) : "";
}

}  // namespace flashgate::app
