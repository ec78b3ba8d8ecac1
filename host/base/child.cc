// SPDX-License-Identifier: Apache-2.0
#include "host/base/child.h"

#include <fcntl.h>
#include <spawn.h>

#include <algorithm>
#include <cerrno>

#include "host/base/file.h"

extern char** environ;

namespace opsrun::host {

int StartProgram(const std::vector<std::string>& words, std::span<const GivenFile> files, pid_t* child) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  std::vector<Descriptor> copies;  // above all numbers of the program, so that none of them overwrites another file
  const int above = std::ranges::max(files, {}, &GivenFile::number).number + 1;
  int error = 0;
  for (const GivenFile& given : files) {
    if (given.file < 0) {
      posix_spawn_file_actions_addopen(&actions, given.number, "/dev/null", O_RDWR, 0);
      continue;
    }
    copies.emplace_back(fcntl(given.file, F_DUPFD_CLOEXEC, above));
    if (copies.back().get() < 0) error = errno;
    posix_spawn_file_actions_adddup2(&actions, copies.back().get(), given.number);
  }
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  if (error == 0) error = posix_spawn(child, words[0].c_str(), &actions, &attributes, arguments.data(), environ);
  if (error != 0) *child = -1;
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error;
}

}  // namespace opsrun::host
