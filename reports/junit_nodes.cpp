#include "reports/junit_nodes.h"

#include <sstream>

#include "reports/plain_text.h"

namespace flashgate::reports {
namespace {

constexpr std::size_t kLongestText = 20000, kLongestAttribute = 1000;

}  // namespace

void set_junit(pugi::xml_node node, const char* attribute, std::string_view text)
{
  node.append_attribute(attribute).set_value(shown_text(text, kLongestAttribute).c_str());
}

void set_junit_text(pugi::xml_node node, std::string_view text)
{
  node.text().set(shown_text(text, kLongestText, true).c_str());
}

void set_junit_counts(pugi::xml_node node, const JunitCounts& counts)
{
  node.append_attribute("tests").set_value(counts.tests);
  node.append_attribute("failures").set_value(counts.failures);
  node.append_attribute("errors").set_value(0);
  node.append_attribute("skipped").set_value(counts.skipped);
}

std::string document_text(const pugi::xml_document& document)
{
  std::ostringstream out;
  document.save(out, "  ");
  return out.str();
}

}  // namespace flashgate::reports
