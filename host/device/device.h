// host/device/device.h: where tensors live and kernels run. The seam between opsrun and every kind of device.
//
// A device works beside the CPU: what is asked of it is enqueued on a stream and happens in the stream's order, while
// the caller goes on. Events order streams among each other, and let the CPU wait. The CPU is a device too, whose work
// is done when a call returns: it has no streams and no events, and what concerns them does nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/status.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// The device type that kernels for the CPU are registered for, and what graphs call it.
inline constexpr char kCpuKind[] = "CPU";
inline constexpr char kCpuName[] = "cpu";

// A queue of a device's work, which kernels get as opsrun_call::stream. Owned by its device.
using Stream = void*;
inline constexpr Stream kNoStream = nullptr;

// A point in a stream. Owned by its device.
using Event = void*;

// Work that was captured, and can be enqueued as a whole again and again: what CUDA calls an executable graph. Owned by
// its device.
using CapturedWork = void*;

// From this size on, lanes give memory back between runs. To keep smaller memory costs less than taking it again.
inline constexpr size_t kLargeBlock = size_t{64} << 10;

// Who keeps memory for later that it can do without. Any thread.
class MemoryKeeper {
 public:
  virtual ~MemoryKeeper() = default;
  // False if it has none.
  virtual bool GiveUpMemory() = 0;
};

// Every method may be called from any thread. A Status that is not OK tells what the device said; errors of work that
// was enqueued earlier may come out of any later call.
class Device {
 public:
  virtual ~Device() = default;

  virtual const std::string& name() const = 0;  // as in graph files: "cpu", "gpu:0"
  virtual const std::string& kind() const = 0;  // the device type of kernel registrations: "CPU", "GPU"
  virtual opsrun_device id() const = 0;
  // The distance at which tensors lie from each other in a block; a multiple of 64.
  virtual size_t alignment() const { return 64; }
  // The CPU may read and write what Allocate returns.
  virtual bool is_cpu_memory() const { return true; }
  // A double of a device for tests, which runs kernels of Plugin::emulated and no others.
  virtual bool is_double() const { return false; }
  // CPU memory that copies to and from this device take without a detour.
  virtual Device& staging() { return *this; }

  // 64-byte aligned memory with undefined contents, for work that is enqueued on `stream` from now on; null if out of
  // memory. 0 bytes is treated as 1 byte.
  virtual void* Allocate(size_t bytes, Stream stream) = 0;
  // Frees it once the work that is now on `stream` is done. Null does nothing.
  virtual void Free(void* memory, Stream stream) = 0;

  // A large block for a run: Allocate, but it may be an idle one of up to `most` bytes, preferably that at `wish`, and
  // work on any stream may use it.
  virtual void* TakeBlock(size_t bytes, size_t /*most*/, const void* /*wish*/, Stream stream) {
    return Allocate(bytes, stream);
  }
  // The block is idle from now on: no work uses it. Null does nothing.
  virtual void GiveBlock(void* block) { Free(block, kNoStream); }
  // The block is memory as of Allocate from now on, and ends with Free.
  virtual void DisownBlock(void* /*block*/) {}
  // Frees what is kept for later; false if there is nothing. Out of memory, a device does that by itself.
  virtual bool Trim() { return false; }

  // Counts memory of the CPU that lies outside blocks of Allocate (the bytes of strings) against a limit; false if the
  // limit is reached.
  virtual bool Reserve(size_t /*bytes*/) { return true; }
  virtual void GiveBack(size_t /*bytes*/) {}

  // Makes the device current on this thread, as plugins' code for it expects, until Detach. Calls nest.
  virtual Status Attach() { return OkStatus(); }
  virtual void Detach() {}

  // A stream, borrowed until it is given back. Its work must be done then.
  virtual Result<Stream> TakeStream() { return kNoStream; }
  virtual void GiveStream(Stream /*stream*/) {}
  // An event that was never recorded, borrowed until it is given back.
  virtual Result<Event> TakeEvent() { return Event{}; }
  virtual void GiveEvent(Event /*event*/) {}

  // The event is reached once the work that is now on `stream` is done.
  virtual Status Record(Event /*event*/, Stream /*stream*/) { return OkStatus(); }
  // What is enqueued on `stream` from now on begins after the event, as it was last recorded.
  virtual Status Follow(Stream /*stream*/, Event /*event*/) { return OkStatus(); }
  // Returns when the event is reached, or when all work on `stream` is done.
  virtual Status WaitFor(Event /*event*/) { return OkStatus(); }
  virtual Status Drain(Stream /*stream*/) { return OkStatus(); }

  // Enqueues a copy between CPU memory and memory of this device, or within either. CPU memory must stay valid until it
  // is done.
  enum class Direction { kIn, kOut, kWithin };
  virtual Status Copy(Direction direction, void* to, const void* from, size_t bytes, Stream stream) = 0;

  // From now on the device notes what this thread enqueues on `stream` and does not do it. Meanwhile nobody may wait
  // for the stream, or allocate or free memory there.
  virtual bool can_capture() const { return false; }
  virtual Status BeginCapture(Stream /*stream*/) { return OkStatus(); }
  // What was enqueued since then. Not OK: something among it cannot be captured.
  virtual Result<CapturedWork> EndCapture(Stream /*stream*/) { return CapturedWork{}; }
  // Enqueues it.
  virtual Status Launch(CapturedWork /*work*/, Stream /*stream*/) { return OkStatus(); }
  // Forgets it. It must be done, or never have been launched.
  virtual void Discard(CapturedWork /*work*/) {}

  // Writes `value` to a word of staging memory once the work that is now on `stream` is done. False: it cannot.
  virtual bool Mark(uint32_t* /*word*/, uint32_t /*value*/, Stream /*stream*/) { return false; }
};

// The device is current on this thread as long as this lives.
class Attached {
 public:
  // Null: the CPU.
  explicit Attached(Device* device) : device_(device) {
    if (device_ != nullptr) status_ = device_->Attach();
  }
  Attached(const Attached&) = delete;
  ~Attached() {
    if (device_ != nullptr && status_.ok()) device_->Detach();
  }
  const Status& status() const { return status_; }

 private:
  Device* const device_;
  Status status_;
};

// What is enqueued on stream `then` from now on begins after the work that is now on `first`.
Status Order(Device& device, Stream first, Stream then);

std::unique_ptr<Device> OpenCpuDevice();

// Wraps a CPU with a limit on the total of allocated memory; allocations above it return null.
std::unique_ptr<Device> LimitMemory(std::unique_ptr<Device> cpu, size_t bytes);

// Wraps a CPU so that its blocks are kept for later: see BlockCache. Before it is out of memory, it frees those, and
// asks `keeper`. exact: idle blocks are used for little less than their size, since memory is limited.
std::unique_ptr<Device> KeepBlocks(std::unique_ptr<Device> cpu, bool exact, std::weak_ptr<MemoryKeeper> keeper);

// The devices that graphs of an engine may use, by their names.

// Any thread, except for AddKind.
class Devices {
 public:
  // Opens device `number` of its kind. Of a failure, the message says what is missing, and the subject what to do; it
  // ends with "run on the CPU".
  using Opener = std::function<Result<std::unique_ptr<Device>>(int number)>;

  explicit Devices(std::unique_ptr<Device> cpu);
  Devices(const Devices&) = delete;

  // Adds a kind beside the CPU: "gpu". Before the first Find.
  void AddKind(const std::string& kind, Opener open);

  Device& cpu() { return *cpu_; }
  // "cpu", "gpu" (its first device), "gpu:1". Opens the device when it is first asked for, which may take a second; a
  // failure is kept too. INVALID_ARGUMENT: that is not the name of a device. Any other code: it cannot be opened.
  Result<Device*> Find(std::string_view name);
  // Device::Trim of all that are open.
  void Trim();
  // "cpu, gpu, gpu:N"
  std::string Names() const;

 private:
  struct Kind {
    Opener open;
    std::map<int, Result<std::unique_ptr<Device>>> opened;  // by number
  };

  const std::unique_ptr<Device> cpu_;
  std::mutex mutex_;  // guards kinds_, and is held while a device is opened
  std::map<std::string, Kind, std::less<>> kinds_;
};

}  // namespace opsrun::host
