#include "matrix/axes.h"

#include <array>
#include <string>

#include "matrix/cell.h"

namespace flashgate::matrix {
namespace {

using sim::Device;
using sim::Path;
using sim::Request;
using sim::Signature;

template <typename Enum>
constexpr AxisValue named(std::string_view text, Enum value)
{
  return {text, static_cast<int>(value)};
}

/// What a flip of the flags changes between first and second forward: flag_a_b sets version a, then b.
struct Flip
{
  int from, to;
};
constexpr std::array<Flip, 6> kFlips{{{0, 0}, {2, 3}, {3, 2}, {3, 4}, {4, 3}, {0, 0}}};
constexpr int kFlipDeterministicOn = 5;

int version_index(int version)
{
  const auto& values = axis(AxisId::flag_version).values;
  for (int i = 0; i < static_cast<int>(values.size()); ++i)
    if (values[i].number == version) return i;
  return 0;
}

int default_flag_version(const Cell& cell)
{
  const Flip flip = kFlips[cell[AxisId::flip]];
  return flip.from == 0 ? 0 : version_index(flip.from);
}

int default_mask_columns(const Cell& cell) { return path_of(cell) == Path::rr_flash ? 1 : 0; }
int default_cp_size(const Cell& cell) { return sim::is_context_parallel(path_of(cell)) ? 1 : 0; }

constexpr int kSame = -1;            // config_*: as the flag
constexpr int kEveryRank = 1 << 16;  // v4 imports on however many ranks there are

void apply_flip(Request& r, const AxisValue& v)
{
  r.second_flags = r.flags;
  const Flip flip = kFlips[v.number];
  if (flip.to != 0) r.second_flags.version = flip.to;
  if (v.number == kFlipDeterministicOn) r.second_flags.deterministic = true;
}

void apply_mask_columns(Request& r, const AxisValue& v)
{
  r.mask_columns = v.number;
  r.causal = v.number == 1;
}

/// What the core combines exhaustively.
std::vector<Axis> core_axes()
{
  return {{AxisId::path,
           "path",
           "which entry of the dispatcher: rr = refined recompute, cp = context parallel",
           true,
           {named("rr_flashmask", Path::rr_flashmask), named("rr_flash", Path::rr_flash),
            named("cp_flashmask", Path::cp_flashmask), named("rr_cp_flashmask", Path::rr_cp_flashmask),
            named("paddle_functional", Path::paddle_functional)},
           [](Request& r, const AxisValue& v) { r.path = static_cast<Path>(v.number); },
           nullptr},
          {AxisId::flag_version,
           "flag_version",
           "FLAGS_flash_attn_version; 5 and 0 are invalid on purpose",
           true,
           {{"3", 3}, {"2", 2}, {"4", 4}, {"5", 5}, {"0", 0}},
           [](Request& r, const AxisValue& v) { r.flags.version = v.number; },
           default_flag_version},
          {AxisId::device,
           "device",
           "what the ranks run on; v4 is available on sm100 with v4_import=yes only",
           true,
           {named("sm90", Device::sm90), named("sm80", Device::sm80), named("sm100", Device::sm100),
            named("sm120", Device::sm120), named("xpu", Device::xpu)},
           [](Request& r, const AxisValue& v) { r.device = static_cast<Device>(v.number); },
           nullptr},
          {AxisId::v4_import,
           "v4_import",
           "does the v4 package import",
           true,
           {{"yes", kEveryRank}, {"no", 0}},
           [](Request& r, const AxisValue& v) { r.ranks_with_v4 = v.number; },
           nullptr},
          {AxisId::deterministic,
           "deterministic",
           "FLAGS_cudnn_deterministic",
           true,
           {{"off", 0}, {"on", 1}},
           [](Request& r, const AxisValue& v) { r.flags.deterministic = v.number != 0; },
           nullptr},
          {AxisId::head_dim,
           "head_dim",
           "head dim of query and key / of value; one number where both are equal",
           true,
           {{"128", 128, 128},
            {"64", 64, 64},
            {"80", 80, 80},
            {"96", 96, 96},
            {"136", 136, 136},
            {"160", 160, 160},
            {"192", 192, 192},
            {"256", 256, 256},
            {"192/128", 192, 128},
            {"512", 512, 512},
            {"576/512", 576, 512},
            {"160/128", 160, 128},
            {"192/64", 192, 64},
            {"256/128", 256, 128}},
           [](Request& r, const AxisValue& v) {
             r.head_dim = {v.number, v.second};
           },
           nullptr},
          {AxisId::signature,
           "signature",
           "parameters of Paddle's flashmask_attention: neither, block_mask, or group too",
           true,
           {named("block_mask", Signature::block_mask), named("legacy", Signature::legacy),
            named("group", Signature::group)},
           [](Request& r, const AxisValue& v) { r.signature = static_cast<Signature>(v.number); },
           nullptr}};
}

/// The second source of truth, and the shape of the group.
std::vector<Axis> group_axes()
{
  return {{AxisId::config_version,
           "config_version",
           "version in the model's configuration, the second source of truth",
           false,
           {{"same", kSame}, {"2", 2}, {"3", 3}, {"4", 4}},
           [](Request& r, const AxisValue& v) { r.config.version = v.number == kSame ? r.flags.version : v.number; },
           nullptr},
          {AxisId::config_deterministic,
           "config_deterministic",
           "deterministic mode in the model's configuration",
           false,
           {{"same", kSame}, {"off", 0}, {"on", 1}},
           [](Request& r, const AxisValue& v) {
             r.config.deterministic = v.number == kSame ? r.flags.deterministic : v.number != 0;
           },
           nullptr},
          {AxisId::mask_columns,
           "mask_columns",
           "last dim of startend_row_indices; none is the default of rr_flash",
           false,
           {{"2", 2}, {"none", 0}, {"1", 1}, {"4", 4}},
           apply_mask_columns,
           default_mask_columns},
          {AxisId::cp_size,
           "cp_size",
           "ranks of the context-parallel group; 2 is the default of the cp paths",
           false,
           {{"1", 1}, {"2", 2}, {"4", 4}, {"8", 8}},
           [](Request& r, const AxisValue& v) { r.cp_size = v.number; },
           default_cp_size},
          {AxisId::rank_skew,
           "rank_skew",
           "rank0_only: the v4 package imports on rank 0 and on no other",
           false,
           {{"none", 0}, {"rank0_only", 1}},
           [](Request& r, const AxisValue& v) {
             if (v.number != 0) r.ranks_with_v4 = 1;
           },
           nullptr}};
}

/// What changes between the phases, and the rest of the arguments.
std::vector<Axis> call_axes()
{
  return {
      {AxisId::flip,
       "flip",
       "a flag changes between first and second forward; flag_a_b starts from flag_version a",
       false,
       {{"none", 0},
        {"flag_2_3", 1},
        {"flag_3_2", 2},
        {"flag_3_4", 3},
        {"flag_4_3", 4},
        {"det_on", kFlipDeterministicOn}},
       apply_flip,
       nullptr},
      {AxisId::cute_gradients,
       "cute_gradients",
       "how many gradients the v4 backward returns",
       false,
       {{"3", 3}, {"4", 4}},
       [](Request& r, const AxisValue& v) { r.cute_gradients = v.number; },
       nullptr},
      {AxisId::training,
       "training",
       "training mode",
       false,
       {{"yes", 1}, {"no", 0}},
       [](Request& r, const AxisValue& v) { r.training = v.number != 0; },
       nullptr},
      {AxisId::dropout,
       "dropout",
       "dropout probability",
       false,
       {{"0", 0}, {"0.1", 1}},
       [](Request& r, const AxisValue& v) { r.dropout = v.number != 0; },
       nullptr},
      {AxisId::scale,
       "scale",
       "softmax_scale: the default 1/sqrt(head_dim), or set by the caller",
       false,
       {{"default", 0}, {"set", 1}},
       [](Request& r, const AxisValue& v) { r.scale_set = v.number != 0; },
       nullptr},
      {AxisId::causal_direct,
       "causal_direct",
       "context parallel's functions are called directly with causal=True",
       false,
       {{"no", 0}, {"yes", 1}},
       [](Request& r, const AxisValue& v) {
         r.causal_direct = v.number != 0;
         r.causal = r.causal || r.causal_direct;
       },
       nullptr},
  };
}

std::vector<Axis> make_axes()
{
  std::vector<Axis> all = core_axes();
  for (std::vector<Axis> (*part)() : {group_axes, call_axes})
    for (Axis& axis : part())
      all.push_back(std::move(axis));
  return all;
}

/// "64/64" -> "64": equal pairs are spelled as one number.
std::string_view without_equal_pair(std::string_view text)
{
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos || text.substr(0, slash) != text.substr(slash + 1)) return text;
  return text.substr(0, slash);
}

std::vector<AxisColumn> make_columns()
{
  std::vector<AxisColumn> columns;
  for (const Axis& a : axes()) {
    columns.push_back({a.name, a.id, false, a.id == AxisId::cp_size});
    if (a.id == AxisId::head_dim) columns.push_back({"head_dim_v", a.id, true, false});
  }
  return columns;
}

}  // namespace

const std::vector<Axis>& axes()
{
  static const std::vector<Axis> all = make_axes();
  return all;
}

const Axis& axis(AxisId id) { return axes()[static_cast<std::size_t>(id)]; }

std::optional<AxisId> find_axis(std::string_view name)
{
  for (const Axis& a : axes())
    if (a.name == name) return a.id;
  return std::nullopt;
}

std::optional<int> find_value(const Axis& axis, std::string_view text)
{
  const std::string_view wanted = axis.id == AxisId::head_dim ? without_equal_pair(text) : text;
  for (int i = 0; i < static_cast<int>(axis.values.size()); ++i)
    if (axis.values[i].text == wanted) return i;
  return std::nullopt;
}

const std::vector<AxisColumn>& axis_columns()
{
  static const std::vector<AxisColumn> columns = make_columns();
  return columns;
}

std::string_view column_text(const AxisColumn& column, const Cell& cell)
{
  const std::string_view text = axis(column.axis).values[cell[column.axis]].text;
  if (column.axis != AxisId::head_dim) return text;
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return text;
  return column.second ? text.substr(slash + 1) : text.substr(0, slash);
}

}  // namespace flashgate::matrix
