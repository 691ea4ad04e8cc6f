#include "gpu/emulator/splits.h"

#include <doctest/doctest.h>

namespace flashgate::gpu {

TEST_CASE("lanes part at a branch and meet at its reconvergence")
{
  Splits splits;
  splits.start(0xFF);
  CHECK(splits.is_converged());
  splits.diverge(0x0F, 10, 1, 20, true);
  CHECK_FALSE(splits.is_converged());
  CHECK(splits.current().pc == 1);
  CHECK(splits.current().lanes == 0xF0);
  CHECK(splits.stop() == 20);
  CHECK(splits.move_to(20));
  CHECK(splits.current().pc == 10);
  CHECK(splits.joining() == 0xF0);
  CHECK(splits.move_to(20));
  CHECK(splits.is_converged());
  CHECK(splits.current().lanes == 0xFF);
  CHECK(splits.current().pc == 20);
}

TEST_CASE("a branch past the reconvergence waits there at once")
{
  Splits splits;
  splits.start(0xFF);
  splits.diverge(0x0F, 20, 1, 20, true);
  CHECK(splits.all().size() == 1);
  CHECK(splits.joining() == 0x0F);
  CHECK(splits.move_to(20));
  CHECK(splits.is_converged());
}

TEST_CASE("nested meetings end one after the other, at the same place too")
{
  Splits splits;
  splits.start(0xFF);
  splits.diverge(0x0F, 10, 1, 20, true);
  splits.diverge(0x30, 5, 2, 8, true);
  CHECK(splits.current().lanes == 0xC0);
  splits.move_to(8);
  CHECK(splits.current().lanes == 0x30);
  splits.move_to(8);
  CHECK(splits.current().lanes == 0xF0);
  CHECK(splits.current().pc == 8);
  splits.move_to(20);
  splits.move_to(20);
  CHECK(splits.is_converged());
}

TEST_CASE("lanes that exit are not waited for")
{
  Splits splits;
  splits.start(0xFF);
  splits.diverge(0x0F, 10, 1, 20, true);
  splits.move_to(20);
  splits.exit(0x0F);
  CHECK(splits.is_converged());
  CHECK(splits.current().lanes == 0xF0);
  CHECK(splits.current().pc == 20);
  CHECK(splits.live() == 0xF0);
  splits.exit(0xF0);
  CHECK(splits.empty());
}

TEST_CASE("lanes let go from a meeting place run on alone, and meet the others at the next one")
{
  Splits splits;
  splits.start(0xFF);
  splits.diverge(0x80, 30, 1, 40, true);
  splits.diverge(0x0F, 10, 1, 20, true);
  splits.move_to(20);
  CHECK(splits.release_join());
  CHECK(splits.current().lanes == 0x70);
  CHECK(splits.current().pc == 20);
  CHECK(splits.released() == 0x70);
  splits.move_to(40);
  CHECK(splits.rotate());
  while (splits.current().lanes != 0x0F)
    splits.rotate();
  splits.move_to(20);
  CHECK(splits.current().lanes == 0x0F);
  splits.move_to(40);
  splits.move_to(40);
  CHECK(splits.is_converged());
  CHECK(splits.current().lanes == 0xFF);
  CHECK_FALSE(splits.release_join());
}

}  // namespace flashgate::gpu
