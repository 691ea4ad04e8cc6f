#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "matrix/execution.h"

namespace flashgate::matrix {

/// What a worker is asked to execute. The seed is part of the case's name.
struct ExecutionRequest
{
  std::uint64_t id = 0;
  std::string numerics;  ///< the case's name
  std::string backend;
  std::string evidence;
};

std::string to_payload(const ExecutionRequest& request);
/// Throws ProtocolViolation if the payload is not a request.
ExecutionRequest parse_request(std::string_view payload);

/// The payload of a reply: the request's id, and everything of the result but the case, which the supervisor knows.
std::string to_payload(std::uint64_t id, const ExecutionResult& result);
/// Throws ProtocolViolation if the payload is not a reply to request `id`, or speaks of tensors, checks or verdicts
/// that do not exist.
ExecutionResult parse_reply(std::string_view payload, std::uint64_t id, const NumericsCase& numerics);

}  // namespace flashgate::matrix
