#include "reports/verdict_style.h"

#include <array>

namespace flashgate::reports {
namespace {

struct ToneStyle
{
  std::string_view name, sign, colour, fill;
};

constexpr std::array<ToneStyle, 4> kStyles{{
    {"good", "✓", "#0072B2", "#E3F0F8"},
    {"neutral", "–", "#6B6B6B", "#EFEFEF"},
    {"warning", "!", "#8A5A00", "#FBEFD5"},
    {"bad", "✗", "#B34700", "#FBE5D6"},
}};

const ToneStyle& style(Tone tone) { return kStyles[static_cast<std::size_t>(tone)]; }

}  // namespace

Tone tone_of(matrix::Verdict verdict)
{
  using matrix::Verdict;
  if (matrix::is_failure(verdict)) return Tone::bad;
  switch (verdict) {
    case Verdict::pass:
      return Tone::good;
    case Verdict::warn:
    case Verdict::mistrusted:
      return Tone::warning;
    default:
      return Tone::neutral;
  }
}

std::string_view tone_sign(Tone tone) { return style(tone).sign; }
std::string_view tone_name(Tone tone) { return style(tone).name; }
std::string_view tone_colour(Tone tone) { return style(tone).colour; }
std::string_view tone_fill(Tone tone) { return style(tone).fill; }

}  // namespace flashgate::reports
