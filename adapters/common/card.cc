// adapters/common/card.cc
// SPDX-License-Identifier: Apache-2.0
#include "card.h"

#include <dlfcn.h>

#include <algorithm>
#include <map>

#include "engine.h"

namespace opsrun_adapter {
namespace {

constexpr unsigned kNonBlocking = 1;  // a stream that does not wait for the default stream
constexpr unsigned kNoTiming = 2;
constexpr int kNotReady = 600;

struct Driver {
#define OPSRUN_ADAPTER_CUDA_POINTER(name, suffix, parameters) int(*name) parameters = nullptr;
  OPSRUN_ADAPTER_CUDA_CALLS(OPSRUN_ADAPTER_CUDA_POINTER)
#undef OPSRUN_ADAPTER_CUDA_POINTER
};

[[noreturn]] void Unavailable(const std::string& why) {
  Throw(OPSRUN_UNAVAILABLE, "no kernel can run on the GPU: " + why + "; run the op on the CPU");
}

Driver Load() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) Unavailable("libcuda.so.1, NVIDIA's driver, was not found");
  Driver driver;
#define OPSRUN_ADAPTER_CUDA_FIND(name, suffix, parameters)                              \
  driver.name = reinterpret_cast<decltype(driver.name)>(dlsym(library, #name #suffix)); \
  if (driver.name == nullptr) Unavailable("the CUDA driver is older than 11.4, since it lacks " #name);
  OPSRUN_ADAPTER_CUDA_CALLS(OPSRUN_ADAPTER_CUDA_FIND)
#undef OPSRUN_ADAPTER_CUDA_FIND
  if (driver.cuInit(0) != 0) Unavailable("the CUDA driver cannot be initialized; see what nvidia-smi says");
  return driver;
}

const Driver& TheDriver() {
  static const Driver driver = Load();
  return driver;
}

}  // namespace

Card& Card::Get(int32_t ordinal) {
  static std::mutex mutex;  // guards cards, which live as long as the process
  static auto* const cards = new std::map<int32_t, std::unique_ptr<Card>>;
  const std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<Card>& card = (*cards)[ordinal];
  if (card == nullptr) card.reset(new Card(ordinal));
  return *card;
}

Card::Card(int32_t ordinal) {
  int device = 0;
  int error = TheDriver().cuDeviceGet(&device, ordinal);
  if (error == 0) error = TheDriver().cuDevicePrimaryCtxRetain(&context_, device);
  if (error != 0) Unavailable(TextOf(error, "card " + std::to_string(ordinal)));
}

std::string Card::TextOf(int error, const std::string& what) {
  if (error == 0) return "";
  const char* name = nullptr;
  TheDriver().cuGetErrorName(error, &name);
  return what + ": " + (name == nullptr ? std::to_string(error) : name);
}

Card::Current::Current(const Card& card) noexcept : error_(TheDriver().cuCtxPushCurrent(card.context_)) {}

Card::Current::~Current() {
  void* popped = nullptr;
  if (error_ == 0) TheDriver().cuCtxPopCurrent(&popped);
}

int Card::Copy(void* to, bool to_cpu, const void* from, bool from_cpu, size_t bytes, void* stream) const {
  if (bytes == 0) return 0;
  const Current current(*this);
  if (current.error() != 0) return current.error();
  if (!to_cpu)
    return (from_cpu ? TheDriver().cuMemcpyHtoDAsync : TheDriver().cuMemcpyDtoDAsync)(to, from, bytes, stream);
  if (const int error = TheDriver().cuMemcpyDtoHAsync(to, from, bytes, stream)) return error;
  return TheDriver().cuStreamSynchronize(stream);
}

int Card::Wait(void* stream) const {
  const Current current(*this);
  return current.error() != 0 ? current.error() : TheDriver().cuStreamSynchronize(stream);
}

int Card::WaitForAll() const {
  const Current current(*this);
  return current.error() != 0 ? current.error() : TheDriver().cuCtxSynchronize();
}

bool Card::IsCapturing(void* stream) const {
  if (stream == nullptr) return false;  // the default stream cannot be captured
  const Current current(*this);
  int status = 0;
  return current.error() == 0 && TheDriver().cuStreamIsCapturing(stream, &status) == 0 && status != 0;
}

int Card::Order(void* first, void* then) const {
  if (first == then) return 0;
  const Current current(*this);
  void* event = nullptr;
  int error = current.error() != 0 ? current.error() : TheDriver().cuEventCreate(&event, kNoTiming);
  if (error != 0) return error;
  error = TheDriver().cuEventRecord(event, first);
  if (error == 0) error = TheDriver().cuStreamWaitEvent(then, event, 0);
  TheDriver().cuEventDestroy(event);  // the driver keeps it until it is reached
  return error;
}

int Card::SideStream(uint32_t i, void*& stream) {
  const Current current(*this);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (current.error() != 0) return current.error();
  const int error = side_streams_[i] != nullptr ? 0 : TheDriver().cuStreamCreate(&side_streams_[i], kNonBlocking);
  stream = side_streams_[i];
  return error;
}

void Card::FreeAfter(void* stream, std::vector<std::shared_ptr<void>> memory) noexcept {
  const Current current(*this);
  const std::lock_guard<std::mutex> lock(mutex_);
  FreeDone();
  void* event = nullptr;
  if (current.error() == 0 && TheDriver().cuEventCreate(&event, kNoTiming) == 0) {
    if (TheDriver().cuEventRecord(event, stream) == 0) return waiting_.push_back({event, std::move(memory)});
    TheDriver().cuEventDestroy(event);
  }
  if (TheDriver().cuStreamSynchronize(stream) == 0) return;
  new std::vector(std::move(memory));  // a card that fails may still use it
}

void Card::FreeDone() {
  const auto done = [](const Waiting& each) {
    if (TheDriver().cuEventQuery(each.event) == kNotReady) return false;
    TheDriver().cuEventDestroy(each.event);
    return true;
  };
  waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(), done), waiting_.end());
}

std::vector<bool> InCpuMemory(const opsrun_arg* args, uint32_t n_args, size_t n, bool on_cpu) {
  std::vector<bool> in_cpu_memory(n, on_cpu);
  for (uint32_t a = 0; a < n_args; ++a) {
    if ((args[a].flags & OPSRUN_ARG_HOST_MEMORY) == 0) continue;
    for (uint32_t i = 0; i < args[a].count; ++i) in_cpu_memory[args[a].first + i] = true;
  }
  return in_cpu_memory;
}

int32_t RecordUse(const opsrun_tensor* t, void* stream, const opsrun_host* table) {
  if (t->host != table || (t->flags & OPSRUN_TENSOR_HOST) != 0) return OPSRUN_INVALID_ARGUMENT;
  const auto& view = static_cast<const StreamView&>(*t);
  try {
    return Card::Get(view.device.id).Order(stream, view.stream) == 0 ? OPSRUN_OK : OPSRUN_INTERNAL;
  } catch (const std::exception&) {
    return OPSRUN_UNAVAILABLE;
  }
}

}  // namespace opsrun_adapter
