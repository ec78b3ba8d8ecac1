// host/cli/isolated/main.cc: opsrun-isolated: runs the code of one plugin for another process, which it does not
// outlive.
// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <vector>

#include "host/base/text.h"
#include "host/cli/guard/guard.h"
#include "host/cli/isolated/server.h"
#include "host/cli/judge/exchange.h"
#include "host/isolate/channel.h"

namespace opsrun::host {
namespace {

int Main(const std::vector<std::string>& words) {
  if (words.size() == 2 && words[0] == kJudgeWord) {
    const std::optional<WorkerOrder> order = WorkerOrder::Read(words[1]);
    return order ? RunWorker(*order) : kExitUsage;
  }
  std::vector<uint64_t> numbers;
  for (const std::string& word : words) numbers.push_back(ParseInteger<uint64_t>(word).value_or(0));
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (numbers.size() != 5 || static_cast<uint64_t>(getppid()) != numbers[0]) {
    std::fputs("opsrun-isolated is started by opsrun, for a plugin that is isolated; see docs/isolation.md\n", stderr);
    return kExitUsage;
  }
  const rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  const auto memory = SharedRegion::Attach(kChannelDescriptor, numbers[1], numbers[2]);
  const auto tensors = SharedRegion::Attach(kTensorsDescriptor, numbers[3], numbers[4]);
  if (!memory.ok() || !tensors.ok()) return kExitDevice;
  close(kChannelDescriptor);
  close(kTensorsDescriptor);
  syscall(SYS_close_range, kStackDescriptor + 1, ~0u, 0);
  ReportCrashes();
  SetCrashRecords(kReportDescriptor);
  signal(SIGPIPE, SIG_IGN);
  Server(std::make_shared<Channel>(*memory), **tensors).Serve();
  return kExitOk;
}

}  // namespace
}  // namespace opsrun::host

int main(int argc, char** argv) {
  using namespace opsrun::host;
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  const std::optional<Thrown> thrown = CatchThrown([&] {
    const int status = Main(words);
    EnterExit();
    std::fflush(stdout);
    if (status != kExitOk) EndProgram(status);
  });
  if (!thrown) return kExitOk;
  std::fprintf(stderr, "opsrun-isolated: %s\n", thrown->text.c_str());
  return kExitBug;
}
