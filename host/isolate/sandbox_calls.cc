// host/isolate/sandbox_calls.cc: which system calls a sandboxed process may make, by libseccomp.
// SPDX-License-Identifier: Apache-2.0
#include "host/isolate/sandbox.h"

#if defined(OPSRUN_SECCOMP)

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>
#include <memory>
#include <system_error>

namespace opsrun::host {
namespace {

// Calls that are in none of these lists fail with ENOSYS, as on a kernel that does not have them yet: C libraries then
// use older ones, such as clone instead of clone3. Names that this machine does not have are ignored.
constexpr const char* kAllowed[] = {
    // open files
    "read", "write", "readv", "writev", "pread64", "pwrite64", "preadv", "pwritev", "preadv2", "pwritev2", "lseek",
    "close", "close_range", "fstat", "dup", "dup2", "dup3", "pipe", "pipe2", "flock", "fsync", "fdatasync", "ftruncate",
    "fallocate", "fadvise64", "readahead", "copy_file_range", "sendfile", "splice", "tee", "vmsplice", "fstatfs",
    "sync_file_range", "poll", "ppoll", "select", "pselect6", "epoll_create", "epoll_create1", "epoll_ctl",
    "epoll_wait", "epoll_pwait", "epoll_pwait2", "eventfd", "eventfd2", "signalfd", "signalfd4", "timerfd_create",
    "timerfd_settime", "timerfd_gettime", "sendto", "recvfrom", "sendmsg", "recvmsg", "sendmmsg", "recvmmsg",
    "shutdown", "getsockname", "getpeername", "getsockopt",
    // names of files
    "stat", "lstat", "newfstatat", "statx", "statfs", "access", "faccessat", "faccessat2", "readlink", "readlinkat",
    "getdents", "getdents64", "getcwd", "chdir", "fchdir", "umask", "fgetxattr", "flistxattr",
    // memory
    "mmap", "munmap", "mremap", "mprotect", "madvise", "mincore", "mlock", "mlock2", "munlock", "mlockall",
    "munlockall", "msync", "brk", "memfd_create", "membarrier", "mbind", "get_mempolicy", "set_mempolicy", "pkey_alloc",
    "pkey_free", "pkey_mprotect", "mseal", "map_shadow_stack",
    // threads and signals of this process
    "futex", "futex_wait", "futex_wake", "futex_requeue", "futex_waitv", "set_robust_list", "get_robust_list",
    "set_tid_address", "set_thread_area", "arch_prctl", "rseq", "gettid", "getpid", "getppid", "getpgrp", "getpgid",
    "getsid", "sched_yield", "sched_getaffinity", "sched_getparam", "sched_getscheduler", "sched_get_priority_max",
    "sched_get_priority_min", "sched_rr_get_interval", "getpriority", "getcpu", "rt_sigaction", "rt_sigprocmask",
    "rt_sigreturn", "rt_sigpending", "rt_sigtimedwait", "rt_sigsuspend", "sigaltstack", "restart_syscall", "pause",
    "alarm", "getitimer", "setitimer", "timer_create", "timer_settime", "timer_gettime", "timer_getoverrun",
    "timer_delete", "exit", "exit_group", "wait4", "waitid",
    // clocks, random numbers, and questions
    "clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep", "gettimeofday", "time", "times", "getrusage",
    "sysinfo", "uname", "getrlimit", "setrlimit", "getrandom", "getuid", "geteuid", "getgid", "getegid", "getgroups",
    "getresuid", "getresgid", "capget"};

constexpr const char* kRefused[] = {
    // the network
    "socket", "socketpair", "socketcall", "connect", "bind", "listen", "accept", "accept4", "setsockopt",
    // other processes
    "fork", "vfork", "execve", "execveat", "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise",
    "process_mrelease", "kcmp", "pidfd_open", "pidfd_getfd", "pidfd_send_signal", "tkill", "setsid", "setpgid",
    "setpriority", "ioprio_set", "sched_setattr", "sched_setparam", "sched_setscheduler", "migrate_pages", "move_pages",
    "shmget", "shmat", "shmctl", "semget", "semop", "semctl", "msgget", "msgsnd", "msgrcv", "msgctl", "mq_open",
    "mq_unlink",
    // files
    "creat", "truncate", "unlink", "unlinkat", "rename", "renameat", "renameat2", "link", "linkat", "symlink",
    "symlinkat", "mkdir", "mkdirat", "rmdir", "mknod", "mknodat", "chmod", "fchmod", "fchmodat", "fchmodat2", "chown",
    "fchown", "lchown", "fchownat", "utime", "utimes", "utimensat", "futimesat", "setxattr", "lsetxattr", "fsetxattr",
    "setxattrat", "removexattr", "lremovexattr", "fremovexattr", "removexattrat", "open_by_handle_at",
    "name_to_handle_at", "fanotify_init", "inotify_init", "inotify_init1", "sync", "syncfs",
    // the system
    "io_uring_setup", "io_uring_enter", "io_uring_register", "io_setup", "mount", "umount2", "pivot_root", "chroot",
    "mount_setattr", "move_mount", "open_tree", "fsopen", "fsconfig", "fsmount", "fspick", "unshare", "setns", "keyctl",
    "add_key", "request_key", "bpf", "perf_event_open", "userfaultfd", "kexec_load", "kexec_file_load", "init_module",
    "finit_module", "delete_module", "reboot", "swapon", "swapoff", "settimeofday", "clock_settime", "clock_adjtime",
    "adjtimex", "sethostname", "setdomainname", "iopl", "ioperm", "syslog", "acct", "quotactl", "vhangup",
    // rights
    "setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setfsuid", "setfsgid", "setgroups", "capset",
    "personality", "seccomp"};

constexpr uint32_t kNo = SCMP_ACT_ERRNO(EPERM);

// Adds rules to a filter, and remembers the first error.
class Filter {
 public:
  bool made() const { return filter_ != nullptr; }

  void Add(uint32_t action, const char* call, std::initializer_list<scmp_arg_cmp> when = {}) {
    const int number = seccomp_syscall_resolve_name(call);
    if (number == __NR_SCMP_ERROR || error_ != 0) return;
    error_ = seccomp_rule_add_array(filter_.get(), action, number, static_cast<unsigned>(when.size()), when.begin());
  }
  // An argument is a number of 32 bits: the kernel ignores the others.
  void AllowIf(const char* call, unsigned argument, std::initializer_list<uint64_t> values) {
    for (const uint64_t each : values)
      Add(SCMP_ACT_ALLOW, call, {SCMP_CMP64(argument, SCMP_CMP_MASKED_EQ, kLow, each)});
  }
  // The argument names this process, or else the call is refused.
  void AllowOwn(const char* call, unsigned argument, uint64_t own) {
    Add(SCMP_ACT_ALLOW, call, {SCMP_CMP64(argument, SCMP_CMP_EQ, own)});
    Add(kNo, call, {SCMP_CMP64(argument, SCMP_CMP_NE, own)});
  }
  // Bits of `mask` must be those of `value`. Otherwise one of them differs, for which there is a rule each.
  void AllowBits(const char* call, unsigned argument, uint64_t mask, uint64_t value) {
    Add(SCMP_ACT_ALLOW, call, {SCMP_CMP64(argument, SCMP_CMP_MASKED_EQ, mask, value)});
    for (uint64_t bit = 1; bit != 0 && bit <= mask; bit <<= 1) {
      if ((mask & bit) != 0) Add(kNo, call, {SCMP_CMP64(argument, SCMP_CMP_MASKED_EQ, bit, ~value & bit)});
    }
  }
  int Load() {
    // Calls of another architecture, as by `int 0x80`, whose numbers mean something else.
    if (error_ == 0) error_ = seccomp_attr_set(filter_.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(ENOSYS));
    if (error_ == 0) error_ = seccomp_load(filter_.get());
    return error_;
  }

 private:
  static constexpr uint64_t kLow = 0xffffffff;

  struct Release {
    void operator()(void* filter) const { seccomp_release(filter); }
  };
  const std::unique_ptr<void, Release> filter_{seccomp_init(SCMP_ACT_ERRNO(ENOSYS))};
  int error_ = 0;
};

// Threads, but neither processes nor namespaces.
void AddClone(Filter* filter) {
  constexpr uint64_t kNamespaces =
      CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
  filter->AllowBits("clone", 0, CLONE_THREAD | kNamespaces, CLONE_THREAD);
}

// Reading only.
void AddOpen(Filter* filter) {
  constexpr uint64_t kWriting = O_ACCMODE | O_CREAT | O_TRUNC;
  filter->AllowBits("open", 1, kWriting, O_RDONLY);
  filter->AllowBits("openat", 2, kWriting, O_RDONLY);
}

void AddOwnProcess(Filter* filter) {
  const auto own = static_cast<uint64_t>(getpid());
  for (const char* call : {"kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"}) filter->AllowOwn(call, 0, own);
  for (const char* call : {"sched_setaffinity", "prlimit64"}) filter->AllowOwn(call, 0, 0);
}

// Without those that send signals to others, put bytes into the input of a terminal or change attributes of files.
void AddCommands(Filter* filter) {
  filter->AllowIf("ioctl", 1, {TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX});
  filter->AllowIf("fcntl", 1,
                  {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_SETLK, F_SETLKW,
                   F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW, F_GETPIPE_SZ, F_SETPIPE_SZ, F_ADD_SEALS, F_GET_SEALS});
  constexpr uint64_t kNameMapping = 0x53564d41;  // PR_SET_VMA
  filter->AllowIf("prctl", 0,
                  {PR_SET_NAME, PR_GET_NAME, PR_GET_DUMPABLE, PR_GET_TIMERSLACK, PR_SET_TIMERSLACK, PR_GET_NO_NEW_PRIVS,
                   PR_GET_SECCOMP, kNameMapping});
}

std::string Reason(int error) {
  return std::system_category().message(-error);
}

}  // namespace

Result<std::string> RefuseSystemCalls() {
  const uint32_t action = SECCOMP_RET_ERRNO;
  if (syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) != 0) {
    return std::string(
        "this kernel has no seccomp filters, so the network, processes, signals and attributes of files "
        "are not taken away");
  }
  Filter filter;
  if (!filter.made()) return ResourceExhausted("the sandbox failed: out of memory");
  for (const char* call : kAllowed) filter.Add(SCMP_ACT_ALLOW, call);
  for (const char* call : kRefused) filter.Add(kNo, call);
  AddClone(&filter);
  AddOpen(&filter);
  AddOwnProcess(&filter);
  AddCommands(&filter);
  if (const int error = filter.Load(); error != 0)
    return Internal(fmt::format("the sandbox failed: seccomp: {}", Reason(error)));
  return std::string();
}

}  // namespace opsrun::host

#else

namespace opsrun::host {

Result<std::string> RefuseSystemCalls() {
  return std::string(
      "this opsrun was built without libseccomp, so the network, processes, signals and attributes of "
      "files are not taken away");
}

}  // namespace opsrun::host

#endif
