// tests/cuda/double/kernel_process.cc
// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda/double/kernel_process.h"

#include <link.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace cuda_double {

// Memory that the two processes share.
struct KernelProcess::Shared {
  std::atomic<uint32_t> asked{0}, answered{0};  // numbers of kernels so far
  KernelFunction run = nullptr;
  alignas(16) char closure[kMostClosure];
  char fault[256];
  static constexpr size_t kMostTouches = 1 << 18;
  size_t n_touches = 0;
  Touch touches[kMostTouches];
};

namespace {

// State of the kernels' process, for its signal handler.
struct {
  const Memory* memory = nullptr;
  size_t* n_touches = nullptr;
  Touch* touches = nullptr;
  size_t most = 0;
  char* fault = nullptr;
  pid_t parent = 0;
  int ticks_left = 0;  // of the running kernel
} serving;

constexpr timespec kLook = {0, 50'000'000};  // how often each process checks that the other one is alive

void Wait(std::atomic<uint32_t>& word, uint32_t value, const timespec* limit) {
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAIT, value, limit, nullptr, 0);
}
void Wake(std::atomic<uint32_t>& word) {
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

unsigned long long LibrariesOpened() {
  unsigned long long opened = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* count) {
        *static_cast<unsigned long long*>(count) = info->dlpi_adds;
        return 1;
      },
      &opened);
  return opened;
}

// The block that contains an address, or NULL. Blocks are sorted.
const SharedBlock* BlockAt(uintptr_t address) {
  const SharedBlock* begin = serving.memory->shared_blocks();
  const SharedBlock* end = begin + *serving.memory->shared_count();
  const SharedBlock* after =
      std::upper_bound(begin, end, address, [](uintptr_t a, const SharedBlock& block) { return a < block.begin; });
  return after != begin && address < (after - 1)->end ? after - 1 : nullptr;
}

// Pages are made accessible in groups. A large block has this many groups: the number of ranges per process is limited.
constexpr uintptr_t kMostParts = 4096;
uintptr_t PartBytes(const SharedBlock& block) {
  return ((block.end - block.begin) / kPage / kMostParts + 1) * kPage;
}

void OpenPages(uintptr_t address, bool write) {
  const SharedBlock* block = BlockAt(address);
  if (block == nullptr || *serving.n_touches == serving.most) {
    KernelProcess::Fault("it touches device memory that is not allocated");
    _exit(77);
  }
  const uintptr_t part = PartBytes(*block), begin = block->begin + (address - block->begin) / part * part;
  const uintptr_t end = std::min(begin + part, block->end);
  if (mprotect(reinterpret_cast<void*>(begin), end - begin, write ? PROT_READ | PROT_WRITE : PROT_READ) != 0) {
    KernelProcess::Fault("it touches more separate pages than a process may have, so the double cannot follow it");
    _exit(77);
  }
  serving.touches[(*serving.n_touches)++] = {static_cast<uint32_t>((begin - serving.memory->begin()) / kPage),
                                             static_cast<uint32_t>((end - begin) / kPage), write};
}

constexpr int kTicksPerSecond = 10;

void OnTick(int) {
  if (getppid() != serving.parent) _exit(0);
  if (--serving.ticks_left != 0) return;
  KernelProcess::Fault("it does not end");
  _exit(77);
}

void OnFault(int, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  if (!serving.memory->Has(address)) {
    KernelProcess::Fault("it touches memory that is neither the device's nor page-locked");
    _exit(77);
  }
#if defined(__x86_64__)
  const bool write = (static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & 2) != 0;
#else
  const bool write = (context, true);
#endif
  OpenPages(address, write);
}

// While a kernel runs, SIGPROF is delivered several times per second of this process's CPU time. The kernel is ended
// after `seconds`; 0: never.
void StartTicks(int seconds) {
  serving.ticks_left = seconds * kTicksPerSecond;
  constexpr timeval kTick = {0, 1'000'000 / kTicksPerSecond};
  const itimerval ticks = {kTick, kTick};
  setitimer(ITIMER_PROF, &ticks, nullptr);
}
void StopTicks() {
  const itimerval none = {};
  setitimer(ITIMER_PROF, &none, nullptr);
}

}  // namespace

KernelProcess::KernelProcess(const Memory& memory, int seconds) : memory_(memory), seconds_(seconds) {
  void* const at =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) std::abort();
  shared_ = new (at) Shared;
}

KernelProcess::~KernelProcess() {
  Stop();
  munmap(shared_, sizeof(Shared));
}

void KernelProcess::Stop() {
  if (child_ == 0) return;
  kill(child_, SIGKILL);
  waitpid(child_, nullptr, 0);
  child_ = 0;
}

void KernelProcess::Start() {
  const unsigned long long libraries = LibrariesOpened();
  if (child_ != 0 && libraries == libraries_) return;
  Stop();
  libraries_ = libraries;
  const pid_t parent = getpid();
  shared_->answered.store(shared_->asked.load());
  child_ = fork();
  if (child_ < 0) std::abort();
  if (child_ > 0) return;
  Serve(parent);
}

// Ends when its parent has ended, which it checks periodically: a parent-death signal would already arrive when the
// thread that created this process ends.
void KernelProcess::Serve(pid_t parent) {
  serving = {&memory_, &shared_->n_touches, shared_->touches, Shared::kMostTouches, shared_->fault, parent};
  struct sigaction action {};
  action.sa_sigaction = OnFault;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGSEGV, &action, nullptr);
  sigaction(SIGBUS, &action, nullptr);
  signal(SIGPROF, OnTick);
  for (uint32_t done = shared_->answered.load();;) {
    while (shared_->asked.load() == done) {
      if (getppid() != parent) _exit(0);
      Wait(shared_->asked, done, &kLook);
    }
    StartTicks(seconds_);
    shared_->run(shared_->closure);
    StopTicks();
    for (size_t i = 0; i < shared_->n_touches; ++i) {
      const Touch& touch = shared_->touches[i];
      mprotect(reinterpret_cast<void*>(memory_.begin() + touch.first * kPage), touch.count * kPage, PROT_NONE);
    }
    shared_->answered.store(++done);
    Wake(shared_->answered);
  }
}

void KernelProcess::Fault(const char* text) {
  std::strncpy(serving.fault, text, sizeof(Shared::fault) - 1);
}

bool KernelProcess::Run(KernelFunction run, const void* closure, size_t bytes, std::vector<Touch>* touches,
                        std::string* why) {
  Start();
  shared_->run = run;
  std::memcpy(shared_->closure, closure, bytes);
  shared_->fault[0] = '\0';
  shared_->n_touches = 0;
  const uint32_t mine = shared_->asked.load() + 1;
  shared_->asked.store(mine);
  Wake(shared_->asked);
  while (shared_->answered.load() != mine) {
    Wait(shared_->answered, mine - 1, &kLook);
    int status = 0;
    // If the program ignores SIGCHLD, there is no child to wait for once it has ended.
    if (shared_->answered.load() == mine || waitpid(child_, &status, WNOHANG) == 0) continue;
    child_ = 0;
    *why = shared_->fault[0] != '\0' ? shared_->fault : "it ended the process";
    return false;
  }
  touches->assign(shared_->touches, shared_->touches + shared_->n_touches);
  *why = shared_->fault;
  return true;
}

}  // namespace cuda_double
