// A program of the real GoogleTest for tests of `watch`: it passes, skips, fails, and waits for itself.
#include <mutex>

#include <gtest/gtest.h>

namespace {

TEST(Mask, Expands) { SUCCEED(); }

TEST(Mask, Deadlocks)
{
  std::mutex mutex;
  mutex.lock();
  mutex.lock();
}

class Sizes : public testing::TestWithParam<int>
{
};

TEST_P(Sizes, ArePositive) { EXPECT_GT(GetParam(), 0); }

INSTANTIATE_TEST_SUITE_P(All, Sizes, testing::Values(1, 0));

TEST(Mask, Skips) { GTEST_SKIP() << "not today"; }

TEST(Last, Passes) { SUCCEED(); }

}  // namespace
