// SPDX-License-Identifier: Apache-2.0
#include "host/device/cuda_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "host/base/display_text.h"

namespace opsrun::host {
namespace {

CudaAddress AddressOf(const void* memory) {
  return reinterpret_cast<uintptr_t>(memory);
}

// Unused streams or events.
template <typename Handle>
class Spare {
 public:
  Handle Take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (spare_.empty()) return nullptr;
    Handle handle = spare_.back();
    spare_.pop_back();
    return handle;
  }
  void Give(Handle handle) {
    const std::lock_guard<std::mutex> lock(mutex_);
    spare_.push_back(handle);
  }
  const std::vector<Handle>& all() const { return spare_; }

 private:
  std::mutex mutex_;
  std::vector<Handle> spare_;
};

class CudaDevice final : public Device {
 public:
  // `device` is the driver's handle for card `number`.
  CudaDevice(const CudaDriver& driver, int number, int device, size_t limit, std::weak_ptr<MemoryKeeper> keeper,
             Device* cpu, int* error)
      : context_(driver, device, error),
        driver_(context_.driver()),
        name_(fmt::format("gpu:{}", number)),
        id_{OPSRUN_DEVICE_CUDA, number},
        keeper_(std::move(keeper)),
        staging_(OpenCudaHostMemory(context_, *this, keeper_, cpu)) {
    if (limit > 0) limit_.emplace(limit);
    if (*error == kCudaSuccess) *error = MakePool(device);
    int alignment = 0;
    driver_.cuDeviceGetAttribute(&alignment, kCudaTextureAlignment, device);
    alignment_ = std::max<size_t>(256, static_cast<size_t>(alignment));
  }
  ~CudaDevice() override {
    staging_.reset();
    blocks_.Trim();
    const InContext in_context(context_);
    if (program_stream_ != nullptr) driver_.cuStreamDestroy(program_stream_);
    for (CudaStream stream : streams_.all()) driver_.cuStreamDestroy(stream);
    for (CudaEvent event : events_.all()) driver_.cuEventDestroy(event);
    if (pool_ != nullptr) driver_.cuMemPoolDestroy(pool_);
  }

  const std::string& name() const override { return name_; }
  const std::string& kind() const override { return kind_; }
  opsrun_device id() const override { return id_; }
  size_t alignment() const override { return alignment_; }
  bool is_cpu_memory() const override { return false; }
  Device& staging() override { return *staging_; }

  // Without memory pools, as on some virtual cards, allocates and frees immediately.
  void* Allocate(size_t bytes, Stream stream) override {
    const auto allocate = [&] { return TryAllocate(bytes, StreamOf(stream)); };
    return GetOrTrim(*this, keeper_, [&] { return limit_ ? limit_->Allocate(bytes, allocate) : allocate(); });
  }
  void Free(void* memory, Stream stream) override {
    if (memory == nullptr) return;
    if (limit_) limit_->Forget(memory);
    const InContext in_context(context_);
    if (pool_ != nullptr) {
      driver_.cuMemFreeAsync(AddressOf(memory), StreamOf(stream));
      return;
    }
    driver_.cuStreamSynchronize(StreamOf(stream));
    driver_.cuMemFree(AddressOf(memory));
  }
  void* TakeBlock(size_t bytes, size_t most, const void* wish, Stream stream) override {
    if (limit_) most = std::min(most, MostUnderLimit(bytes));
    return blocks_.Take(bytes, most, wish, stream);
  }
  void GiveBlock(void* block) override { blocks_.Give(block); }
  void DisownBlock(void* block) override { blocks_.Disown(block); }
  bool Trim() override {
    const bool any = blocks_.Trim();
    const InContext in_context(context_);
    if (pool_ != nullptr && in_context.error() == kCudaSuccess) driver_.cuMemPoolTrimTo(pool_, 0);
    return staging_->Trim() || any;
  }

  Status Attach() override { return driver_.StatusOf(context_.Push(), name_.c_str()); }
  void Detach() override { context_.Pop(); }

  Result<Stream> TakeStream() override {
    CudaStream stream = streams_.Take();
    if (stream != nullptr) return Stream{stream};
    Status status = Do([&] { return driver_.cuStreamCreate(&stream, kCudaNonBlocking); });
    if (!status.ok()) return status;
    return Stream{stream};
  }
  void GiveStream(Stream stream) override { streams_.Give(StreamOf(stream)); }
  Result<Stream> StreamForPrograms() override {
    const std::lock_guard<std::mutex> lock(program_mutex_);
    if (program_stream_ != nullptr) return Stream{program_stream_};
    const Result<Stream> taken = TakeStream();
    if (taken.ok()) program_stream_ = StreamOf(*taken);
    return taken;
  }
  Result<Event> TakeEvent() override {
    CudaEvent event = events_.Take();
    if (event != nullptr) return Event{event};
    Status status = Do([&] { return driver_.cuEventCreate(&event, kCudaNoTiming); });
    if (!status.ok()) return status;
    return Event{event};
  }
  void GiveEvent(Event event) override { events_.Give(EventOf(event)); }

  Status Record(Event event, Stream stream) override {
    return Do([&] { return driver_.cuEventRecord(EventOf(event), StreamOf(stream)); });
  }
  Status Follow(Stream stream, Event event) override {
    return Do([&] { return driver_.cuStreamWaitEvent(StreamOf(stream), EventOf(event), 0); });
  }
  Status WaitFor(Event event) override {
    return Do([&] { return driver_.cuEventSynchronize(EventOf(event)); });
  }
  Status Drain(Stream stream) override {
    return Do([&] { return driver_.cuStreamSynchronize(StreamOf(stream)); });
  }

  Status Copy(Direction direction, void* to, const void* from, size_t bytes, Stream stream) override {
    if (bytes == 0) return OkStatus();
    const CudaStream on = StreamOf(stream);
    return Do([&] {
      switch (direction) {
        case Direction::kIn:
          return driver_.cuMemcpyHtoDAsync(AddressOf(to), from, bytes, on);
        case Direction::kOut:
          return driver_.cuMemcpyDtoHAsync(to, AddressOf(from), bytes, on);
        default:
          return driver_.cuMemcpyDtoDAsync(AddressOf(to), AddressOf(from), bytes, on);
      }
    });
  }

  // Where the driver cannot enable it, as between some cards, copies go through the CPU.
  bool TakesFrom(Device& other) override {
    auto* const card = dynamic_cast<CudaDevice*>(&other);
    if (card == nullptr || card == this) return false;
    const std::lock_guard<std::mutex> lock(peers_mutex_);
    const auto [known, is_new] = peers_.emplace(card, false);
    if (is_new) known->second = EnableAccessTo(*card);
    return known->second;
  }
  Status CopyFrom(Device& other, void* to, const void* from, size_t bytes, Stream stream) override {
    const CudaContext theirs = static_cast<CudaDevice&>(other).context_.get();
    return Do([&] {
      return driver_.cuMemcpyPeerAsync(AddressOf(to), context_.get(), AddressOf(from), theirs, bytes, StreamOf(stream));
    });
  }

  // The driver does not know ordinary memory.
  bool CopiesDirectly(const void* cpu_memory) const override {
    const InContext in_context(context_);
    int type = 0;
    return driver_.cuPointerGetAttribute(&type, kCudaMemoryType, AddressOf(cpu_memory)) == kCudaSuccess;
  }

  // The driver knows all memory that it has allocated, whoever asked for it.
  Status CheckMemory(const void* memory) const override {
    const InContext in_context(context_);
    int type = 0, ordinal = -1;
    if (driver_.cuPointerGetAttribute(&type, kCudaMemoryType, AddressOf(memory)) != kCudaSuccess ||
        type != kCudaCardMemory)
      return InvalidArgument(fmt::format("it is said to be on {}, but its address is none of a card's memory", name_));
    driver_.cuPointerGetAttribute(&ordinal, kCudaOrdinal, AddressOf(memory));
    return ordinal == id_.id ? OkStatus()
                             : InvalidArgument(fmt::format("it is said to be on {}, but its memory is that of gpu:{}",
                                                           name_, ordinal));
  }
  Status CheckStream(Stream stream) const override {
    const InContext in_context(context_);
    CudaContext context = nullptr;
    const int error = driver_.cuStreamGetCtx(StreamOf(stream), &context);
    return error == kCudaSuccess && context == context_.get()
               ? OkStatus()
               : InvalidArgument(fmt::format("the stream is not one of the primary context of {}", name_));
  }

  bool can_capture() const override { return true; }
  Status BeginCapture(Stream stream) override {
    return Do([&] { return driver_.cuStreamBeginCapture(StreamOf(stream), kCudaCaptureThreadLocal); });
  }
  Result<CapturedWork> EndCapture(Stream stream) override {
    CudaGraphExec exec = nullptr;
    const Status status = Do([&] {
      CudaGraph graph = nullptr;
      int error = driver_.cuStreamEndCapture(StreamOf(stream), &graph);
      if (error == kCudaSuccess) error = driver_.cuGraphInstantiateWithFlags(&exec, graph, 0);
      if (graph != nullptr) driver_.cuGraphDestroy(graph);
      return error;
    });
    if (!status.ok()) return status;
    return CapturedWork{exec};
  }
  Status Launch(CapturedWork work, Stream stream) override {
    return Do([&] { return driver_.cuGraphLaunch(static_cast<CudaGraphExec>(work), StreamOf(stream)); });
  }
  void Discard(CapturedWork work) override {
    const InContext in_context(context_);
    driver_.cuGraphExecDestroy(static_cast<CudaGraphExec>(work));
  }

  // Page-locked memory has the same address for CPU and card.
  bool Mark(uint32_t* word, uint32_t value, Stream stream) override {
    return Do([&] { return driver_.cuStreamWriteValue32(StreamOf(stream), AddressOf(word), value, 0); }).ok();
  }

 private:
  static CudaStream StreamOf(Stream stream) { return static_cast<CudaStream>(stream); }
  static CudaEvent EventOf(Event event) { return static_cast<CudaEvent>(event); }

  void* TryAllocate(size_t bytes, CudaStream stream) {
    const InContext in_context(context_);
    if (in_context.error() != kCudaSuccess) return nullptr;
    CudaAddress address = 0;
    const size_t wanted = std::max<size_t>(bytes, 1);
    const int error = pool_ == nullptr ? driver_.cuMemAlloc(&address, wanted)
                                       : driver_.cuMemAllocFromPoolAsync(&address, wanted, pool_, stream);
    return error == kCudaSuccess ? reinterpret_cast<void*>(address) : nullptr;
  }

  // For memory of contexts and of pools. Other code in the process may have enabled the former.
  bool EnableAccessTo(CudaDevice& card) {
    constexpr int kAlreadyEnabled = 704;
    const InContext in_context(context_);
    int can = 0;
    if (driver_.cuDeviceCanAccessPeer(&can, context_.device(), card.context_.device()) != kCudaSuccess || can == 0)
      return false;
    const int enabled = driver_.cuCtxEnablePeerAccess(card.context_.get(), 0);
    if (enabled != kCudaSuccess && enabled != kAlreadyEnabled) return false;
    const CudaPoolAccess access{1, context_.device(), 3};
    return card.pool_ == nullptr || driver_.cuMemPoolSetAccess(card.pool_, &access, 1) == kCudaSuccess;
  }

  template <typename Fn>
  Status Do(Fn call) {
    const InContext in_context(context_);
    return driver_.StatusOf(in_context.error() != kCudaSuccess ? in_context.error() : call(), name_.c_str());
  }

  // A pool of our own that keeps its memory. The default pool returns memory at every wait, and other code in the
  // process may configure it.
  int MakePool(int device) {
    int supported = 0;
    driver_.cuDeviceGetAttribute(&supported, kCudaPoolsSupported, device);
    if (supported == 0) return kCudaSuccess;
    const InContext in_context(context_);
    if (in_context.error() != kCudaSuccess) return in_context.error();
    CudaPoolProperties properties{};
    properties.allocation_type = properties.location_type = 1;
    properties.location_id = device;
    if (const int error = driver_.cuMemPoolCreate(&pool_, &properties); error != kCudaSuccess) return error;
    uint64_t all = UINT64_MAX;
    return driver_.cuMemPoolSetAttribute(pool_, kCudaReleaseThreshold, &all);
  }

  const CudaPrimaryContext context_;
  const CudaDriver& driver_;
  const std::string name_, kind_ = "GPU";
  const opsrun_device id_;
  size_t alignment_ = 256;
  CudaPool pool_ = nullptr;  // null: the card does not support pools
  Spare<CudaStream> streams_;
  Spare<CudaEvent> events_;
  std::mutex peers_mutex_;             // guards peers_
  std::map<CudaDevice*, bool> peers_;  // whether this card can use their memory
  std::mutex program_mutex_;           // guards program_stream_
  CudaStream program_stream_ = nullptr;
  const std::weak_ptr<MemoryKeeper> keeper_;
  std::optional<MemoryLimit> limit_;
  BlockCache blocks_{*this};
  std::unique_ptr<Device> staging_;
};

Status NoSuchCard(int count) {
  if (count == 0) return {OPSRUN_UNAVAILABLE, "the CUDA driver finds no GPU" + VisibleCardsText(), "run on the CPU"};
  const std::string last = count == 1 ? "" : fmt::format(" to gpu:{}", count - 1);
  return {OPSRUN_UNAVAILABLE, fmt::format("this machine has {}{}", Several(count, "GPU"), VisibleCardsText()),
          fmt::format("use gpu:0{}, or run on the CPU", last)};
}

}  // namespace

Result<std::unique_ptr<Device>> OpenCudaDevice(int number, size_t limit, std::weak_ptr<MemoryKeeper> keeper,
                                               Device* cpu) {
  const Result<CudaDriver> driver = CudaDriver::Load();
  if (!driver.ok()) return driver.status();
  int count = 0, device = 0, error = kCudaSuccess;
  driver->cuDeviceGetCount(&count);
  if (number >= count) return NoSuchCard(count);
  error = driver->cuDeviceGet(&device, number);
  if (error == kCudaSuccess) {
    auto card = std::make_unique<CudaDevice>(*driver, number, device, limit, std::move(keeper), cpu, &error);
    if (error == kCudaSuccess) return std::unique_ptr<Device>(std::move(card));
  }
  const Status status = driver->StatusOf(error, "it cannot be opened");
  return Status(OPSRUN_UNAVAILABLE, status.message(), "see what nvidia-smi says, or run on the CPU");
}

}  // namespace opsrun::host
