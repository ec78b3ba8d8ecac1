// host/plugin/probe/process_snapshot.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/plugin/probe/process_snapshot.h"

#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "host/base/number_text.h"
#include "host/base/system_names.h"

namespace opsrun::host {
namespace {

std::string LinkAt(const std::string& path) {
  char target[4096];
  const ssize_t n = readlink(path.c_str(), target, sizeof(target));
  return n < 0 ? "" : std::string(target, static_cast<size_t>(n));
}

std::set<std::string> NamesIn(const char* folder) {
  std::set<std::string> names;
  DIR* stream = opendir(folder);
  if (stream == nullptr) return names;
  const std::string own = std::to_string(dirfd(stream));
  while (const dirent* entry = readdir(stream)) {
    if (entry->d_name[0] != '.' && entry->d_name != own) names.insert(entry->d_name);
  }
  closedir(stream);
  return names;
}

std::vector<struct sigaction> Handlers() {
  std::vector<struct sigaction> handlers(NSIG);
  for (int number = 1; number < NSIG; ++number) sigaction(number, nullptr, &handlers[static_cast<size_t>(number)]);
  return handlers;
}

}  // namespace

ProcessSnapshot::ProcessSnapshot()
    : threads_(NamesIn("/proc/self/task").size()), descriptors_(NamesIn("/proc/self/fd")), handlers_(Handlers()) {}

std::vector<std::string> ProcessSnapshot::Changes() const {
  std::vector<std::string> changes;
  if (std::string of_state = state_.Restore(); !of_state.empty()) changes.push_back(std::move(of_state));
  const std::vector<struct sigaction> handlers = Handlers();
  for (size_t i = 1; i < handlers.size(); ++i) {
    if (handlers[i].sa_handler != handlers_[i].sa_handler)
      changes.push_back(fmt::format("the handler of {}", SignalName(static_cast<int>(i))));
  }
  const size_t threads = NamesIn("/proc/self/task").size();
  if (threads > threads_) changes.push_back(Several(threads - threads_, "more thread"));
  for (const std::string& descriptor : NamesIn("/proc/self/fd")) {
    if (descriptors_.count(descriptor) == 0)
      changes.push_back(fmt::format("an open file ({})", LinkAt("/proc/self/fd/" + descriptor)));
  }
  return changes;
}

}  // namespace opsrun::host
