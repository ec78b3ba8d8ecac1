// SPDX-License-Identifier: Apache-2.0
#include "host/isolate/frames.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string_view>
#include <thread>
#include <utility>

#include "host/base/child.h"
#include "host/base/display_text.h"
#include "host/base/file.h"
#include "host/base/text.h"

namespace opsrun::host {
namespace {

constexpr size_t kTexts = 6, kMostFrames = 32, kMostAnswer = size_t{1} << 17;
constexpr off_t kMostQuestion = off_t{64} << 20;  // a stack and a list of files
constexpr std::chrono::seconds kLimit{5};

void WaitOrKill(pid_t child) {
  const auto end = std::chrono::steady_clock::now() + kLimit;
  int status = 0;
  for (pid_t got = 0; got == 0 || (got < 0 && errno == EINTR);) {
    if (std::chrono::steady_clock::now() > end) kill(child, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    got = waitpid(child, &status, WNOHANG);
  }
}

}  // namespace

StackFrame FrameOf(std::vector<std::string> texts) {
  texts.resize(kTexts);
  for (std::string& text : texts) text = Printable(text);
  return {texts[0], texts[1],
          texts[2], ParseInteger<uint32_t>(texts[3]).value_or(0),
          texts[4], ParseInteger<uint32_t>(texts[5]).value_or(0)};
}

std::vector<StackFrame> FramesOfStack(int stack, const std::string& plugin_folder) {
  struct stat now = {};
  const std::string program = FindOwnProgram("opsrun-backtrace");
  if (program.empty() || fstat(stack, &now) != 0 || now.st_size == 0 || now.st_size > kMostQuestion ||
      lseek(stack, 0, SEEK_SET) != 0)
    return {};
  const Descriptor answer(memfd_create("opsrun-backtrace", MFD_CLOEXEC));
  const GivenFile files[] = {{STDIN_FILENO, stack}, {STDOUT_FILENO, answer.get()}, {STDERR_FILENO}};
  pid_t child = -1;
  if (answer.get() < 0 || StartProgram({program, plugin_folder}, files, &child) != 0) return {};
  WaitOrKill(child);
  std::string bytes(kMostAnswer, '\0');
  bytes.resize(static_cast<size_t>(std::max<ssize_t>(0, pread(answer.get(), bytes.data(), bytes.size(), 0))));
  std::vector<StackFrame> frames;
  std::vector<std::string> texts;
  std::string_view left = bytes;
  for (size_t end = left.find('\0'); end != left.npos && frames.size() < kMostFrames; end = left.find('\0')) {
    texts.emplace_back(left.substr(0, end));
    left.remove_prefix(end + 1);
    if (texts.size() == kTexts) frames.push_back(FrameOf(std::exchange(texts, {})));
  }
  return frames;
}

}  // namespace opsrun::host
