// host/cli/guard/crash_parts.cc: what a report of a crash is made of: text that is written without allocation, and
// whose code is on the stack.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <iterator>

#include "host/cli/guard/guard.h"

namespace opsrun::host {
namespace {

// Another thread may be writing a line to stderr in pieces, as err() does. Waits briefly for the end of that line: the
// thread may never get there, and this may be a signal handler.
class EndOfLine {
 public:
  EndOfLine() {
    constexpr int kTries = 50;
    constexpr timespec kPause = {0, 2'000'000};
    for (int i = 0; i < kTries && !(held_ = ftrylockfile(stderr) == 0); ++i) nanosleep(&kPause, nullptr);
  }
  EndOfLine(const EndOfLine&) = delete;
  ~EndOfLine() {
    if (held_) funlockfile(stderr);
  }

 private:
  bool held_ = false;
};

// Buffers bytes for one descriptor.
class Writer {
 public:
  explicit Writer(int descriptor) : descriptor_(descriptor) {}
  Writer(const Writer&) = delete;
  ~Writer() { Flush(); }

  Writer& operator<<(std::string_view text) {
    for (const char c : text) Put(c);
    return *this;
  }
  Writer& operator<<(int64_t number) {
    CrashText digits;
    digits << number;
    return *this << digits.view();
  }
  // Untrusted text: control characters, including U+0080 to U+009F, become "?".
  Writer& Plain(std::string_view text) {
    char before = 0;
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      const bool control = byte < 0x20 || byte == 0x7F || (before == '\xC2' && byte < 0xA0);
      Put(control ? '?' : c);
      before = c;
    }
    return *this;
  }
  // A JSON string. Bytes above ASCII are not changed: names and paths are usually UTF-8, and readers replace the rest.
  Writer& Quoted(std::string_view text) {
    Put('"');
    for (const char c : text) {
      if (c == '"' || c == '\\') Put('\\');
      Put(static_cast<unsigned char>(c) < 0x20 ? ' ' : c);
    }
    Put('"');
    return *this;
  }

 private:
  void Put(char c) {
    if (used_ == sizeof(bytes_)) Flush();
    bytes_[used_++] = c;
  }
  void Flush() {
    size_t written = 0;
    while (written < used_) {
      const ssize_t now = write(descriptor_, bytes_ + written, used_ - written);
      if (now < 0 && errno == EINTR) continue;
      if (now <= 0) break;
      written += static_cast<size_t>(now);
    }
    used_ = 0;
  }

  const int descriptor_;
  char bytes_[8192];
  size_t used_ = 0;
};

// The file from the beginning of line n; empty past the end.
std::string_view From(const SourceFile& source, uint32_t n) {
  std::string_view left = source.text;
  for (; n > 1; --n) {
    const size_t end = left.find('\n');
    if (end == std::string_view::npos) return {};
    left.remove_prefix(end + 1);
  }
  return left;
}

std::string_view LineOf(const SourceFile& source, uint32_t n) {
  const std::string_view left = From(source, n);
  return left.substr(0, left.find_first_of("\r\n"));
}

size_t Digits(uint32_t number) {
  return number < 10 ? 1 : 1 + Digits(number / 10);
}

void Blanks(Writer& out, size_t count) {
  for (; count > 0; --count) out << " ";
}

// The line with a caret under the place. Omitted if the line is too wide for a screen.
void WriteSnippet(Writer& out, const CrashDiagnostic& d, size_t gutter) {
  constexpr size_t kWidest = 120;
  const Position begin = d.where.begin, end = d.where.end;
  const std::string_view line = LineOf(*d.source, begin.line);
  if (line.empty() || line.size() > kWidest || begin.column == 0) return;
  Blanks(out, gutter);
  out << " |\n" << int64_t{begin.line} << " | ";
  out.Plain(line) << "\n";
  Blanks(out, gutter);
  out << " | ";
  const size_t last = end.line == begin.line ? std::max(end.column, begin.column + 1) : begin.column + 1;
  for (size_t column = 1; column < last && column <= line.size(); ++column) {
    if ((static_cast<unsigned char>(line[column - 1]) & 0xC0) != 0x80) out << (column < begin.column ? " " : "^");
  }
  out << "\n";
}

void WriteRemark(Writer& out, size_t gutter, std::string_view kind, const CrashText& text) {
  if (text.empty()) return;
  Blanks(out, gutter);
  out << " = " << kind << ": ";
  out.Plain(text.view()) << "\n";
}

void WritePlace(Writer& out, const CrashDiagnostic& d) {
  out.Plain(d.source->path);
  if (d.where.known()) out << ":" << int64_t{d.where.begin.line} << ":" << int64_t{d.where.begin.column};
}

void WriteHuman(Writer& out, const CrashDiagnostic& d) {
  const size_t gutter = Digits(d.where.begin.line);
  out << "error[" << d.code.text() << "]: ";
  out.Plain(d.message.view()) << "\n";
  if (d.source != nullptr) {
    Blanks(out, gutter);
    out << "--> ";
    WritePlace(out, d);
    out << "\n";
    if (d.where.known()) WriteSnippet(out, d, gutter);
  }
  WriteRemark(out, gutter, "help", d.help);
  WriteRemark(out, gutter, "note", d.note);
}

void WriteShort(Writer& out, const CrashDiagnostic& d) {
  if (d.source != nullptr) {
    WritePlace(out, d);
    out << ": ";
  }
  out << "error[" << d.code.text() << "]: ";
  out.Plain(d.message.view());
  if (!d.help.empty()) out << "; ";
  out.Plain(d.help.view()) << "\n";
}

void WritePosition(Writer& out, const SourceFile& source, const Position& place) {
  const auto before = From(source, place.line).data() - source.text.data();
  out << "{\"line\":" << int64_t{place.line} << ",\"column\":" << int64_t{place.column}
      << ",\"byte\":" << before + place.column - 1 << "}";
}

void WriteList(Writer& out, const CrashText& text) {
  out << "[";
  if (!text.empty()) out.Quoted(text.view());
  out << "]";
}

void WriteJson(Writer& out, const CrashDiagnostic& d) {
  out << "{\"level\":\"error\",\"code\":\"" << d.code.text() << "\",\"message\":";
  out.Quoted(d.message.view()) << ",\"file\":";
  if (d.source == nullptr) {
    out << "null";
  } else {
    out.Quoted(d.source->path);
  }
  out << ",\"spans\":[";
  if (d.source != nullptr && d.where.known()) {
    out << "{\"primary\":true,\"label\":\"\",\"begin\":";
    WritePosition(out, *d.source, d.where.begin);
    out << ",\"end\":";
    WritePosition(out, *d.source, d.where.end);
    out << "}";
  }
  out << "],\"suggestion\":null,\"help\":";
  WriteList(out, d.help);
  out << ",\"notes\":";
  WriteList(out, d.note);
  out << "}\n";
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

bool IsOfTheSystem(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  constexpr std::string_view kSystem[] = {"libc.so",  "libc-",      "ld-linux", "libstdc++",
                                          "libgcc_s", "libpthread", "libm.so"};
  return std::any_of(std::begin(kSystem), std::end(kSystem), [&](std::string_view s) { return file.starts_with(s); });
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
  return *this << std::string_view(
             digits, static_cast<size_t>(std::to_chars(digits, digits + sizeof(digits), number).ptr - digits));
}

void WriteCrash(int descriptor, const CrashDiagnostic& d, ErrorFormat format) {
  const EndOfLine end_of_line;
  Writer out(descriptor);
  switch (format) {
    case ErrorFormat::kHuman:
      return WriteHuman(out, d);
    case ErrorFormat::kShort:
      return WriteShort(out, d);
    case ErrorFormat::kJson:
      return WriteJson(out, d);
  }
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
