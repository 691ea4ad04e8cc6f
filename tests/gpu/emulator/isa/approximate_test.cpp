// Approximate functions against the error bounds and the tables of special values of the PTX ISA.
#include <bit>
#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "form_run.h"
#include "half_oracle.h"

namespace flashgate::gpu::isa {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr int kSamples = 40'000;

std::uint64_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }
float single(std::uint64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }

/// The results of a form of one source, 32 at a time.
std::vector<std::uint64_t> results(const Form& form, Core core, const std::vector<std::uint64_t>& inputs)
{
  std::vector<std::uint64_t> all;
  for (std::size_t first = 0; first < inputs.size(); first += kLanes) {
    FormRun run(form);
    const std::size_t count = std::min<std::size_t>(kLanes, inputs.size() - first);
    for (std::size_t k = 0; k < count; ++k)
      run.set(1, static_cast<int>(k), inputs[first + k]);
    run.run(core);
    for (std::size_t k = 0; k < count; ++k)
      all.push_back(run.value(0, static_cast<int>(k)));
  }
  return all;
}

struct Function
{
  const char* about;
  Operation operation;
  float low;
  float high;
  bool logarithmic;  ///< samples spread evenly over exponents
  long double (*exact)(long double x);
  /// Largest error allowed where the exact result is y.
  long double (*bound)(long double x, long double y);
};

long double relative(long double y, int bits) { return std::fabs(y) * std::ldexp(1.0L, -bits); }

const Function kFunctions[] = {
    {"ex2", Operation::ex2, -126, 128, false, [](long double x) { return std::exp2(x); },
     [](long double, long double y) { return relative(y, 22); }},
    {"lg2 around 1", Operation::lg2, 0.5f, 2, false, [](long double x) { return std::log2(x); },
     [](long double, long double) { return std::ldexp(1.0L, -22); }},
    {"lg2 elsewhere", Operation::lg2, 0x1p-126f, 0x1p127f, true, [](long double x) { return std::log2(x); },
     [](long double x, long double y) { return x > 0.5L && x < 2 ? std::ldexp(1.0L, -22) : relative(y, 22); }},
    {"rcp", Operation::rcp, 0x1p-126f, 0x1p126f, true, [](long double x) { return 1 / x; },
     [](long double, long double y) { return relative(y, 23); }},
    {"sqrt", Operation::sqrt, 0x1p-126f, 0x1p127f, true, [](long double x) { return std::sqrt(x); },
     [](long double, long double y) { return relative(y, 23); }},
    {"rsqrt, 2^-22.9", Operation::rsqrt, 0x1p-126f, 0x1p127f, true, [](long double x) { return 1 / std::sqrt(x); },
     [](long double, long double y) { return y * std::exp2(-22.9L); }},
    {"sin, 2^-20.5", Operation::sin, -3.14159f, 3.14159f, false, [](long double x) { return std::sin(x); },
     [](long double, long double) { return std::exp2(-20.5L); }},
    {"cos, 2^-20.5", Operation::cos, -3.14159f, 3.14159f, false, [](long double x) { return std::cos(x); },
     [](long double, long double) { return std::exp2(-20.5L); }},
    {"tanh", Operation::tanh, -12, 12, false, [](long double x) { return std::tanh(x); },
     [](long double, long double y) { return relative(y, 11); }},
    {"tanh near 0", Operation::tanh, 0x1p-140f, 1, true, [](long double x) { return std::tanh(x); },
     [](long double, long double y) { return relative(y, 11); }},
};

std::vector<std::uint64_t> samples(const Function& function)
{
  std::vector<std::uint64_t> inputs;
  for (int k = 0; k <= kSamples; ++k) {
    const double at = static_cast<double>(k) / kSamples;
    const double low = function.logarithmic ? std::log2(function.low) : function.low;
    const double high = function.logarithmic ? std::log2(function.high) : function.high;
    const double x = low + at * (high - low);
    inputs.push_back(bits_of(static_cast<float>(function.logarithmic ? std::exp2(x) : x)));
  }
  return inputs;
}

TEST_CASE("errors of f32 approximations stay within the bounds of the ISA")
{
  for (const Function& function : kFunctions)
    for (const Core core : available_cores()) {
      const std::vector<std::uint64_t> inputs = samples(function);
      const std::vector<std::uint64_t> found =
          results({.operation = function.operation, .type = Type::f32, .approximate = true}, core, inputs);
      int beyond = 0;
      float worst = 0;
      for (std::size_t k = 0; k < inputs.size(); ++k) {
        const long double x = single(inputs[k]);
        const long double y = function.exact(x);
        // 2^128 rounds to infinity.
        if (std::fabs(y) > std::numeric_limits<float>::max()) continue;
        if (std::fabs(single(found[k]) - y) <= function.bound(x, y)) continue;
        ++beyond;
        worst = single(inputs[k]);
      }
      CHECK_MESSAGE(beyond == 0, function.about, ": ", beyond, " of ", inputs.size(), ", for example at ", worst);
    }
}

struct Special
{
  Operation operation;
  float input;
  float result;  ///< NaN: the canonical one
};

const float kNan = std::numeric_limits<float>::quiet_NaN();

const Special kSpecials[] = {
    {Operation::ex2, -kInfinity, 0.0f},     {Operation::ex2, kInfinity, kInfinity},
    {Operation::ex2, -0.0f, 1.0f},          {Operation::ex2, kNan, kNan},
    {Operation::ex2, 10.0f, 1024.0f},       {Operation::ex2, 0x1p-140f, 1.0f},
    {Operation::ex2, 1000.0f, kInfinity},   {Operation::ex2, -1000.0f, 0.0f},
    {Operation::lg2, 0.0f, -kInfinity},     {Operation::lg2, -0.0f, -kInfinity},
    {Operation::lg2, -1.0f, kNan},          {Operation::lg2, -kInfinity, kNan},
    {Operation::lg2, kInfinity, kInfinity}, {Operation::lg2, 1.0f, 0.0f},
    {Operation::lg2, 0x1p10f, 10.0f},       {Operation::lg2, kNan, kNan},
    {Operation::rcp, 0.0f, kInfinity},      {Operation::rcp, -0.0f, -kInfinity},
    {Operation::rcp, kInfinity, 0.0f},      {Operation::rcp, -kInfinity, -0.0f},
    {Operation::rcp, kNan, kNan},           {Operation::sqrt, -0.0f, -0.0f},
    {Operation::sqrt, -1.0f, kNan},         {Operation::sqrt, kInfinity, kInfinity},
    {Operation::rsqrt, 0.0f, kInfinity},    {Operation::rsqrt, -0.0f, -kInfinity},
    {Operation::rsqrt, kInfinity, 0.0f},    {Operation::rsqrt, -1.0f, kNan},
    {Operation::sin, kInfinity, kNan},      {Operation::sin, -0.0f, -0.0f},
    {Operation::cos, 0.0f, 1.0f},           {Operation::cos, -kInfinity, kNan},
    {Operation::tanh, kInfinity, 1.0f},     {Operation::tanh, -kInfinity, -1.0f},
    {Operation::tanh, -0.0f, -0.0f},        {Operation::tanh, kNan, kNan},
};

TEST_CASE("special values give what the ISA's tables say")
{
  for (const Special& special : kSpecials)
    for (const Core core : available_cores()) {
      const Form form{.operation = special.operation, .type = Type::f32, .approximate = true};
      const std::uint64_t found = results(form, core, {bits_of(special.input)})[0];
      const std::uint64_t wanted = std::isnan(special.result) ? 0x7FFF'FFFF : bits_of(special.result);
      CHECK_MESSAGE(found == wanted, describe(form), " of ", special.input, " is ", single(found));
    }
}

TEST_CASE(".ftz flushes what goes in and what comes out")
{
  struct Case
  {
    Operation operation;
    float input;
    float kept;
    float flushed;
  };
  const Case kCases[] = {
      {Operation::ex2, -130.0f, 0x1p-130f, 0.0f},        {Operation::ex2, -149.0f, 0x1p-149f, 0.0f},
      {Operation::lg2, 0x1p-130f, -130.0f, -kInfinity},  {Operation::rcp, 0x1p-127f, 0x1p127f, kInfinity},
      {Operation::rcp, -0x1p127f, -0x1p-127f, -0.0f},    {Operation::sqrt, 0x1p-130f, 0x1p-65f, 0.0f},
      {Operation::rsqrt, 0x1p-130f, 0x1p65f, kInfinity},
  };
  for (const Case& c : kCases)
    for (const Core core : available_cores())
      for (const bool ftz : {false, true}) {
        const Form form{.operation = c.operation, .type = Type::f32, .ftz = ftz, .approximate = true};
        CHECK_MESSAGE(results(form, core, {bits_of(c.input)})[0] == bits_of(ftz ? c.flushed : c.kept), describe(form));
      }
}

TEST_CASE("div.approx and div.full stay within 2 ulp; large divisors give zero")
{
  std::mt19937_64 random(31);
  for (const Core core : available_cores())
    for (const bool full : {false, true})
      for (int round = 0; round < 200; ++round) {
        FormRun run({.operation = Operation::div, .type = Type::f32, .approximate = !full, .full = full});
        for (int lane = 0; lane < kLanes; ++lane) {
          run.set(1, lane,
                  bits_of(std::ldexp(1 + static_cast<float>(random() % 0x800000) / 0x800000,
                                     static_cast<int>(random() % 60) - 30)));
          run.set(2, lane,
                  bits_of(std::ldexp(1 + static_cast<float>(random() % 0x800000) / 0x800000,
                                     static_cast<int>(random() % 60) - 30)));
        }
        run.run(core);
        for (int lane = 0; lane < kLanes; ++lane) {
          const long double y = static_cast<long double>(single(run.value(1, lane))) / single(run.value(2, lane));
          REQUIRE(std::fabs(single(run.value(0, lane)) - y) <= y * 0x1p-22L);
        }
      }
  for (const Core core : available_cores()) {
    FormRun run({.operation = Operation::div, .type = Type::f32, .approximate = true});
    run.set(1, 0, bits_of(-0x1p100f));
    run.set(2, 0, bits_of(0x1.8p126f));
    run.set(1, 1, bits_of(kInfinity));
    run.set(2, 1, bits_of(0x1.8p126f));
    run.set(1, 2, bits_of(0x1p100f));
    run.set(2, 2, bits_of(0x1p126f));
    run.run(core);
    CHECK(run.value(0, 0) == bits_of(-0.0f));
    CHECK(run.value(0, 1) == 0x7FFF'FFFF);
    CHECK(run.value(0, 2) == bits_of(0x1p-26f));
  }
}

TEST_CASE("gross f64 reciprocals have an empty lower half")
{
  std::mt19937_64 random(32);
  for (const Core core : available_cores())
    for (const Operation operation : {Operation::rcp, Operation::rsqrt})
      for (int k = 0; k < 200; ++k) {
        const double x =
            std::ldexp(1 + static_cast<double>(random() % 0x10000) / 0x10000, static_cast<int>(random() % 200) - 100);
        const Form form{.operation = operation, .type = Type::f64, .ftz = true, .approximate = true};
        const std::uint64_t found = results(form, core, {std::bit_cast<std::uint64_t>(x)})[0];
        const double y = operation == Operation::rcp ? 1 / x : 1 / std::sqrt(x);
        REQUIRE((found & 0xFFFF'FFFF) == 0);
        REQUIRE(std::fabs(std::bit_cast<double>(found) - y) <= y * 0x1p-19);
      }
}

struct HalfFunction
{
  Operation operation;
  HalfFormat format;
  Type type;
  bool ftz;
  long double absolute;
  long double relative;
};
/// Bounds of the ISA: ex2 2^-9.9 and tanh 2^-10.987 for f16, 2^-7 and 2^-8 for bf16.
const HalfFunction kHalfFunctions[] = {
    {Operation::ex2, HalfFormat::f16, Type::f16, false, 0x1p-24L, std::exp2(-9.9L)},
    {Operation::tanh, HalfFormat::f16, Type::f16, false, std::exp2(-10.987L), 0},
    {Operation::ex2, HalfFormat::bf16, Type::bf16, true, 0x1p-133L, 0x1p-7L},
    {Operation::tanh, HalfFormat::bf16, Type::bf16, false, 0x1p-8L, 0},
};

TEST_CASE("ex2 and tanh of every half stay within the bounds of the ISA")
{
  for (const HalfFunction& function : kHalfFunctions)
    for (const Core core : available_cores()) {
      std::vector<std::uint64_t> inputs;
      for (std::uint64_t bits = 0; bits < 0x10000; ++bits)
        inputs.push_back(bits);
      const Form form{.operation = function.operation, .type = function.type, .ftz = function.ftz};
      const std::vector<std::uint64_t> found = results(form, core, inputs);
      int beyond = 0;
      for (std::uint64_t bits = 0; bits < 0x10000; ++bits) {
        const bool nan = is_half_nan(function.format, bits);
        const long double x = half_value(function.format, bits);
        const long double y = function.operation == Operation::ex2 ? std::exp2(x) : std::tanh(x);
        const long double d = half_value(function.format, found[bits]);
        const std::uint64_t rounded = rounded_half(function.format, y, Rounding::rn);
        const bool near = std::fabs(d - y) <= function.absolute + function.relative * std::fabs(y);
        const bool flushed = function.ftz && flushed_half(function.format, rounded) == found[bits];
        if (nan ? found[bits] != 0x7FFF : !near && !flushed && found[bits] != rounded) ++beyond;
      }
      CHECK_MESSAGE(beyond == 0, describe(form));
    }
}

}  // namespace
}  // namespace flashgate::gpu::isa
