// tests/bad_plugins/misbehaves.cc: does something that a plugin must not do, on request of a test.
//
// The attrs of its op select where and what. For actions while the file is loaded, and after the program, the
// environment does: MISBEHAVE=load:segv; or the macro MISBEHAVES at compile time.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <cfenv>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>

#define STR(literal) \
  { literal, sizeof(literal) - 1 }
#include "crash_places.h"
#include "opsrun/c_api.h"

OPSRUN_C_PLUGIN_NOTE(plugin_note);
OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "Misbehave");
OPSRUN_C_NOTE(kernel_note, OPSRUN_NOTE_KERNEL, "Misbehave;CPU");
OPSRUN_C_NOTE(op_note_of_reader, OPSRUN_NOTE_OP, "MisbehaveWith");
OPSRUN_C_NOTE(kernel_note_of_reader, OPSRUN_NOTE_KERNEL, "MisbehaveWith;CPU");
OPSRUN_C_NOTE(op_note_of_maker, OPSRUN_NOTE_OP, "MakeObject");
OPSRUN_C_NOTE(kernel_note_of_maker, OPSRUN_NOTE_KERNEL, "MakeObject;CPU");
OPSRUN_C_NOTE(op_note_of_user, OPSRUN_NOTE_OP, "UseObject");
OPSRUN_C_NOTE(kernel_note_of_user, OPSRUN_NOTE_KERNEL, "UseObject;CPU");

namespace {

volatile int zero = 0, seven = 7;

#if defined(__x86_64__)
void FlushToZero() {
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
}
bool FlushesToZero() {
  return (__builtin_ia32_stmxcsr() & 0x8040) != 0;
}
#else
void FlushToZero() {
  __builtin_aarch64_set_fpcr(__builtin_aarch64_get_fpcr() | 1 << 24);
}
bool FlushesToZero() {
  return (__builtin_aarch64_get_fpcr() & 1 << 24) != 0;
}
#endif

volatile double nothing = 0, quotient = 0;

// Divides first, so that a trap of the x87 unit is pending.
void EnableTraps() {
  volatile long double due = 1 / static_cast<long double>(nothing);
  static_cast<void>(due);
  feenableexcept(FE_DIVBYZERO | FE_INVALID);
}

void ReducePrecision() {
#if defined(__x86_64__)
  const uint16_t double_precision = 0x27F;
  asm volatile("fldcw %0" : : "m"(double_precision));
#endif
}

void ArmTimer() {
  const itimerval later = {{0, 0}, {3600, 0}};
  setitimer(ITIMER_VIRTUAL, &later, nullptr);
}

void LowerLimit() {
  rlimit limit = {};
  getrlimit(RLIMIT_CORE, &limit);
  limit.rlim_cur = limit.rlim_cur == 0 ? limit.rlim_max : 0;
  setrlimit(RLIMIT_CORE, &limit);
}

// Overwrites the file, as a build does while the plugin is in use.
void Rewritten() {
  Dl_info own = {};
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  now.tv_sec += 2;
  const timespec times[] = {now, now};
  if (dladdr(reinterpret_cast<void*>(&Rewritten), &own) != 0) utimensat(AT_FDCWD, own.dli_fname, times, 0);
  *reinterpret_cast<volatile int*>(zero) = 1;
}

int Overflow(volatile char* above) {
  volatile char frame[4096];
  frame[0] = above == nullptr ? 1 : *above;
  return zero == 0 ? Overflow(frame) + frame[0] : 0;
}

[[noreturn]] void Throw() {
  throw std::runtime_error("thrown by a plugin");
}

void Do(const std::string& what) {
  CrashAtPlace(what);
  if (what == "segv") *reinterpret_cast<volatile int*>(zero) = 1;
  if (what == "rewritten") Rewritten();
  if (what == "abort") std::abort();
  if (what == "ill") __builtin_trap();
  if (what == "fpe") zero = seven / zero;
  if (what == "bus") raise(SIGBUS);
  if (what == "kill") raise(SIGKILL);
  if (what == "overflow") Overflow(nullptr);
  if (what == "terminate") std::terminate();
  if (what == "throw") Throw();
  if (what == "throw_int") throw 1;
  if (what == "bad_alloc") throw std::bad_alloc();
  if (what == "noexcept") []() noexcept { Throw(); }();
  if (what == "exit") exit(0);
  if (what == "exit42") exit(42);
  if (what == "_exit") _exit(0);
  if (what == "_Exit") _Exit(0);
  if (what == "quick_exit") quick_exit(0);
  if (what == "err") err(0, "said by err");
  if (what == "quiet_err") {  // ends inside the C library, without a message
    static FILE* const nowhere = fopen("/dev/null", "w");
    stderr = nowhere;
    err(0, "said to nobody");
  }
  if (what == "pthread_exit") pthread_exit(nullptr);
  if (what == "thread_exit") std::thread([] { exit(0); }).join();
  if (what == "thread_segv") std::thread([] { Do("segv"); }).join();
  if (what == "fork_exit") {
    if (fork() == 0) _exit(0);
  }
  if (what == "hang") {
    for (;;) usleep(1000);
  }
  if (what == "flush_to_zero") FlushToZero();
  if (what == "no_descriptors") syscall(SYS_close_range, 3, ~0u, 0);
  if (what == "memory") {
    for (;;) std::memset(new char[1 << 20], 1, 1 << 20);
  }
  if (what == "block_signals") {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
  }
  if (what == "locale") std::setlocale(LC_ALL, "C.UTF-8");
  if (what == "chdir" && chdir("/") != 0) std::abort();
  if (what == "traps") EnableTraps();
  if (what == "divide") quotient = seven / nothing;
  if (what == "precision") ReducePrecision();
  if (what == "timer") ArmTimer();
  if (what == "limit") LowerLimit();
  if (what == "umask") umask(0123);
  if (what == "handler") std::signal(SIGINT, SIG_IGN);
  if (what == "thread") std::thread(pause).detach();
  if (what == "open" && open("/dev/zero", O_RDONLY | O_CLOEXEC) < 0) std::abort();
}

// What Do may have changed, one bit each: 0 if everything is in its default state.
int Changes() {
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  char directory[2] = "";
  const bool moved = getcwd(directory, sizeof(directory)) != nullptr;  // only "/" is that short
  return (FlushesToZero() ? 1 : 0) | (sigismember(&blocked, SIGINT) != 0 ? 2 : 0) |
         (std::strcmp(std::setlocale(LC_ALL, nullptr), "C") != 0 ? 4 : 0) | (moved ? 8 : 0);
}

const char* WantedWhileLoaded() {
#ifdef MISBEHAVES
  return MISBEHAVES;
#else
  return std::getenv("MISBEHAVE");
#endif
}

void DoAt(const char* place) {
  const char* wanted = WantedWhileLoaded();
  const std::string prefix = std::string(place) + ":", all = wanted == nullptr ? "" : wanted;
  if (all.compare(0, prefix.size(), prefix) == 0) Do(all.substr(prefix.size()));
}

struct AtLoad {
  AtLoad() { DoAt("load"); }
  ~AtLoad() { DoAt("unload"); }
} at_load;

struct Kernel {
  std::string at, what;
};

std::string TextOf(const opsrun_attr& attr) {
  return {attr.v.s.data, attr.v.s.size};
}

int32_t Shape(void*, opsrun_shape_call* call) {
  if (TextOf(call->attrs[0]) == "shape") Do(TextOf(call->attrs[1]));
  const opsrun_shape* shape = nullptr;
  if (const int32_t code = call->host->make_shape(call, 0, nullptr, &shape)) return code;
  return call->host->set_output_shape(call, 0, shape);
}

int32_t Create(void*, opsrun_create* create, void** kernel) {
  auto made = std::make_unique<Kernel>(Kernel{TextOf(create->attrs[0]), TextOf(create->attrs[1])});
  if (made->at == "create") Do(made->what);
  if (made->at == "fail")
    return create->host->fail(create->host, create, OPSRUN_INTERNAL, {"x", ~0ull}, {nullptr, ~0ull});
  const opsrun_resource* resource = nullptr;
  if (made->at == "make") {
    const auto make = [](void* ctx, void** object) -> int32_t {
      Do(*static_cast<std::string*>(ctx));
      *object = nullptr;
      return OPSRUN_OK;
    };
    const int32_t code =
        create->host->resource(create, STR(""), STR("r"), STR("t"), make, &made->what, nullptr, &resource);
    if (code != OPSRUN_OK) return code;
    create->host->resource_release(resource);
  }
  if (made->at == "resource") {
    const auto make = [](void* ctx, void** object) -> int32_t {
      *object = new std::string(*static_cast<std::string*>(ctx));
      return OPSRUN_OK;
    };
    const auto destroy = [](void* object) {
      const std::unique_ptr<std::string> what(static_cast<std::string*>(object));
      Do(*what);
    };
    create->host->resource(create, STR(""), STR("r"), STR("t"), make, &made->what, destroy, &resource);
    create->host->resource_release(resource);
  }
  *kernel = made.release();
  return OPSRUN_OK;
}

int32_t Compute(void* object, opsrun_call* call) {
  const auto& kernel = *static_cast<Kernel*>(object);
  *static_cast<int32_t*>(call->out[0]->data) = 7 + 10 * Changes();
  if (kernel.at == "compute") Do(kernel.what);
  if (kernel.at == "scribble") {
    *static_cast<int16_t*>(const_cast<void*>(call->in[0]->data)) = -1;
    Do(kernel.what);
  }
  if (kernel.at == "loop") {
    const auto block = [](void* ctx, int64_t, int64_t) -> int32_t {
      Do(static_cast<const Kernel*>(ctx)->what);
      return OPSRUN_OK;
    };
    return call->host->parallel_for(call, 1000, 1'000'000, block, object);
  }
  if (kernel.at == "assign") return call->host->string_assign(call->out[0], 0, "x", ~0ull);
  return OPSRUN_OK;
}

int32_t MakeObject(void*, opsrun_call* call) {
  const auto make = [](void*, void** object) -> int32_t {
    *object = const_cast<int*>(&seven);
    return OPSRUN_OK;
  };
  opsrun_tensor* out = nullptr;
  if (const int32_t code = call->host->allocate_output(call, 0, 0, nullptr, &out)) return code;
  return call->host->resource(call, STR(""), STR("object"), STR("t"), make, nullptr, nullptr,
                              static_cast<const opsrun_resource**>(out->data));
}

int32_t UseObject(void*, opsrun_call* call) {
  const opsrun_resource* const used = *static_cast<const opsrun_resource* const*>(call->in[0]->data);
  *static_cast<int32_t*>(call->out[0]->data) = *static_cast<const int*>(used->obj);
  return OPSRUN_OK;
}

void Destroy(void* object) {
  const auto* kernel = static_cast<Kernel*>(object);
  const std::string what = kernel->at == "destroy" ? kernel->what : "";
  delete kernel;
  Do(what);
}

constexpr opsrun_str kOutputs[] = {STR("y: int32")};
constexpr opsrun_str kAttrs[] = {STR("at: string"), STR("what: string")};

constexpr opsrun_str kInputs[] = {STR("x: int16")}, kObject[] = {STR("object: resource")};

opsrun_op OpOf(opsrun_str name, const opsrun_str* input, const opsrun_str* output) {
  opsrun_op it = {};
  it.size = sizeof(it);
  it.name = name;
  it.inputs = input;
  it.n_inputs = input == nullptr ? 0 : 1;
  it.outputs = output;
  it.n_outputs = 1;
  it.attrs = kAttrs;
  it.n_attrs = 2;
  it.shape = Shape;
  return it;
}
const opsrun_op op = OpOf(opsrun_str STR("Misbehave"), nullptr, kOutputs),
                reader = OpOf(opsrun_str STR("MisbehaveWith"), kInputs, kOutputs),
                maker = OpOf(opsrun_str STR("MakeObject"), nullptr, kObject),
                user = OpOf(opsrun_str STR("UseObject"), kObject, kOutputs);
const opsrun_op* const ops[] = {&op, &reader, &maker, &user};

opsrun_kernel KernelOf(opsrun_str name, int32_t (*compute)(void*, opsrun_call*) = Compute) {
  opsrun_kernel it = {};
  it.size = sizeof(it);
  it.op = name;
  it.device = STR("CPU");
  it.create = Create;
  it.compute = compute;
  it.destroy = Destroy;
  return it;
}
const opsrun_kernel kernel = KernelOf(opsrun_str STR("Misbehave")),
                    kernel_of_reader = KernelOf(opsrun_str STR("MisbehaveWith")),
                    kernel_of_maker = KernelOf(opsrun_str STR("MakeObject"), MakeObject),
                    kernel_of_user = KernelOf(opsrun_str STR("UseObject"), UseObject);
const opsrun_kernel* const kernels[] = {&kernel, &kernel_of_reader, &kernel_of_maker, &kernel_of_user};
const opsrun_plugin table = [] {
  opsrun_plugin it = {};
  it.size = sizeof(it);
  it.header_level = OPSRUN_USE_LEVEL;
  it.min_level = OPSRUN_TARGET_LEVEL;
  it.ops = ops;
  it.n_ops = 4;
  it.kernels = kernels;
  it.n_kernels = 4;
  it.shutdown = [](const opsrun_host*) { DoAt("shutdown"); };
  return it;
}();

}  // namespace

const opsrun_plugin* opsrun_plugin_v1(const opsrun_host*) {
  DoAt("entry");
  return &table;
}
