#pragma once

#include <pugixml.hpp>
#include <string>
#include <string_view>

namespace flashgate::reports {

// What JUnit files are made of. These are the only ways by which texts get into a document: XML has no escape for
// control characters, so every text is cleaned and cut.

struct JunitCounts
{
  int tests = 0, failures = 0, skipped = 0;
};

void set_junit(pugi::xml_node node, const char* attribute, std::string_view text);
void set_junit_text(pugi::xml_node node, std::string_view text);
void set_junit_counts(pugi::xml_node node, const JunitCounts& counts);

std::string document_text(const pugi::xml_document& document);

}  // namespace flashgate::reports
