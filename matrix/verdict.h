#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace flashgate::matrix {

/// What a check found, from best to worst. A verdict only ever gets worse.
enum class Verdict : std::uint8_t {
  pass,
  warn,
  mistrusted,     ///< passed, but the data proved too little
  not_supported,  ///< refused rightly, with a reason
  skip,           ///< not run, with a reason
  fail,
  timeout,
  hang,
  crash,
  error,   ///< the subject or the machine broke; no answer
  missing  ///< selected, but no result
};

/// What an expectation makes of a verdict, or a second try: flake is a failure that did not come again alone.
enum class Outcome : std::uint8_t { as_is, expected_fail, unexpected_pass, unexpected_skip, known_flake, flake };

/// True if a failing verdict of this outcome does not make a run fail.
constexpr bool is_excuse(Outcome outcome)
{
  return outcome == Outcome::expected_fail || outcome == Outcome::known_flake || outcome == Outcome::flake;
}

std::string_view verdict_name(Verdict verdict);
std::string_view outcome_name(Outcome outcome);
std::optional<Verdict> find_verdict(std::string_view name);

/// The worse of two verdicts.
constexpr Verdict worse(Verdict left, Verdict right) { return left < right ? right : left; }

/// fail, timeout, hang, crash, error and missing: what makes a run fail unless it was expected.
constexpr bool is_failure(Verdict verdict) { return verdict >= Verdict::fail; }

}  // namespace flashgate::matrix
