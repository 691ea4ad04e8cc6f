#pragma once

#include <string_view>

#include "matrix/verdict.h"

namespace flashgate::reports {

/// How loudly a verdict is shown.
enum class Tone { good, neutral, warning, bad };

Tone tone_of(matrix::Verdict verdict);

/// One sign per tone, always beside the colour, so that no reader depends on colours: "✓", "–", "!", "✗".
std::string_view tone_sign(Tone tone);

/// Name of a tone: "good", "neutral", "warning", "bad". The page's CSS classes.
std::string_view tone_name(Tone tone);

/// Colour of lines and text on white: hues of Okabe and Ito's palette, which colour-blind readers can tell apart, dark
/// enough for a contrast of 4.5.
std::string_view tone_colour(Tone tone);

/// A pale fill of the same hue, for black text.
std::string_view tone_fill(Tone tone);

inline std::string_view verdict_sign(matrix::Verdict verdict) { return tone_sign(tone_of(verdict)); }

}  // namespace flashgate::reports
