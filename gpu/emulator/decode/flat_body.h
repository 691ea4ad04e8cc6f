#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "gpu/emulator/program.h"
#include "gpu/emulator/ptx/module.h"

namespace flashgate::gpu::decode {

/// Where a variable or parameter of a frame lives once calls are gone.
struct Home
{
  ptx::StateSpace space = ptx::StateSpace::generic;  ///< shared or local; param for those of the entry; reg
  std::uint64_t offset = 0;                          ///< of a register: its number in the program
  bool is_dynamic = false;                           ///< shared: counts from where dynamic shared memory begins
};

/// A function body at one place of call: the entry's, or a copy of a device function's.
struct Frame
{
  std::size_t function = 0;  ///< Module::functions
  const ptx::FunctionBody* body = nullptr;
  std::uint32_t first_register = 0;  ///< its register r is the program's first_register + r
  std::int32_t first_place = 0;      ///< its location l is FlatBody::places[first_place + l]
  std::int32_t caller = -1;          ///< frame
  std::vector<Home> variables;       ///< of FunctionBody::variables
  std::vector<Home> parameters;      ///< of Function::parameters
  std::vector<Home> return_parameters;
};

/// One instruction of the program to be.
struct FlatInstruction
{
  enum class Kind : std::uint8_t {
    ptx,             ///< `source` as it stands, but branches go to the flat `targets`
    jump,            ///< to targets[0]
    exit,            ///< of the thread
    copy,            ///< mov of operand `from`, or else of register `from_register`, to register `to`
    compare,         ///< predicate `to` = (register `from` holds the address of function `callee`)
    unknown_callee,  ///< an indirect call that met no function of its prototype
  };
  Kind kind = Kind::ptx;
  std::int32_t frame = 0;
  const ptx::Instruction* source = nullptr;  ///< never null but for the exit at the end
  std::int32_t guard = -1;                   ///< register of the program
  bool guard_negated = false;
  std::vector<std::int32_t> targets;   ///< flat instructions
  const ptx::Operand* from = nullptr;  ///< of the frame's body
  std::uint32_t from_register = 0;     ///< of the program, as is `to`
  std::uint32_t to = 0;
  std::size_t callee = 0;
};

/// A kernel with the device functions it calls, every call replaced by a copy of the callee.
struct FlatBody
{
  std::shared_ptr<const ptx::Module> module;
  std::map<std::size_t, std::unique_ptr<const ptx::FunctionBody>> bodies;
  std::vector<Frame> frames;  ///< the first is the entry's
  std::vector<FlatInstruction> instructions;
  std::vector<ptx::Register> registers;  ///< of all frames, and those made for calls
  std::vector<SourcePlace> places;
  std::map<std::size_t, Home> shared_variables;  ///< of Module::variables, those that are used
  std::uint32_t shared_bytes = 0;                ///< static
  std::uint32_t dynamic_shared_alignment = 16;
  std::uint32_t local_bytes = 0;
  std::uint32_t parameter_bytes = 0;
};

/// The number that stands for the address of a function of the module.
std::uint64_t function_address(std::size_t function);

/// True for the functions that the engine itself provides: vprintf, __assertfail.
bool is_builtin(std::string_view function);

/// Throws Error for recursion, for calls of functions without a body, and for bodies that do not parse.
FlatBody flatten(std::shared_ptr<const ptx::Module> module, std::size_t entry);

}  // namespace flashgate::gpu::decode
