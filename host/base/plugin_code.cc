// host/base/plugin_code.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/base/plugin_code.h"

#include <fmt/format.h>

#include <utility>

namespace opsrun::host {
namespace {

// Of the thread, since a signal handler has nothing else to ask.
thread_local const PluginCode* running_code = nullptr;

#if defined(__x86_64__)
// MXCSR without its flags, and the control word of the x87 unit.
constexpr uint32_t kFlags = 0x3F;

uint64_t ReadMode() {
  uint32_t mxcsr = 0;
  uint16_t x87 = 0;
  asm volatile("stmxcsr %0" : "=m"(mxcsr));
  asm volatile("fnstcw %0" : "=m"(x87));
  return (mxcsr & ~kFlags) | uint64_t{x87} << 32;
}

void WriteMode(uint64_t mode) {
  const auto mxcsr = static_cast<uint32_t>(mode);
  const auto x87 = static_cast<uint16_t>(mode >> 32);
  asm volatile("ldmxcsr %0" : : "m"(mxcsr));
  asm volatile("fldcw %0" : : "m"(x87));
}
#elif defined(__aarch64__)
uint64_t ReadMode() {
  uint64_t fpcr = 0;
  asm volatile("mrs %0, fpcr" : "=r"(fpcr));
  return fpcr;
}

void WriteMode(uint64_t mode) {
  asm volatile("msr fpcr, %0" : : "r"(mode));
}
#else
#error "opsrun runs on x86-64 and aarch64"
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

FloatingPointMode::FloatingPointMode() : mode_(ReadMode()) {}

bool FloatingPointMode::Restore() const {
  if (ReadMode() == mode_) return false;
  WriteMode(mode_);
  return true;
}

}  // namespace opsrun::host
