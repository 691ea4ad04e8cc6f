#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/dispatch/subject.h"

namespace flashgate::tests {

/// The clean control with one thing done wrong: what a saboteur changes in an otherwise right plan.
class Saboteur : public sim::Subject
{
 public:
  using Spoil = std::function<void(const sim::Request&, sim::CellPlan&)>;

  Saboteur(std::string name, std::string caught_by, Spoil spoil)
      : name_(std::move(name)), caught_by_(std::move(caught_by)), spoil_(std::move(spoil))
  {
  }

  std::string name() const override { return name_; }
  std::string description() const override { return "caught by " + caught_by_ + " alone"; }
  const std::string& caught_by() const { return caught_by_; }
  void plan(const sim::Request& request, bool with_trace, sim::CellPlan& plan) const override;

 private:
  std::string name_;
  std::string caught_by_;
  Spoil spoil_;
};

/// At least one saboteur for every check.
std::vector<Saboteur> saboteurs();

}  // namespace flashgate::tests
