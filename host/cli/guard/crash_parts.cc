// host/cli/guard/crash_parts.cc: what a report of a crash is made of: texts in fixed storage, alternate stacks, and
// whose code is on the stack.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstring>
#include <iterator>

#include "host/base/dtype.h"
#include "host/cli/guard/captured_thread.h"
#include "host/cli/guard/guard.h"

namespace opsrun::host {
namespace {

// "int32 [2, 3]". The plugin may have written over any of it. False if it cannot be read.
bool AppendTensor(const opsrun_tensor* at, CrashText& text) {
  opsrun_tensor tensor = {};
  int64_t sizes[OPSRUN_MAX_RANK] = {};
  if (!CheckedRead(at, sizeof(tensor), &tensor)) return false;
  if (!IsDType(DTypeFromNumber(tensor.dtype)) || tensor.rank < 0 || tensor.rank > OPSRUN_MAX_RANK) return false;
  const auto rank = static_cast<size_t>(tensor.rank);
  if (!CheckedRead(tensor.shape, rank * sizeof(*sizes), sizes)) return false;
  text << DTypeWord(DTypeFromNumber(tensor.dtype)) << " [";
  for (size_t i = 0; i < rank; ++i) text << (i == 0 ? "" : ", ") << sizes[i];
  text << "]";
  return true;
}

constexpr size_t kStackBytes = 64 * 1024;
alignas(16) char main_stack[kStackBytes];

bool HasAlternateStack() {
  stack_t now = {};
  return sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0;
}

bool SetAlternateStack(void* memory) {
  stack_t stack = {};
  stack.ss_sp = memory;
  stack.ss_size = kStackBytes;
  return sigaltstack(&stack, nullptr) == 0;
}

void FreeAlternateStack(void* memory) {
  stack_t none = {};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
  munmap(memory, kStackBytes);
}

// Not a thread_local with a destructor: the C library aborts if it has no memory to register one, and memory may be
// exhausted when a thread starts.
bool FreeWhenThreadEnds(void* memory) {
  static const auto key = []() -> std::optional<pthread_key_t> {
    pthread_key_t made = 0;
    return pthread_key_create(&made, FreeAlternateStack) == 0 ? std::optional(made) : std::nullopt;
  }();
  return key && pthread_setspecific(*key, memory) == 0;
}

}  // namespace

CrashText& CrashText::operator<<(std::string_view text) {
  const size_t taken = std::min(text.size(), kMost - std::min(size_, kMost));
  if (taken > 0) std::memcpy(bytes_ + size_, text.data(), taken);
  size_ += taken;
  return *this;
}

CrashText& CrashText::operator<<(int64_t number) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof(digits), number).ptr;
  return *this << std::string_view(digits, static_cast<size_t>(end - digits));
}

CrashText& CrashText::AppendHex(uint64_t number) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof(digits), number, 16).ptr;
  return *this << "0x" << std::string_view(digits, static_cast<size_t>(end - digits));
}

void AppendPhase(const PluginCodeFacts& facts, CrashText& text) {
  static constexpr struct {
    PluginPhase phase;
    std::string_view text;
    bool of_node = false;
  } kPhases[] = {{PluginPhase::kLoad, "while it was being loaded"},
                 {PluginPhase::kEntry, "in its entry function"},
                 {PluginPhase::kShape, "in the shape function", true},
                 {PluginPhase::kCreate, "in the constructor of the kernel", true},
                 {PluginPhase::kWorkspace, "in the workspace function of the kernel", true},
                 {PluginPhase::kCompute, "in the kernel", true},
                 {PluginPhase::kDestroy, "in the destructor of the kernel", true},
                 {PluginPhase::kResource, "while a shared resource was destroyed"},
                 {PluginPhase::kShutdown, "in its shutdown function"}};
  for (const auto& each : kPhases) {
    if (each.phase != facts.phase) continue;
    text << each.text;
    if (!each.of_node) continue;
    text << " of node '" << facts.node << "' (op " << facts.op << ")";
    if (!facts.last_node.empty()) text << ", which computes all nodes up to '" << facts.last_node << "'";
  }
}

void AppendInputs(const PluginCodeFacts& facts, CrashText& text) {
  constexpr uint32_t kShown = 8;
  opsrun_call call = {};
  const opsrun_tensor* inputs[kShown] = {};
  if (facts.call != nullptr && CheckedRead(facts.call, OPSRUN_LEVEL_1_SIZE_CALL, &call) &&
      CheckedRead(call.in, std::min(call.n_in, kShown) * sizeof(*inputs), inputs)) {
    for (uint32_t i = 0; i < std::min(call.n_in, kShown); ++i) {
      text << (i == 0 ? "inputs: " : ", ");
      if (!AppendTensor(inputs[i], text)) text << "unknown";
    }
    if (call.n_in > kShown) text << " and " << int64_t{call.n_in - kShown} << " more";
  }
  if (!facts.device.empty()) text << (text.empty() ? "" : "; ") << "device: " << facts.device;
}

void Describe(const PluginCodeFacts& facts, CrashDiagnostic& d) {
  d.source = facts.source;
  d.where = facts.where;
  CrashText& plugin = d.notes[0];
  plugin << "plugin: " << facts.name;
  if (!facts.version.empty()) plugin << " " << facts.version;
  plugin << " (" << facts.path << ")";
  AppendInputs(facts, d.notes[1]);
}

void Subject(const PluginCodeFacts& facts, CrashDiagnostic& d) {
  if (facts.name.empty()) {
    d.message << "'" << facts.path << "'";
  } else {
    d.message << "plugin '" << facts.name << "'";
  }
}

void DescribeMissing(const MissingSlot& slot, const opsrun_host& table, CrashDiagnostic& d) {
  d.message << "it used ";
  if (slot.name.empty()) {
    d.message << "byte " << int64_t{slot.offset};
  } else {
    d.message << "the slot '" << slot.name << "'";
  }
  d.message << " of opsrun_host, which level " << int64_t{table.level} << " does not have";
  d.help[0] << "check OPSRUN_HAS before using members that a later level added, or define OPSRUN_TARGET_LEVEL";
}

bool IsStackOverflow(int signal, const siginfo_t& info, const void* context) {
  if (signal != SIGSEGV && signal != SIGBUS) return false;
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  const auto stack = static_cast<uintptr_t>(machine.gregs[REG_RSP]);
#else
  const auto stack = static_cast<uintptr_t>(machine.sp);
#endif
  const auto at = reinterpret_cast<uintptr_t>(info.si_addr);
  constexpr uintptr_t kNear = 256 * 1024;  // frames with large arrays touch their far end first
  return info.si_code > 0 && at + kNear > stack && at < stack + kNear;
}

void MakeAlternateStack() {
  if (HasAlternateStack()) return;
  void* memory = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  if (!SetAlternateStack(memory) || !FreeWhenThreadEnds(memory)) FreeAlternateStack(memory);
}

void SetAlternateStackOfMainThread() {
  if (!HasAlternateStack()) SetAlternateStack(main_stack);
}

std::string_view FileAt(const void* address) {
  Dl_info info = {};
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : std::string_view();
}

bool IsOurs(const void* address) {
  Dl_info its = {}, ours = {};
  return dladdr(address, &its) != 0 && dladdr(reinterpret_cast<const void*>(&IsOurs), &ours) != 0 &&
         its.dli_fbase == ours.dli_fbase;
}

std::string_view FileOnStack() {
  void* frames[64];
  const int count = backtrace(frames, static_cast<int>(std::size(frames)));
  for (int i = 0; i < count; ++i) {
    const std::string_view file = FileAt(frames[i]);
    if (!file.empty() && !IsOfTheSystem(file) && !IsOurs(frames[i])) return file;
  }
  return {};
}

}  // namespace opsrun::host
