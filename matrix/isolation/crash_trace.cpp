#include "matrix/isolation/crash_trace.h"

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include <execinfo.h>
#include <ucontext.h>
#include <unistd.h>

// What runs in the handler keeps to functions that are safe there; backtrace() is, once it has been called before.

namespace flashgate::matrix {
namespace {

constexpr std::size_t kHandlerStack = 256 * 1024;
constexpr std::array kFatalSignals{SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

alignas(16) char handler_stack[kHandlerStack];

void write_text(const char* text)
{
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) return;  // nobody is left to be told
}

/// True if the fault lies where the stack would have grown next.
bool is_stack_overflow(int signal, const siginfo_t* info, const void* context)
{
  if (signal != SIGSEGV) return false;
#ifdef __x86_64__
  constexpr std::uintptr_t kReach = 128 * 1024;  // of one frame below the stack pointer
  const auto* machine = static_cast<const ucontext_t*>(context);
  const auto pointer = static_cast<std::uintptr_t>(machine->uc_mcontext.gregs[REG_RSP]);
  const auto fault = reinterpret_cast<std::uintptr_t>(info->si_addr);
  return fault < pointer + 4096 && fault + kReach > pointer;
#else
  return false;
#endif
}

void write_trace(int signal, siginfo_t* info, void* context)
{
  write_text(is_stack_overflow(signal, info, context) ? kStackOverflow : "fatal signal");
  write_text(", stack of the thread:\n");
  std::array<void*, 64> frames;
  const int count = backtrace(frames.data(), static_cast<int>(frames.size()));
  backtrace_symbols_fd(frames.data(), count, STDERR_FILENO);
  std::signal(signal, SIG_DFL);
  raise(signal);
}

}  // namespace

void trace_crashes()
{
  void* frame = nullptr;
  backtrace(&frame, 1);  // loads what it needs, which it could not do in a handler

  stack_t stack{};
  stack.ss_sp = handler_stack;
  stack.ss_size = sizeof(handler_stack);
  sigaltstack(&stack, nullptr);

  struct sigaction action = {};
  action.sa_sigaction = write_trace;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND;
  sigemptyset(&action.sa_mask);
  for (const int signal : kFatalSignals)
    sigaction(signal, &action, nullptr);
}

}  // namespace flashgate::matrix
