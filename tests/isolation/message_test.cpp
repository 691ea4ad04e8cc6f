#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "matrix/isolation/execution_message.h"
#include "matrix/isolation/frame.h"
#include "matrix/isolation/message_bytes.h"
#include "matrix/reference_backend.h"

namespace flashgate::matrix {
namespace {

const NumericsCase kCase = parse_numerics_case("v2/direction=backward,seqlen=65,head_dim=64,heads=1/1");

ExecutionResult example()
{
  ExecutionResult result = execute(kCase, ReferenceBackend());
  result.findings.push_back({"numerics", Verdict::fail, "dQ: wrong"});
  result.verdict = Verdict::fail;
  result.incidents.push_back({"hang", "deadlock", "who waits\nfor whom"});
  return result;
}

}  // namespace

TEST_CASE("a reply reads back as it was written")
{
  const std::string payload = to_payload(7, example());
  const ExecutionResult read = parse_reply(payload, 7, kCase);
  CHECK(to_payload(7, read) == payload);
  CHECK(read.verdict == Verdict::fail);
  CHECK(read.numerics == kCase);
  CHECK(read.tensors.size() == 3);
}

TEST_CASE("a reply that is cut off, too long, another one's, or of unknown names is a violation")
{
  const std::string payload = to_payload(7, example());
  for (std::size_t length = 0; length < payload.size(); ++length)
    CHECK_THROWS_AS(parse_reply(std::string_view(payload).substr(0, length), 7, kCase), ProtocolViolation);
  CHECK_THROWS_AS(parse_reply(payload + "x", 7, kCase), ProtocolViolation);
  CHECK_THROWS_AS(parse_reply(payload, 8, kCase), ProtocolViolation);
  CHECK_THROWS_AS(parse_reply(payload, 7, parse_numerics_case("v2")), ProtocolViolation);  // it has no dQ
  std::string renamed = payload;
  renamed.replace(renamed.find("numerics"), 8, "numerals");
  CHECK_THROWS_AS(parse_reply(renamed, 7, kCase), ProtocolViolation);
}

TEST_CASE("no byte of a reply can be changed so that reading it does anything but answer or throw")
{
  const std::string payload = to_payload(7, example());
  const bool held = rc::check([&] {
    std::string changed = payload;
    const auto at = *rc::gen::inRange<std::size_t>(0, payload.size());
    changed[at] = *rc::gen::arbitrary<char>();
    try {
      parse_reply(changed, 7, kCase);
    } catch (const ProtocolViolation&) {
    }
  });
  CHECK(held);
}

TEST_CASE("frames come out whole however their bytes are cut")
{
  const std::string bytes = to_bytes(FrameType::ready, "") + to_bytes(FrameType::reply, "abc") +
                            to_bytes(FrameType::reply, std::string(70'000, 'x'));
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, bytes.size()}) {
    FrameReader reader;
    std::vector<std::size_t> lengths;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      reader.feed(std::string_view(bytes).substr(at, piece));
      while (const auto frame = reader.next())
        lengths.push_back(frame->payload.size());
    }
    CHECK(lengths == std::vector<std::size_t>{0, 3, 70'000});
    CHECK(reader.pending() == 0);
  }
}

TEST_CASE("bytes that can't become a frame are a violation as soon as that is known")
{
  const std::string_view bad[] = {"x",
                                  "FH",
                                  std::string_view("FG\x02", 3),
                                  std::string_view("FG\x01\x00\0\0\0\0", 8),
                                  std::string_view("FG\x01\x09\0\0\0\0", 8),
                                  std::string_view("FG\x01\x03\x00\x00\x00\x40", 8)};
  for (const std::string_view bytes : bad) {
    FrameReader reader;
    reader.feed(bytes);
    CHECK_THROWS_AS(reader.next(), ProtocolViolation);
  }
}

}  // namespace flashgate::matrix
