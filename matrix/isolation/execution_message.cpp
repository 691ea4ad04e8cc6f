#include "matrix/isolation/execution_message.h"

#include <algorithm>

#include <fmt/format.h>

#include "matrix/isolation/message_bytes.h"
#include "matrix/texts.h"

namespace flashgate::matrix {
namespace {

using reference::TensorMetrics;

constexpr std::uint64_t kMostFindings = 1000;
constexpr std::uint64_t kLargestIndex = 0x7fffffff;

void write(const TensorMetrics& metrics, MessageWriter& to)
{
  to.number(static_cast<std::uint64_t>(metrics.elements));
  for (const double real : {metrics.max_abs_err, metrics.max_rel_err, metrics.bound_ratio, metrics.worst_actual,
                            metrics.worst_expected, metrics.worst_bound, metrics.zero_share})
    to.real(real);
  for (const std::int64_t count : metrics.ulp_histogram)
    to.number(static_cast<std::uint64_t>(count));
  for (const int at : {metrics.worst.b, metrics.worst.h, metrics.worst.s, metrics.worst.d})
    to.number(static_cast<std::uint64_t>(at));
  for (const std::int64_t count : {metrics.failures, metrics.nonfinite_count, metrics.nonfinite_expected})
    to.number(static_cast<std::uint64_t>(count));
}

TensorMetrics read_metrics(MessageReader& from)
{
  TensorMetrics metrics;
  metrics.elements = from.signed_number();
  for (double* real : {&metrics.max_abs_err, &metrics.max_rel_err, &metrics.bound_ratio, &metrics.worst_actual,
                       &metrics.worst_expected, &metrics.worst_bound, &metrics.zero_share})
    *real = from.real();
  for (std::int64_t& count : metrics.ulp_histogram)
    count = from.signed_number();
  for (int* at : {&metrics.worst.b, &metrics.worst.h, &metrics.worst.s, &metrics.worst.d})
    *at = static_cast<int>(from.number_up_to(kLargestIndex));
  for (std::int64_t* count : {&metrics.failures, &metrics.nonfinite_count, &metrics.nonfinite_expected})
    *count = from.signed_number();
  return metrics;
}

void write(const TensorResult& tensor, MessageWriter& to)
{
  to.text(tensor.tensor);
  write(tensor.metrics, to);
  to.number(tensor.field_rule_ratio ? 1 : 0);
  to.real(tensor.field_rule_ratio.value_or(0));
  to.number(tensor.promises_bits ? 1 : 0);
  to.number(static_cast<std::uint64_t>(tensor.results));
}

TensorResult read_tensor(MessageReader& from, const NumericsCase& numerics)
{
  const std::string name = from.text();
  const auto& known = judged_tensors(numerics);
  const auto found = std::ranges::find(known, name, &JudgedTensor::name);
  if (found == known.end())
    throw ProtocolViolation(fmt::format("a result for tensor \"{}\", which the case does not have", printable(name)));
  TensorResult tensor;
  tensor.tensor = found->name;
  tensor.metrics = read_metrics(from);
  const bool has_ratio = from.number_up_to(1) == 1;
  const double ratio = from.real();
  if (has_ratio) tensor.field_rule_ratio = ratio;
  tensor.promises_bits = from.number_up_to(1) == 1;
  tensor.results = static_cast<int>(from.number_up_to(kLargestIndex));
  return tensor;
}

std::string_view read_check(MessageReader& from)
{
  const std::string id = from.text();
  const auto check = find_execution_check(id);
  if (!check) throw ProtocolViolation(fmt::format("a finding of check \"{}\", which does not exist", printable(id)));
  return *check;
}

Verdict read_verdict(MessageReader& from)
{
  return static_cast<Verdict>(from.number_up_to(static_cast<std::uint64_t>(Verdict::missing)));
}

void write(const ExecutionFinding& finding, MessageWriter& to)
{
  to.text(finding.check_id);
  to.number(static_cast<std::uint64_t>(finding.verdict));
  to.text(finding.detail);
}

ExecutionFinding read_finding(MessageReader& from)
{
  ExecutionFinding finding;
  finding.check_id = read_check(from);
  finding.verdict = read_verdict(from);
  finding.detail = from.text();
  return finding;
}

void write(const ExecutionIncident& incident, MessageWriter& to)
{
  to.text(incident.check_id);
  to.text(incident.kind);
  to.text(incident.detail);
}

ExecutionIncident read_incident(MessageReader& from)
{
  ExecutionIncident incident;
  incident.check_id = read_check(from);
  incident.kind = printable(from.text());
  incident.detail = from.text();
  return incident;
}

template <typename Item>
void write_all(const std::vector<Item>& items, MessageWriter& to)
{
  to.number(items.size());
  for (const Item& item : items)
    write(item, to);
}

/// The worst of the findings: a verdict is never taken from a worker's word alone.
Verdict worst_of(const std::vector<ExecutionFinding>& findings)
{
  Verdict worst = Verdict::pass;
  for (const ExecutionFinding& finding : findings)
    worst = worse(worst, finding.verdict);
  return worst;
}

}  // namespace

std::string to_payload(const ExecutionRequest& request)
{
  MessageWriter to;
  to.number(request.id);
  to.text(request.numerics);
  to.text(request.backend);
  to.text(request.evidence);
  return to.take();
}

ExecutionRequest parse_request(std::string_view payload)
{
  MessageReader from(payload);
  ExecutionRequest request;
  request.id = from.number();
  request.numerics = from.text();
  request.backend = from.text();
  request.evidence = from.text();
  from.end();
  return request;
}

std::string to_payload(std::uint64_t id, const ExecutionResult& result)
{
  MessageWriter to;
  to.number(id);
  for (const std::string* text : {&result.digest, &result.backend, &result.evidence, &result.kernel_hash})
    to.text(*text);
  to.number(static_cast<std::uint64_t>(result.runs));
  to.real(result.seconds);
  write_all(result.tensors, to);
  write_all(result.findings, to);
  write_all(result.incidents, to);
  return to.take();
}

ExecutionResult parse_reply(std::string_view payload, std::uint64_t id, const NumericsCase& numerics)
{
  MessageReader from(payload);
  const std::uint64_t answered = from.number();
  if (answered != id) throw ProtocolViolation(fmt::format("a reply to request {}, expected one to {}", answered, id));
  ExecutionResult result;
  result.numerics = numerics;
  for (std::string* text : {&result.digest, &result.backend, &result.evidence, &result.kernel_hash})
    *text = from.text();
  result.runs = static_cast<int>(from.number_up_to(kLargestIndex));
  result.seconds = from.real();
  for (std::uint64_t left = from.number_up_to(judged_tensors(numerics).size()); left > 0; --left)
    result.tensors.push_back(read_tensor(from, numerics));
  for (std::uint64_t left = from.number_up_to(kMostFindings); left > 0; --left)
    result.findings.push_back(read_finding(from));
  for (std::uint64_t left = from.number_up_to(kMostFindings); left > 0; --left)
    result.incidents.push_back(read_incident(from));
  from.end();
  result.verdict = worst_of(result.findings);
  return result;
}

}  // namespace flashgate::matrix
