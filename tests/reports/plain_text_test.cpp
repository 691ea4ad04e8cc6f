#include "reports/plain_text.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "example_run.h"
#include "matrix/texts.h"
#include "reports/file_names.h"
#include "reports/repro_line.h"

namespace flashgate::reports {

TEST_CASE("clean text is well-formed and has no control characters, whatever it was made from")
{
  for (const std::string& text : tests::hostile_texts()) {
    const std::string clean = clean_text(text);
    CHECK(matrix::find_invalid_utf8(clean) == std::string::npos);
    CHECK(std::all_of(clean.begin(), clean.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x20; }));
    CHECK(clean.find('\x7F') == std::string::npos);
    CHECK(clean.find("\xC2\x9B") == std::string::npos);
    CHECK(clean.find("\xEF\xBF\xBF") == std::string::npos);
    CHECK(clean_text(clean) == clean);
  }
}

TEST_CASE("clean text replaces byte by byte and keeps what is good")
{
  CHECK(clean_text("plain ünïcode ✓") == "plain ünïcode ✓");
  CHECK(clean_text("a\xFF"
                   "b") ==
        "a\xEF\xBF\xBD"
        "b");
  CHECK(clean_text("a\x1b[0m") == "a\xEF\xBF\xBD[0m");
  CHECK(clean_text("a\nb\tc") == "a b c");
  CHECK(clean_text("a\nb\tc", true) == "a\nb c");
}

TEST_CASE("texts are cut, padded and wrapped by code points")
{
  CHECK(cut_text("✓✓✓", 3) == "✓✓✓");
  CHECK(cut_text("✓✓✓✓", 3) == "✓✓…");
  CHECK(shown_text("✓✓✓", 3) == "✓✓✓");
  CHECK(shown_text("\xFF\xFF\xFF\xFF", 3) == std::string(kReplacement) + std::string(kReplacement) + "…");
  CHECK(shown_text(std::string(16, '\xF0') + "x", 2) == std::string(kReplacement) + "…");
  CHECK(pad_text("✓", 3) == "✓  ");
  CHECK(pad_text("long", 2) == "long");
  CHECK(wrap_text("one two three", 7) == std::vector<std::string>{"one two", "three"});
  CHECK(wrap_text("unbreakable", 4) == std::vector<std::string>{"unbr", "eaka", "ble"});
  CHECK(wrap_text("", 4) == std::vector<std::string>{""});
  CHECK(wrap_text("a  b", 1) == std::vector<std::string>{"a", "b"});
}

TEST_CASE("numbers are grouped and counted")
{
  CHECK(group_digits(0) == "0");
  CHECK(group_digits(999) == "999");
  CHECK(group_digits(1000) == "1,000");
  CHECK(group_digits(-1234567) == "-1,234,567");
  CHECK(count_of(1, "cell") == "1 cell");
  CHECK(count_of(2, "class") == "2 classes");
}

TEST_CASE("file names are safe and distinct")
{
  CHECK(safe_file_name("model:fleet-d") == "model-fleet-d");
  CHECK(safe_file_name("") == "_");
  CHECK(safe_file_name("../x") == "_..-x");
  CHECK(safe_file_name("-o") == "_-o");
  CHECK(distinct_file_names({"a:b", "a-b", "A-B", "c"}) == std::vector<std::string>{"a-b", "a-b-2", "A-B-3", "c"});
  for (const std::string& text : tests::hostile_texts()) {
    const std::string name = safe_file_name(text);
    CHECK(name.size() <= 80);
    CHECK(name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") ==
          std::string::npos);
    CHECK(name.front() != '.');
    CHECK(name.front() != '-');
  }
}

TEST_CASE("a repro line can be pasted")
{
  CHECK(repro_line("rr_flash/flag_version=4,head_dim=192/128", "model:fleet-d") ==
        "build/release/flashgate repro 'rr_flash/flag_version=4,head_dim=192/128' --subject model:fleet-d");
  CHECK(shell_word("fleet:/a b@ref") == "'fleet:/a b@ref'");
  CHECK(shell_word("it's") == "'it'\\''s'");
  CHECK(shell_word("$(reboot)") == "'$(reboot)'");
  CHECK(shell_word("") == "''");
}

}  // namespace flashgate::reports
