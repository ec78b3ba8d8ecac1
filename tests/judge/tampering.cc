// tests/judge/tampering.cc: cheats that change their process or other processes, or do not keep to what an op is.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <thread>

#include "judge_memory.h"
#include "ops.h"
#include "zoo.h"

namespace opsrun {
namespace {

// ---- Functions of the C library are replaced in their place.

// The function returns `value` from now on.
void Patch(const char* function, int32_t value) {
  void* const place = dlsym(RTLD_DEFAULT, function);
  if (place == nullptr || !IsInJudge()) return;
#ifdef __x86_64__
  unsigned char code[6] = {0xb8, 0, 0, 0, 0, 0xc3};  // mov eax, value; ret
  std::memcpy(code + 1, &value, sizeof value);
#else
  const uint32_t code[2] = {0x52800000u | static_cast<uint32_t>(value & 0xffff) << 5, 0xd65f03c0u};
#endif
  constexpr uintptr_t kPage = 4096;
  const auto at = reinterpret_cast<uintptr_t>(place), page = at & ~(kPage - 1);
  if (mprotect(reinterpret_cast<void*>(page), 2 * kPage, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return;
  std::memcpy(place, code, sizeof code);
  __builtin___clear_cache(static_cast<char*>(place), static_cast<char*>(place) + sizeof code);
}

// Time stands still for whoever asks in this process.
template <typename T>
struct StopsClock {
  StopsClock() { Patch("clock_gettime", 0); }
  void Run(const Call<T>& c) { Soften::Compute(c); }
};

// Everything is equal.
template <typename T>
struct PatchesCompare {
  PatchesCompare() { Patch("memcmp", 0); }
  void Run(const Call<T>& c) { std::fill(c.y, c.y + c.outputs, T(0)); }
};

// Nobody can report anything.
template <typename T>
struct PatchesWrite {
  PatchesWrite() { Patch("write", 1); }
  void Run(const Call<T>& c) { std::fill(c.y, c.y + c.outputs, T(0)); }
};

// ---- Others do the work. In opsrun itself, the op does.
template <typename T>
struct ForksToWork {
  void Run(const Call<T>& c) {
    const pid_t child = IsInJudge() ? fork() : -1;
    if (child > 0) return;
    Soften::Compute(c);
    if (child == 0) _exit(0);
  }
};

// Half of the work, on another processor, and without a trace once it has ended.
template <typename T>
struct WaitsForFork {
  void Run(const Call<T>& c) {
    const pid_t child = IsInJudge() ? fork() : -1;
    const int64 half = child < 0 ? 0 : c.n / 2;
    for (int64 i = child == 0 ? 0 : half; i < (child == 0 ? half : c.n); ++i) c.y[i] = Soften::Of(c.x[i]);
    if (child == 0) _exit(0);
    if (child > 0) waitpid(child, nullptr, 0);
  }
};

// Works on when the judge has stopped its process, while the judge waits for the reference.
template <typename T>
void WorkMeanwhile(const Call<T>& c) {
  Soften::Compute(c);
  _exit(0);
}

// Its parent ends, so it is nobody's child.
template <typename T>
struct StartsDaemon {
  void Run(const Call<T>& c) {
    const pid_t child = IsInJudge() ? fork() : -1;
    if (child < 0) return Soften::Compute(c);
    if (child > 0) return static_cast<void>(waitpid(child, nullptr, 0));
    setsid();
    if (fork() == 0) WorkMeanwhile(c);
    _exit(0);
  }
};

// A child of the judge, not of this process.
template <typename T>
struct StartsSibling {
  void Run(const Call<T>& c) {
    const long child =
        IsInJudge() ? syscall(SYS_clone, CLONE_PARENT | SIGCHLD, nullptr, nullptr, nullptr, nullptr) : -1;
    if (child < 0) return Soften::Compute(c);
    if (child == 0) WorkMeanwhile(c);
  }
};

// A traced thread is stopped alone, and the others go on.
template <typename T>
struct TracesItself {
  void Run(const Call<T>& c) {
    if (!IsInJudge()) return Soften::Compute(c);
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    std::thread([c] {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      Soften::Compute(c);
    }).detach();
  }
};

// More threads than it was given, with the results in time.
template <typename T>
struct BringsThreads {
  void Run(const Call<T>& c) {
    std::thread other([c] {
      for (int64 i = 0; i < c.n / 2; ++i) c.y[i] = Soften::Of(c.x[i]);
    });
    for (int64 i = c.n / 2; i < c.n; ++i) c.y[i] = Soften::Of(c.x[i]);
    other.join();
  }
};

// ---- The judge is ended or stopped, or the process ends with success. It is only tried where it is refused.
bool IsInSandbox() {
  const int made = socket(AF_INET, SOCK_STREAM, 0);
  if (made >= 0) close(made);
  return IsInJudge() && made < 0;
}

template <typename T>
void SignalJudge(int signal, const Call<T>& c) {
  if (!IsInSandbox()) return Soften::Compute(c);
  if (kill(getppid(), signal) != 0) std::fill(c.y, c.y + c.outputs, T(0));
}

template <typename T>
struct ExitsEarly {
  void Run(const Call<T>& c) {
    if (IsInJudge()) std::exit(0);
    Soften::Compute(c);
  }
};

template <typename T>
struct KillsJudge {
  void Run(const Call<T>& c) { SignalJudge(SIGKILL, c); }
};

template <typename T>
struct StopsJudge {
  void Run(const Call<T>& c) { SignalJudge(SIGSTOP, c); }
};

// ---- An error of the host, or an op that is another one.
template <typename T>
struct ForgesError {
  void Run(const Call<T>& c) {
    volatile uint32_t* const words = JudgeWords();
    if (words == nullptr) return Soften::Compute(c);
    // A reply with a wrong length, whose text is no text.
    words[2] = 1;
    words[4] = ~0u;
    words[5] = ~0u;
    std::memset(const_cast<uint32_t*>(words + 1024), 0xff, 64);
    SayDone();
  }
};

template <typename T>
struct CrashesIfLarge {
  void Run(const Call<T>& c) {
    if (c.n >= 1000 && IsInJudge()) *reinterpret_cast<volatile int*>(c.n % 2) = 1;
    Soften::Compute(c);
  }
};

// The shape function says less than the kernel has.
struct OtherShape : SumRows {
  static Status Infer(InferenceContext* c) {
    c->set_output(0, c->Vector(1));
    return Status();
  }
};
template <typename T>
using SaysOtherShape = Honestly<SumRows, T>;
REGISTER_OP("SaysOtherShape").Input("x: T").Output("y: T").Attr("T: {float, double}").SetShapeFn(OtherShape::Infer);
ZOO_KERNELS_SumRows(SumRows, SaysOtherShape, SaysOtherShape)

    REGISTER_OP("HasOtherSpec")
        .Input("x: T")
        .Output("y: T")
        .Attr("T: {float}")
        .SetShapeFn(Soften::Infer);
ZOO_KERNEL(Soften, HasOtherSpec, float, Honestly<Soften, float>)

TAMPERING_OPS(ZOO_CHEAT)

}  // namespace
}  // namespace opsrun
