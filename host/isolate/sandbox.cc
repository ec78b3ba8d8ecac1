// host/isolate/sandbox.cc: capabilities, files by Landlock, and memory.
// SPDX-License-Identifier: Apache-2.0
#include "host/isolate/sandbox.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

#include "host/base/file.h"

namespace opsrun::host {
namespace {

Status Failed(const char* what) {
  return Internal(fmt::format("the sandbox failed: {}: {}", what, std::system_category().message(errno)));
}

// Landlock and capabilities are those of a thread: others would keep their rights.
Status RequireOneThread() {
  struct stat tasks = {};
  if (stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink > 3)
    return FailedPrecondition("the sandbox must be entered before other threads are started");
  return OkStatus();
}

// Root reads files of others as before, since a plugin may be theirs; Landlock decides which.
Status DropCapabilities() {
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {};
  if (syscall(SYS_capget, &header, sets) != 0) return Failed("capget");
  const uint32_t kept = sets[0].permitted & (1u << CAP_DAC_READ_SEARCH);
  sets[0] = {.effective = kept, .permitted = kept, .inheritable = 0};
  sets[1] = {};
  if (syscall(SYS_capset, &header, sets) != 0) return Failed("capset");
  return OkStatus();
}

// Rights of later kernels, which the header of this system may not have yet.
constexpr uint64_t kAllOfAbi1 = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
constexpr uint64_t kRefer = 1ull << 13, kTruncate = 1ull << 14, kDeviceIoctl = 1ull << 15;
constexpr uint64_t kBindAndConnectTcp = 3;
constexpr uint64_t kAbstractSocketsAndSignals = 3;

struct Ruleset {
  uint64_t files = 0;
  uint64_t network = 0;
  uint64_t scoped = 0;
};

// All that a kernel can refuse. It accepts fields that it does not know if they are 0.
Ruleset RulesetOf(long abi) {
  Ruleset set = {kAllOfAbi1, 0, 0};
  if (abi >= 2) set.files |= kRefer;
  if (abi >= 3) set.files |= kTruncate;
  if (abi >= 4) set.network = kBindAndConnectTcp;
  if (abi >= 5) set.files |= kDeviceIoctl;
  if (abi >= 6) set.scoped = kAbstractSocketsAndSignals;
  return set;
}

// What the dynamic linker, the C library and our own reports of crashes read.
constexpr const char* kSystemPaths[] = {
    "/lib",           "/lib32",           "/lib64",           "/usr/lib",   "/usr/lib32",    "/usr/lib64",
    "/usr/local/lib", "/usr/local/lib64", "/etc/ld.so.cache", "/proc/self", "/proc/cpuinfo", "/sys/devices/system/cpu",
    "/dev/null",      "/dev/urandom"};

// False, with errno, if the path cannot be opened.
bool AllowReading(int ruleset, const char* path) {
  // It stays open: what a rule is about must not be forgotten, as files in /proc are.
  const int file = open(path, O_PATH | O_CLOEXEC);
  struct stat found = {};
  if (file < 0 || fstat(file, &found) != 0) return false;
  landlock_path_beneath_attr rule = {};
  rule.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE;
  if (S_ISDIR(found.st_mode)) rule.allowed_access |= LANDLOCK_ACCESS_FS_READ_DIR;
  rule.parent_fd = file;
  return syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
}

// A sentence if this kernel cannot do it.
Result<std::string> HideFiles(const SandboxOptions& options) {
  const long abi = syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (abi < 1) return std::string("this kernel has no Landlock, so files can be read wherever the user may read them");
  const Ruleset set = RulesetOf(abi);
  const Descriptor ruleset(static_cast<int>(syscall(SYS_landlock_create_ruleset, &set, sizeof(set), 0)));
  if (ruleset.get() < 0) return Failed("landlock_create_ruleset");
  if (!AllowReading(ruleset.get(), options.plugin_folder.c_str())) {
    return FailedPrecondition(fmt::format("the sandbox cannot open the plugin's folder '{}': {}", options.plugin_folder,
                                          std::system_category().message(errno)));
  }
  for (const char* path : kSystemPaths) AllowReading(ruleset.get(), path);
  for (const std::string& path : options.libraries) AllowReading(ruleset.get(), path.c_str());
  if (syscall(SYS_landlock_restrict_self, ruleset.get(), 0) != 0) return Failed("landlock_restrict_self");
  return std::string();
}

}  // namespace

Status LimitPrivateMemory(size_t bytes) {
  const rlimit limit = {bytes, bytes};
  if (bytes != 0 && setrlimit(RLIMIT_DATA, &limit) != 0) return Failed("setrlimit");
  return OkStatus();
}

Result<std::vector<std::string>> EnterSandbox(const SandboxOptions& options) {
  std::vector<std::string> left;
  if (Status status = RequireOneThread(); !status.ok()) return status;
  if (Status status = LimitPrivateMemory(options.memory); !status.ok()) return status;
  if (Status status = DropCapabilities(); !status.ok()) return status;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return Failed("PR_SET_NO_NEW_PRIVS");
  const Result<std::string> files = HideFiles(options);
  if (!files.ok()) return files.status();
  if (!files->empty()) left.push_back(*files);
  const Result<std::string> calls = RefuseSystemCalls();  // last: it refuses the calls above
  if (!calls.ok()) return calls.status();
  if (!calls->empty()) left.push_back(*calls);
  return left;
}

}  // namespace opsrun::host
