#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "matrix/cell.h"
#include "matrix/numerics_axes.h"
#include "reference/attention.h"
#include "reference/input_fill.h"

namespace flashgate::matrix {

/// One kernel call as axis values: a plain value. Everything an execution computes follows from it and its backend.
/// The zero case is not the default one, whose mask_columns follow from its family: parse_numerics_case("v3") is.
struct NumericsCase
{
  std::array<std::uint8_t, kNumericsAxisCount> values{};
  std::uint32_t seed = 1;  ///< of inputs and of random masks

  std::uint8_t operator[](NumericsAxisId id) const { return values[static_cast<std::size_t>(id)]; }
  std::uint8_t& operator[](NumericsAxisId id) { return values[static_cast<std::size_t>(id)]; }
  auto operator<=>(const NumericsCase&) const = default;
};

/// The value an axis has in a case.
const AxisValue& value_of(const NumericsCase& numerics, NumericsAxisId id);
inline int number_of(const NumericsCase& numerics, NumericsAxisId id) { return value_of(numerics, id).number; }

reference::Family family_of(const NumericsCase& numerics);
inline bool is_backward(const NumericsCase& numerics) { return numerics[NumericsAxisId::direction] == 1; }

/// The canonical name: the kernel, then what differs from its default, in the order of the axes:
/// "v3/family=causal_document,seqlen=129/257,seed=7". parse_numerics_case(numerics_name(c)) == c for every case.
std::string numerics_name(const NumericsCase& numerics);

/// Parses a name; values may be given in any order and may equal the default. Throws Error with one line that says what
/// was expected. Does not ask whether the constraints allow the case.
NumericsCase parse_numerics_case(std::string_view name);

/// An execution where it answers for a dispatch cell, as people name it: "DISPATCH_CELL//NUMERICS".
struct CellCase
{
  Cell cell;
  NumericsCase numerics;

  auto operator<=>(const CellCase&) const = default;
};
std::string cell_case_name(const CellCase& cell_case);
/// Throws Error as parse_cell() and parse_numerics_case() do, or if there is no "//".
CellCase parse_cell_case(std::string_view name);

/// A rule that keeps cases out because they mean nothing, or prove nothing, never because a kernel fails on them.
struct NumericsConstraint
{
  std::string_view name;
  std::string_view reason;            ///< one sentence
  std::vector<NumericsAxisId> reads;  ///< every axis that `allows` looks at
  bool (*allows)(const NumericsCase&);
};
const std::vector<NumericsConstraint>& numerics_constraints();

/// The reason of the first constraint that excludes the case; empty if it is allowed.
std::string_view excluded_by(const NumericsCase& numerics);

/// The case as numbers, its mask and its inputs. Pure. REQUIRES: the constraints allow the case.
reference::Problem to_problem(const NumericsCase& numerics);
reference::Encoding encoding_of(const NumericsCase& numerics);
int mask_head_count(const NumericsCase& numerics);
reference::ColumnMask make_mask(const NumericsCase& numerics, const reference::Problem& problem);
reference::AttentionInputs make_inputs(const NumericsCase& numerics, const reference::Problem& problem,
                                       const reference::ColumnMask& mask);

/// seqlen_q x seqlen_k x query heads x batch, and the most of it that a case may have.
std::int64_t score_count(const NumericsCase& numerics);
inline constexpr std::int64_t kLargestScoreCount = std::int64_t{1} << 20;

/// Work of an execution in multiply-adds of one dense forward, several times more for a backward: what a selection
/// weighs cases by. Never a forecast of time.
double cost_of(const NumericsCase& numerics);

}  // namespace flashgate::matrix
