// host/cli/unwinder/main.cc: opsrun-backtrace, which answers a crashed opsrun's question: see captured_thread.h. It
// gets the question as its standard input.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "host/cli/unwinder/unwind.h"
#include "host/isolate/sandbox.h"

namespace opsrun::host {
namespace {

// A deeper stack is that of an infinite recursion; reading more of it would take too long.
constexpr size_t kMostAddresses = 600'000;
// Of a long stack, both ends are named.
constexpr size_t kNamed = 2 * kMostFrames;
constexpr ptrdiff_t kFirst = 20, kLast = kMostFrames - kFirst - 1;  // shown around those that are left out

struct Question {
  CapturedThread thread;
  std::string_view stack, maps;
};

std::optional<Question> ReadQuestion() {
  struct stat status = {};
  if (fstat(STDIN_FILENO, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  const auto size = static_cast<size_t>(status.st_size);
  Question question;
  void* const bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, STDIN_FILENO, 0);
  if (bytes == MAP_FAILED || size < sizeof(question.thread)) return std::nullopt;
  std::memcpy(&question.thread, bytes, sizeof(question.thread));
  std::string_view rest(static_cast<const char*>(bytes), size);
  rest.remove_prefix(sizeof(question.thread));
  if (question.thread.stack_bytes > rest.size()) return std::nullopt;
  question.stack = rest.substr(0, question.thread.stack_bytes);
  question.maps = rest.substr(question.thread.stack_bytes);
  return question;
}

enum class Owner { kNobody, kOpsrun, kSystem, kPlugin };  // kPlugin: or a library that it uses

Owner OwnerOf(const std::string& module, const std::string& program) {
  if (module.empty()) return Owner::kNobody;
  if (module == program) return Owner::kOpsrun;
  return IsOfTheSystem(module) ? Owner::kSystem : Owner::kPlugin;
}

// Called by what an author wrote, and between it and the report: it says nothing that the message does not say.
bool IsMachinery(const std::string& function) {
  static const std::set<std::string_view> kNames = {"abort",
                                                    "raise",
                                                    "gsignal",
                                                    "pthread_kill",
                                                    "exit",
                                                    "_exit",
                                                    "_Exit",
                                                    "quick_exit",
                                                    "pthread_exit",
                                                    "std::terminate()",
                                                    "__cxa_throw",
                                                    "__cxa_rethrow",
                                                    "__cxa_call_terminate",
                                                    "__gxx_personality_v0",
                                                    "__run_exit_handlers",
                                                    "_Unwind_RaiseException",
                                                    "_Unwind_Resume"};
  return kNames.count(function) != 0;
}

// Untrusted text: control characters become "?", and long text is cut in the middle, where names of templates repeat
// themselves.
std::string Tidy(std::string text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool control = byte < 0x20 || byte == 0x7F || (byte < 0xA0 && i > 0 && text[i - 1] == '\xC2');
    if (control) text[i] = '?';
  }
  constexpr size_t kHalf = (kMostFrameText - 1 - 3) / 2;
  if (text.size() < kMostFrameText) return text;
  return text.substr(0, kHalf) + "..." + text.substr(text.size() - kHalf);
}

// As an author writes it.
std::string ReadableFunction(std::string name) {
  static constexpr std::string_view kStrings[] = {
      "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >",
      "std::basic_string<char, std::char_traits<char>, std::allocator<char> >"};
  for (const std::string_view each : kStrings) {
    for (size_t at = name.find(each); at != std::string::npos; at = name.find(each, at)) {
      name.replace(at, each.size(), "std::string");
    }
  }
  return name;
}

// Below the current directory, as compilers print it.
std::string ReadableFile(const std::string& file) {
  const std::string here = std::filesystem::current_path().string() + "/";
  return file.starts_with(here) ? file.substr(here.size()) : file;
}

void Append(std::string& text, const std::string& field) {
  text += Tidy(field) + '\0';
}

// As StackFrame::text.
std::string WholeText(const NamedFrame& frame) {
  const std::string what = frame.function.empty() ? fmt::format("{:#x}", frame.offset) : frame.function;
  if (frame.file.empty()) return fmt::format("{} in {}", what, frame.module.substr(frame.module.rfind('/') + 1));
  return frame.line > 0 ? fmt::format("{} at {}:{}", what, frame.file, frame.line)
                        : fmt::format("{} at {}", what, frame.file);
}

std::string TextOf(const std::vector<NamedFrame>& frames) {
  std::string text;
  for (const NamedFrame& frame : frames) {
    Append(text, WholeText(frame));
    Append(text, frame.function);
    Append(text, frame.file);
    Append(text, frame.line > 0 ? std::to_string(frame.line) : "");
    Append(text, frame.module);
    Append(text, "");
  }
  return text;
}

// "5,131"
std::string Grouped(size_t number) {
  const std::string rest = fmt::format("{:03}", number % 1000);
  return number < 1000 ? std::to_string(number) : Grouped(number / 1000) + "," + rest;
}

std::string TextOfLeftOut(size_t count, std::string_view before, std::string_view after) {
  std::string text;
  Append(text, fmt::format("... {}{} frames{}", before, Grouped(count), after));
  for (size_t i = 2; i < kTextsPerFrame; ++i) Append(text, "");
  Append(text, std::to_string(count));
  return text;
}

class Backtrace {
 public:
  explicit Backtrace(const Question& question)
      : unwinder_(question.thread, question.stack, question.maps),
        program_(unwinder_.ModuleOf(question.thread.program)) {
    addresses_ = unwinder_.Addresses(kMostAddresses);
    ends_here_ = addresses_.size() < kMostAddresses;
    CutHost();
    CutMachinery();
  }

  std::string Text() {
    const size_t count = addresses_.size();
    std::vector<NamedFrame> first, last;
    size_t left_out = count - kFirst - kLast;
    if (count <= kNamed) {
      first = NamesOf(0, count);
      if (first.size() <= kMostFrames) return TextOf(first);
      last.assign(first.end() - kLast, first.end());
      left_out = first.size() - kFirst - kLast;
    } else {
      first = NamesOf(0, kFirst);
      last = NamesOf(count - kLast, count);
      last.erase(last.begin(), last.end() - kLast);
    }
    first.resize(kFirst);
    const std::string middle =
        TextOfLeftOut(left_out, ends_here_ ? "" : "at least ", IsRepetition() ? " like these" : "");
    return TextOf(first) + middle + (ends_here_ ? TextOf(last) : "");
  }

 private:
  Owner Of(size_t i) { return OwnerOf(unwinder_.ModuleOf(addresses_[i]), program_); }

  // What is around the outermost frame of a plugin.
  void CutHost() {
    size_t end = addresses_.size();
    while (end > 0 && Of(end - 1) != Owner::kPlugin) --end;
    addresses_.resize(end);
    // What calls an author's code in the same file is in the SDK's headers.
    while (end > 0 && IsOfSdk(addresses_[end - 1])) --end;
    if (end > 0) addresses_.resize(end);
  }

  bool IsOfSdk(uint64_t address) const {
    const std::vector<NamedFrame> frames = unwinder_.NamesOf(address);
    return std::all_of(frames.begin(), frames.end(), [](const NamedFrame& frame) {
      return frame.function.find("opsrun::internal::") != std::string::npos;
    });
  }

  void CutMachinery() {
    size_t begin = 0;
    for (size_t i = 0; i < addresses_.size() && (Of(i) == Owner::kSystem || Of(i) == Owner::kOpsrun); ++i) {
      if (IsMachinery(unwinder_.NamesOf(addresses_[i]).back().function)) begin = i + 1;
    }
    addresses_.erase(addresses_.begin(), addresses_.begin() + static_cast<std::ptrdiff_t>(begin));
  }

  std::vector<NamedFrame> ReadableNamesOf(uint64_t address) const {
    std::vector<NamedFrame> frames = unwinder_.NamesOf(address);
    for (NamedFrame& frame : frames) {
      frame.function = ReadableFunction(std::move(frame.function));
      frame.file = ReadableFile(frame.file);
    }
    return frames;
  }

  // What is left out is what the first frames are, too.
  bool IsRepetition() const {
    if (addresses_.size() <= kNamed) return false;
    const std::set<uint64_t> shown(addresses_.begin(), addresses_.begin() + kFirst);
    return std::all_of(addresses_.begin() + kFirst, addresses_.end() - kLast,
                       [&](uint64_t each) { return shown.count(each) != 0; });
  }

  std::vector<NamedFrame> NamesOf(size_t begin, size_t end) {
    std::vector<NamedFrame> frames;
    for (size_t i = begin; i < end; ++i) {
      const auto [at, is_new] = names_.try_emplace(addresses_[i]);
      if (is_new) at->second = ReadableNamesOf(addresses_[i]);
      frames.insert(frames.end(), at->second.begin(), at->second.end());
    }
    return frames;
  }

  Unwinder unwinder_;
  const std::string program_;
  std::vector<uint64_t> addresses_;
  bool ends_here_ = true;
  std::map<uint64_t, std::vector<NamedFrame>> names_;  // of each address that was asked for
};

// If a file makes libdw hang, the crashed process kills this one; if that cannot, the alarm does.
void LimitThisProcess() {
  constexpr unsigned kSeconds = 10;
  const rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  alarm(kSeconds);
}

}  // namespace
}  // namespace opsrun::host

// With an argument, the folder of a plugin in a sandbox: what is asked can be a lie.
int main(int argc, char** argv) {
  using namespace opsrun::host;
  LimitThisProcess();
  if (argc == 2) {
    clearenv();  // nothing asks servers for debug information
    SandboxOptions options;
    options.plugin_folder = argv[1];
    options.memory = size_t{1} << 30;
    std::error_code error;
    options.libraries = {std::filesystem::read_symlink("/proc/self/exe", error).parent_path().string()};
    if (!EnterSandbox(options).ok()) return 1;
  }
  const std::optional<Question> question = ReadQuestion();
  if (!question) {
    std::fputs("opsrun-backtrace is started by opsrun, to find out where a plugin crashed\n", stderr);
    return 2;
  }
  const std::string text = Backtrace(*question).Text();
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0 ? 0 : 1;
}
