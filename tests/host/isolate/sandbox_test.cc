// What a sandboxed process cannot do any more, and what it still can.
// SPDX-License-Identifier: Apache-2.0
#include "host/isolate/sandbox.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/landlock.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/host/examine/temp_dir.h"

namespace opsrun::host {
namespace {

const std::string kPlugin = OPSRUN_TEST_PLUGIN;

SandboxOptions ForPlugin(size_t memory = 0) {
  return {std::filesystem::path(kPlugin).parent_path().string(), {"/missing"}, memory};
}

size_t left_in_sandbox = 0;  // set in the child: how many sentences there are

// Runs `tries` in a sandboxed child, and returns what it says, or why there is no sandbox.
std::string InSandbox(const SandboxOptions& options, const std::function<std::string()>& tries) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    const Result<std::vector<std::string>> left = EnterSandbox(options);
    if (left.ok()) left_in_sandbox = left->size();
    const std::string said = left.ok() ? tries() : left.status().message();
    _exit(write(ends[1], said.data(), said.size()) == static_cast<ssize_t>(said.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string said;
  char bytes[256];
  for (ssize_t n = 0; (n = read(ends[0], bytes, sizeof(bytes))) > 0;) said.append(bytes, static_cast<size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? said : said + " (ended with status " + std::to_string(status) + ")";
}

bool HasLandlock() {
  return syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) > 0;
}

// The sentence about system calls; empty where they are refused.
const std::string& CallsLeft() {
  static const std::string left = [] {
    const pid_t child = fork();  // not for the test itself
    if (child == 0) {
      const Result<std::string> calls = RefuseSystemCalls();
      _exit(calls.ok() && calls->empty() ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return std::string(status == 0 ? "" : "system calls cannot be refused here");
  }();
  return left;
}

#define NEEDS_CALLS() \
  if (!CallsLeft().empty()) GTEST_SKIP() << CallsLeft()
#define NEEDS_LANDLOCK() \
  if (!HasLandlock()) GTEST_SKIP() << "this kernel has no Landlock"

// Collects what should have failed, and what should have worked.
class Tries {
 public:
  // result: of a system call that must fail with one of these errors.
  void Refused(const char* what, long result, int error = EPERM) {
    const int found = errno;
    if (result != -1)
      said_ += std::string(what) + " worked; ";
    else if (found != error)
      said_ += std::string(what) + ": " + strerrorname_np(found) + "; ";
  }
  void Works(const char* what, bool works) {
    if (!works) said_ += std::string(what) + " failed: " + strerrorname_np(errno) + "; ";
  }
  std::string said() const { return said_; }

 private:
  std::string said_;
};

TEST(Sandbox, SaysWhatCannotBeTakenAway) {
  const size_t expected = (HasLandlock() ? 0 : 1) + (CallsLeft().empty() ? 0 : 1);
  EXPECT_EQ(InSandbox(ForPlugin(), [] { return std::to_string(left_in_sandbox); }), std::to_string(expected));
}

TEST(Sandbox, HasNoNetwork) {
  NEEDS_CALLS();
  EXPECT_EQ(InSandbox(ForPlugin(),
                      [] {
                        Tries tries;
                        int ends[2];
                        for (const int family : {AF_INET, AF_INET6, AF_UNIX, AF_NETLINK, AF_PACKET})
                          tries.Refused("socket", socket(family, SOCK_DGRAM, 0));
                        tries.Refused("socketpair", socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
                        return tries.said();
                      }),
            "");
}

TEST(Sandbox, StartsNoProcess) {
  NEEDS_CALLS();
  EXPECT_EQ(InSandbox(ForPlugin(),
                      [] {
                        Tries tries;
                        tries.Refused("fork", fork());
                        tries.Refused("vfork", syscall(SYS_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, nullptr, 0, 0, 0));
                        tries.Refused("clone3", syscall(SYS_clone3, nullptr, 0), ENOSYS);
                        char program[] = "/bin/true";
                        char* const words[] = {program, nullptr};
                        tries.Refused("execve", execve(program, words, environ));
                        pid_t child = 0;
                        errno = posix_spawn(&child, program, nullptr, nullptr, words, environ);
                        tries.Refused("posix_spawn", errno == 0 ? 0 : -1);
                        tries.Refused("unshare", unshare(CLONE_NEWUSER));
                        return tries.said();
                      }),
            "");
}

TEST(Sandbox, LeavesOtherProcessesAlone) {
  NEEDS_CALLS();
  const pid_t parent = getpid();
  EXPECT_EQ(InSandbox(ForPlugin(),
                      [parent] {
                        Tries tries;
                        tries.Refused("kill", kill(parent, 0));
                        tries.Refused("kill of the group", kill(0, 0));
                        tries.Refused("kill of all", kill(-1, 0));
                        tries.Refused("tgkill", syscall(SYS_tgkill, parent, parent, 0));
                        tries.Refused("tkill", syscall(SYS_tkill, parent, 0));
                        tries.Refused("pidfd_open", syscall(SYS_pidfd_open, parent, 0));
                        tries.Refused("ptrace", syscall(SYS_ptrace, 16 /* PTRACE_ATTACH */, parent, 0, 0));
                        tries.Refused("process_vm_readv", syscall(SYS_process_vm_readv, parent, 0, 0, 0, 0, 0));
                        const rlimit limit = {0, 0};
                        tries.Refused("prlimit", prlimit(parent, RLIMIT_CORE, &limit, nullptr));
                        tries.Refused("F_SETOWN", fcntl(STDERR_FILENO, F_SETOWN, parent), ENOSYS);
                        tries.Works("kill of itself", kill(getpid(), 0) == 0);
                        return tries.said();
                      }),
            "");
}

TEST(Sandbox, ChangesNothingOfTheSystem) {
  NEEDS_CALLS();
  EXPECT_EQ(InSandbox(ForPlugin(),
                      [] {
                        Tries tries;
                        tries.Refused("io_uring_setup", syscall(SYS_io_uring_setup, 1, nullptr));
                        tries.Refused("mount", syscall(SYS_mount, "none", "/tmp", "tmpfs", 0, nullptr));
                        tries.Refused("keyctl", syscall(SYS_keyctl, 0, 0, 0, 0, 0));
                        tries.Refused("bpf", syscall(SYS_bpf, 0, nullptr, 0));
                        tries.Refused("perf_event_open", syscall(SYS_perf_event_open, nullptr, 0, -1, -1, 0));
                        tries.Refused("userfaultfd", syscall(SYS_userfaultfd, 0));
                        tries.Refused("init_module", syscall(SYS_init_module, nullptr, 0, ""));
                        tries.Refused("setuid", setuid(65534));
                        tries.Refused("PR_SET_PDEATHSIG", prctl(PR_SET_PDEATHSIG, 0), ENOSYS);
                        tries.Refused("TIOCSTI", ioctl(STDIN_FILENO, TIOCSTI, "x"), ENOSYS);
                        return tries.said();
                      }),
            "");
}

TEST(Sandbox, WritesNoFile) {
  NEEDS_CALLS();
  const TempDir folder;
  const std::string file = folder.Write("file", "text");
  SandboxOptions options = ForPlugin();
  options.libraries.push_back(folder.path());
  EXPECT_EQ(InSandbox(options,
                      [&] {
                        Tries tries;
                        const std::string other = folder.File("other");
                        const char* path = file.c_str();
                        tries.Refused("write", open(path, O_WRONLY));
                        tries.Refused("update", open(path, O_RDWR | O_CLOEXEC));
                        tries.Refused("create", open(other.c_str(), O_CREAT | O_RDONLY, 0600));
                        tries.Refused("truncating open", open(path, O_TRUNC | O_RDONLY));
                        tries.Refused("unnamed file", open(folder.path().c_str(), O_TMPFILE | O_RDWR, 0600));
                        tries.Refused("truncate", truncate(path, 0));
                        tries.Refused("unlink", unlink(path));
                        tries.Refused("rename", rename(path, other.c_str()));
                        tries.Refused("link", link(path, other.c_str()));
                        tries.Refused("symlink", symlink(path, other.c_str()));
                        tries.Refused("mkdir", mkdir(other.c_str(), 0700));
                        tries.Refused("mknod", mknod(other.c_str(), S_IFIFO | 0600, 0));
                        tries.Refused("chmod", chmod(path, 0777));
                        tries.Refused("chown", chown(path, 1, 1));
                        tries.Refused("utime", utimensat(AT_FDCWD, path, nullptr, 0));
                        tries.Works("open for reading", open(path, O_RDONLY) >= 0);
                        return tries.said();
                      }),
            "");
}

TEST(Sandbox, ReadsOnlyTheGivenFolders) {
  NEEDS_LANDLOCK();
  const TempDir folder;
  const std::string file = folder.Write("file", "text");
  EXPECT_EQ(InSandbox(ForPlugin(),
                      [&] {
                        Tries tries;
                        tries.Refused("/etc/passwd", open("/etc/passwd", O_RDONLY), EACCES);
                        tries.Refused("a file", open(file.c_str(), O_RDONLY), EACCES);
                        tries.Refused("a folder", open("/tmp", O_RDONLY | O_DIRECTORY), EACCES);
                        const std::string parent = "/proc/" + std::to_string(getppid()) + "/environ";
                        tries.Refused("another process", open(parent.c_str(), O_RDONLY), EACCES);
                        tries.Works("the plugin", open(kPlugin.c_str(), O_RDONLY) >= 0);
                        tries.Works("its own maps", open("/proc/self/maps", O_RDONLY) >= 0);
                        return tries.said();
                      }),
            "");
}

TEST(Sandbox, OpensThePlugin) {
  EXPECT_EQ(InSandbox(ForPlugin(),
                      [] {
                        void* library = dlopen(kPlugin.c_str(), RTLD_NOW | RTLD_LOCAL);
                        return std::string(library == nullptr ? dlerror() : "");
                      }),
            "");
}

// Two threads that wait for each other.
bool RunsThreads() {
  std::mutex lock;
  std::condition_variable changed;
  int turn = 0;
  const auto play = [&](int own) {
    for (int i = 0; i < 100; ++i) {
      std::unique_lock held(lock);
      changed.wait(held, [&] { return turn == own; });
      turn = 1 - own;
      changed.notify_all();
    }
  };
  std::thread first(play, 0), second(play, 1);
  first.join();
  second.join();
  return true;
}

TEST(Sandbox, KeepsWhatKernelsNeed) {
  int memory = memfd_create("shared", MFD_CLOEXEC);
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
  EXPECT_EQ(InSandbox(ForPlugin(),
                      [&] {
                        Tries tries;
                        tries.Works("threads", RunsThreads());
                        tries.Works("large allocations", std::make_unique<char[]>(size_t{64} << 20) != nullptr);
                        tries.Works("mmap", mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                                                 0) != MAP_FAILED);
                        timespec now = {};
                        tries.Works("clock", clock_gettime(CLOCK_MONOTONIC, &now) == 0);
                        const timespec short_time = {0, 1000};
                        tries.Works("nanosleep", nanosleep(&short_time, nullptr) == 0);
                        char byte = 0;
                        tries.Works("getrandom", getrandom(&byte, 1, 0) == 1);
                        tries.Works("stderr", write(STDERR_FILENO, "", 0) == 0);
                        tries.Works("an open memfd", ftruncate(memory, 4096) == 0 && pwrite(memory, "x", 1, 0) == 1);
                        tries.Works("a new memfd", memfd_create("another", 0) >= 0);
                        tries.Works("an open socket", send(pair[0], "x", 1, 0) == 1 && recv(pair[1], &byte, 1, 0) == 1);
                        tries.Works("affinity", std::thread::hardware_concurrency() > 0);
                        tries.Works("the name of a thread", pthread_setname_np(pthread_self(), "worker") == 0);
                        signal(SIGUSR1, SIG_IGN);
                        tries.Works("raise", raise(SIGUSR1) == 0);
                        return tries.said();
                      }),
            "");
  for (const int each : {memory, pair[0], pair[1]}) close(each);
}

TEST(Sandbox, LimitsPrivateMemory) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers reserve memory of their own";
#endif
  EXPECT_EQ(InSandbox(ForPlugin(size_t{256} << 20),
                      [] {
                        Tries tries;
                        tries.Works("64 MiB",
                                    std::unique_ptr<char[]>(new (std::nothrow) char[size_t{64} << 20]) != nullptr);
                        try {
                          std::make_unique<char[]>(size_t{512} << 20);
                          return tries.said() + "512 MiB were allocated";
                        } catch (const std::bad_alloc&) {
                          return tries.said();
                        }
                      }),
            "");
}

TEST(Sandbox, IsRefusedWhereThreadsWouldKeepTheirRights) {
  const pid_t child = fork();
  if (child == 0) {
    std::thread([] { pause(); }).detach();
    const auto left = EnterSandbox(ForPlugin());
    _exit(left.status().code() == OPSRUN_FAILED_PRECONDITION ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(Sandbox, NeedsThePluginsFolder) {
  NEEDS_LANDLOCK();
  EXPECT_EQ(InSandbox({"/missing/folder", {}, 0}, [] { return std::string("entered"); }),
            "the sandbox cannot open the plugin's folder '/missing/folder': No such file or directory");
}

}  // namespace
}  // namespace opsrun::host
