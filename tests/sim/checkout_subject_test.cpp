// Real Python files of a checkout, driven on a stub of Paddle.
#include "sim/dispatch/checkout_subject.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "reference/error.h"
#include "tests/temporary_folder.h"

namespace flashgate::sim {
namespace {

/// A recompute entry in a file of any name, with what `choose` returns as its version.
std::string entry_file(const std::string& choose)
{
  return "import paddle\nfrom paddle import _C_ops\nfrom paddle.autograd import PyLayer\n\n" + choose + R"(

class Functor(PyLayer):
    @staticmethod
    def forward(ctx, q, k, v, held):
        ctx.fa_version = choose_version(q.shape[-1])
        ctx.save_for_backward(q, k, v, *held)
        return held[0]

    @staticmethod
    def backward(ctx, grad):
        q, k, v, out, lse = ctx.saved_tensor()
        if ctx.fa_version == 3:
            return _C_ops.flash_attn_v3_grad(q, k, v, out, lse, grad, 0.125, False, -1, -1, 0.0, 0)
        return _C_ops.flash_attn_grad(q, k, v, out, lse, None, None, grad, 0.0, False)


class RefinedRcomputeFlashAttention:
    def forward(self, query_states, key_states, value_states, dropout=0.0, causal=False):
        if paddle.framework._dygraph_tracer()._has_grad:
            return Functor.apply(query_states, key_states, value_states, self.held)
        version = choose_version(query_states.shape[-1])
        q, k, v = query_states, key_states, value_states
        if version == 3:
            self.held = _C_ops.flash_attn_v3(q, k, v, None, None, None, None, 0.125, causal, -1, -1, 0.0, 1, False, False, 0)
        elif version == 2:
            out, _, lse, _ = _C_ops.flash_attn(q, k, v, None, None, dropout, causal, False, False, "")
            self.held = out, lse
        else:
            raise ValueError(f"version {version} is not supported")
        return self.held[0]
)";
}

const char* const kByFlag = R"(
def choose_version(head_dim):
    version = paddle.get_flags(["FLAGS_flash_attn_version"])["FLAGS_flash_attn_version"]
    if version == 3 and head_dim > 128:
        return 2
    return version
)";

class Checkout
{
 public:
  explicit Checkout(const std::string& text) { std::ofstream(folder_.file("some_file.py")) << text; }

  std::string name() const { return "fleet:" + folder_.path().string(); }
  std::shared_ptr<const Subject> open() const { return open_checkout(name(), *parse_checkout_name(name())); }

  RankPlan plan(Request request) const
  {
    request.path = Path::rr_flash;
    request.mask_columns = 0;
    CellPlan plan;
    open()->plan(request, true, plan);
    return plan.rank(0);
  }

 private:
  tests::TemporaryFolder folder_;
};

TEST_CASE("a checkout's own code decides, and its conditions are the trace")
{
  const Checkout checkout(entry_file(kByFlag));
  Request request;
  request.head_dim = {192, 192};
  const RankPlan plan = checkout.plan(request);
  CHECK_FALSE(plan.error);
  CHECK(plan.forward.version == 2);
  CHECK(plan.forward.kernel.text() == "flash_attn");
  CHECK(plan.second_forward.version == 2);
  CHECK(plan.backward.version == 2);
  CHECK(plan.handed_version == 2);
  CHECK(plan.lse_version == 2);
  bool found = false;
  for (const TraceStep& step : plan.trace)
    found = found || (step.phase == Phase::forward && step.decision.text() == "head_dim > 128 [some_file.py:8]" &&
                      step.outcome.text() == "yes");
  CHECK(found);
  REQUIRE(plan.lines != nullptr);
  const std::vector<int>& lines = plan.lines->at("some_file.py");
  CHECK(std::find(lines.begin(), lines.end(), 9) != lines.end());
  CHECK(std::find(lines.begin(), lines.end(), 10) == lines.end());
}

TEST_CASE("an invalid version is the checkout's own exception, with its phase")
{
  const Checkout checkout(entry_file(kByFlag));
  Request request;
  request.flags = request.second_flags = {5, false};
  const RankPlan plan = checkout.plan(request);
  CHECK(plan.error.phase == Phase::forward);
  CHECK(plan.error.kind.text() == "ValueError");
  CHECK(plan.error.message.text() == "version 5 is not supported");
}

TEST_CASE("a checkout that can't be asked for a cell says why and gives no verdict on dispatch")
{
  struct Row
  {
    const char* choose;
    const char* why;
  };
  const std::vector<Row> rows{
      {"def choose_version(d):\n    return paddle.wonder.of_the_world(d)\n",
       "stub lacks paddle.wonder.of_the_world at some_file.py:6"},
      {"def choose_version(d):\n    try:\n        return paddle.wonder(d)\n    except Exception:\n        return 2\n",
       "stub lacks paddle.wonder"},
      {"def choose_version(d):\n    while True:\n        pass\n", "does not end: more than"},
      {"raise SystemExit(0)\n", "SystemExit at some_file.py:5"},
      {"def broken(:\n", "SyntaxError at some_file.py:5"},
      {"def choose_version(d):\n    import nowhere\n", "stub lacks module nowhere at some_file.py:6"},
      {"def choose_version(d):\n    import os\n    os.abort()\n", "died of signal 6"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.choose);
    const RankPlan plan = Checkout(entry_file(row.choose)).plan(Request());
    CHECK(plan.error.kind == subject_error());
    CHECK_MESSAGE(plan.error.message.text().find(row.why) != std::string::npos, plan.error.message.text());
  }
}

TEST_CASE("checkout code can't reach the network, start programs or write files")
{
  const std::string checked = R"(
def choose_version(d):
    import os, socket
    failed = 0
    for reach in (lambda: socket.create_connection(("127.0.0.1", 9)), lambda: os.system("true"),
                  lambda: open("/tmp/flashgate-escape", "w"), lambda: os.fork(),
                  lambda: os.open("/tmp/flashgate-escape", os.O_WRONLY | os.O_CREAT), lambda: os.killpg(0, 9)):
        try:
            reach()
        except PermissionError:
            failed += 1
    return 2 if failed == 6 else 5
)";
  const RankPlan plan = Checkout(entry_file(checked)).plan(Request());
  CHECK(plan.forward.version == 2);
  CHECK(plan.error.kind == subject_error());  // and code that tries is not judged
}

TEST_CASE("flags that a checkout changes are set again for the next phase and the next cell")
{
  const std::string changing = std::string(kByFlag) + R"(
_choose = choose_version
def choose_version(head_dim):
    version = _choose(head_dim)
    paddle.set_flags({"FLAGS_flash_attn_version": 2})
    return version
)";
  const RankPlan plan = Checkout(entry_file(changing)).plan(Request());
  CHECK(plan.forward.version == 3);
  CHECK(plan.second_forward.version == 3);
}

TEST_CASE("a checkout without any entry, an unknown folder or ref is an Error")
{
  CHECK_THROWS_AS(Checkout("x = 1\n").open(), Error);
  const std::string missing = "fleet:/nowhere/at/all@HEAD";
  CHECK_THROWS_AS(open_checkout(missing, *parse_checkout_name(missing)), Error);
  const Checkout checkout(entry_file(kByFlag));
  const std::string no_repository = checkout.name() + "@HEAD";
  CHECK_THROWS_AS(open_checkout(no_repository, *parse_checkout_name(no_repository)), Error);
  CHECK_THROWS_AS(parse_checkout_name(checkout.name() + "@--output=x"), Error);
}

TEST_CASE("a subject's name says folder, ref and Paddle's rule")
{
  const tests::TemporaryFolder folder;
  const std::string path = folder.path().string();
  CHECK(parse_checkout_name("model:fleet-d") == std::nullopt);
  CHECK(parse_checkout_name("fleet:" + path) == CheckoutName{{path, ""}, "by_signature", {}});
  CHECK(parse_checkout_name("fleet:" + path + "@v1@{0}") == CheckoutName{{path, "v1@{0}"}, "by_signature", {}});
  CHECK(parse_checkout_name("fleet:" + path + "@HEAD?paddle=accepting") ==
        CheckoutName{{path, "HEAD"}, "accepting", {}});
  const CheckoutName named{{path, "HEAD"}, "by_signature", CheckoutPlace{path, "v3"}};
  CHECK(parse_checkout_name("fleet:" + path + "@HEAD?paddle=" + path + "@v3") == named);
}

}  // namespace
}  // namespace flashgate::sim
