#pragma once

#include <map>
#include <string>
#include <vector>

namespace flashgate::sim {

/// Lines of a subject's source: file, relative to the checkout's root, to line numbers from 1, ascending.
using SourceLines = std::map<std::string, std::vector<int>>;

}  // namespace flashgate::sim
