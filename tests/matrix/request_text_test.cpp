// The subject protocol spells a request's enumerations as the axes do.
#include "sim/dispatch/request_text.h"

#include <doctest/doctest.h>

#include "matrix/axes.h"

namespace flashgate::matrix {

TEST_CASE("paths, devices and signatures are spelled alike in the axes and in the subject protocol")
{
  for (const AxisValue& value : axis(AxisId::path).values)
    CHECK(sim::path_text(static_cast<sim::Path>(value.number)) == value.text);
  for (const AxisValue& value : axis(AxisId::device).values)
    CHECK(sim::device_text(static_cast<sim::Device>(value.number)) == value.text);
  for (const AxisValue& value : axis(AxisId::signature).values)
    CHECK(sim::signature_text(static_cast<sim::Signature>(value.number)) == value.text);
}

}  // namespace flashgate::matrix
