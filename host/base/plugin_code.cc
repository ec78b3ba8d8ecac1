// host/base/plugin_code.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/base/plugin_code.h"

#include <fmt/format.h>

#include <utility>

namespace opsrun::host {
namespace {

// Of the thread, since a signal handler has nothing else to ask.
thread_local const PluginCode* running_code = nullptr;

// The bits of a mode, by what they control. Sources: Intel's manual, volume 1, 8.1.5 and 10.2.3; Arm's, FPCR.
struct Part {
  const char* name;
  uint64_t bits;
};
#if defined(__x86_64__)
constexpr Part kParts[] = {{"traps", 0x1F80 | uint64_t{0x3F} << 32},
                           {"rounding", 0x6000 | uint64_t{0xC00} << 32},
                           {"precision", uint64_t{0x300} << 32},
                           {"subnormal numbers", 0x8040}};
#else
constexpr Part kParts[] = {{"traps", 0x9F00}, {"rounding", 0xC00000}, {"subnormal numbers", 0x1080000}};
#endif

}  // namespace

std::string Thrown::Sentence() const {
  return "threw an exception" + (text.empty() ? std::string(" of an unknown type") : ": " + text);
}

const PluginCode* RunningCode() {
  return running_code;
}

RunningMark::RunningMark(const PluginCode* code) : outer_(std::exchange(running_code, code)) {}

RunningMark::~RunningMark() {
  running_code = outer_;
}

void LogThrown(const PluginCodeFacts& facts, const opsrun_host* host, const Thrown& thrown) {
  if (host == nullptr) return;
  opsrun_create where = {};  // tells the slot whose log it is
  where.size = sizeof(where);
  where.kind = OPSRUN_KIND_CREATE;
  where.host = host;
  const std::string_view what = facts.phase == PluginPhase::kDestroy    ? "the destructor of a kernel"
                                : facts.phase == PluginPhase::kResource ? "the destructor of a resource"
                                                                        : "its shutdown function";
  std::string text = fmt::format("plugin '{}' ({}): {} {}", facts.name, facts.path, what, thrown.Sentence());
  host->log(&where, OPSRUN_LOG_WARNING, {text.data(), text.size()}, {}, 0);
}

#if defined(__x86_64__)
uint64_t FloatingPointMode::ReadMode() {
  uint32_t mxcsr = 0;
  uint16_t x87 = 0;
  asm volatile("stmxcsr %0" : "=m"(mxcsr));
  asm volatile("fnstcw %0" : "=m"(x87));
  return (mxcsr & ~kFlags) | uint64_t{x87} << 32;
}

// An exception of the x87 unit that has become a trap is raised by its next instruction, which must not be ours.
void FloatingPointMode::WriteMode(uint64_t mode) {
  constexpr uint16_t kPending = 0x80;
  const auto mxcsr = static_cast<uint32_t>(mode);
  const auto x87 = static_cast<uint16_t>(mode >> 32);
  uint16_t state = 0;
  asm volatile("ldmxcsr %0" : : "m"(mxcsr));
  asm volatile("fnstsw %0" : "=m"(state));
  if ((state & kPending) != 0) asm volatile("fnclex");
  asm volatile("fldcw %0" : : "m"(x87));
}
#elif defined(__aarch64__)
uint64_t FloatingPointMode::ReadMode() {
  uint64_t fpcr = 0;
  asm volatile("mrs %0, fpcr" : "=r"(fpcr));
  return fpcr;
}

void FloatingPointMode::WriteMode(uint64_t mode) {
  asm volatile("msr fpcr, %0" : : "r"(mode));
}
#else
#error "opsrun runs on x86-64 and aarch64"
#endif

FloatingPointMode::FloatingPointMode() : mode_(ReadMode()) {}

std::string FloatingPointMode::Restore() const {
  const uint64_t changed = ReadMode() ^ mode_;
  if (changed == 0) return {};
  WriteMode(mode_);
  std::string parts;
  for (const Part& part : kParts) {
    if ((changed & part.bits) != 0) parts += (parts.empty() ? " (" : ", ") + std::string(part.name);
  }
  return "the floating-point mode" + parts + (parts.empty() ? "" : ")");
}

}  // namespace opsrun::host
