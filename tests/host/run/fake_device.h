// tests/host/run/fake_device.h: a device in this process, whose work waits until somebody waits for it.
//
// Nothing that is enqueued happens before a stream is drained or an event is waited for, and then no more than that
// needs; or, with Schedule::kEager, everything happens at once; or, with kRandom, anything in between. So a wait that
// is missing changes a result. Freed memory keeps a pattern, which is looked at when the device ends. Captured work
// takes no memory and no waits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "host/device/device.h"

namespace opsrun::host {

enum class Schedule { kEager, kLazy, kRandom };

class FakeDevice final : public Device {
 public:
  using Captured = std::vector<std::function<bool()>>;
  // What kernels get as their stream.
  struct Queue {
    FakeDevice* device = nullptr;
    std::deque<std::function<bool()>> work;
    uint64_t enqueued = 0, done = 0;
    std::unique_ptr<Captured> captured;  // null: what is enqueued is done
  };

  explicit FakeDevice(Schedule schedule, unsigned seed = 0, int number = 0)
      : schedule_(schedule), random_(seed), id_{OPSRUN_DEVICE_CUDA, number}, name_("gpu:" + std::to_string(number)) {}
  ~FakeDevice() override {
    for (const auto& queue : queues_) Advance(*queue, queue->enqueued);
    EXPECT_TRUE(live_.empty() || failed_) << live_.size() << " blocks were never freed";
    for (const auto& [memory, bytes] : live_) std::free(memory);
    EXPECT_EQ(lent_, 0) << "streams, events or captured work that never came back";
    for (const auto& [memory, bytes] : freed_) {
      const auto* data = static_cast<const unsigned char*>(memory);
      EXPECT_TRUE(std::all_of(data, data + bytes, [](unsigned char b) { return b == kFreed; })) << "written after free";
      std::free(memory);
    }
  }

  const std::string& name() const override { return name_; }
  const std::string& kind() const override { return kind_; }
  opsrun_device id() const override { return id_; }
  size_t alignment() const override { return 256; }
  bool is_cpu_memory() const override { return false; }
  Device& staging() override { return staging_; }

  void* Allocate(size_t bytes, Stream stream) override {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    ExpectNoCapture(stream);
    const size_t rounded = (std::max<size_t>(bytes, 1) + 63) / 64 * 64;
    void* const memory = std::aligned_alloc(64, rounded);
    std::memset(memory, kFresh, rounded);
    live_[memory] = rounded;
    return memory;
  }
  void Free(void* memory, Stream stream) override {
    if (memory == nullptr) return;
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    ExpectNoCapture(stream);
    Enqueue(static_cast<Queue*>(stream), [this, memory] {
      const auto block = live_.find(memory);
      EXPECT_TRUE(block != live_.end()) << "freed twice, or not of this device";
      if (block == live_.end()) return true;
      std::memset(memory, kFreed, block->second);
      freed_.push_back(*block);
      live_.erase(block);
      return true;
    });
  }

  Result<Stream> TakeStream() override {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    ++lent_;
    queues_.push_back(std::make_unique<Queue>());
    queues_.back()->device = this;
    return Stream{queues_.back().get()};
  }
  void GiveStream(Stream) override { Returned(); }
  Result<Event> TakeEvent() override {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    ++lent_;
    points_.push_back(std::make_unique<Point>());
    return Event{points_.back().get()};
  }
  void GiveEvent(Event) override { Returned(); }
  Status Record(Event event, Stream stream) override {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    ExpectNoCapture(stream);
    auto* const queue = static_cast<Queue*>(stream);
    *static_cast<Point*>(event) = {queue, queue->enqueued};
    return State();
  }
  Status Follow(Stream stream, Event event) override {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    const Point at = *static_cast<Point*>(event);
    EXPECT_NE(at.queue, nullptr) << "nobody has recorded the event";
    Enqueue(static_cast<Queue*>(stream), [at] { return Advance(*at.queue, at.position), true; });
    return State();
  }
  Status WaitFor(Event event) override {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    const Point at = *static_cast<Point*>(event);
    Advance(*at.queue, at.position);
    return State();
  }
  Status Drain(Stream stream) override {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    ExpectNoCapture(stream);
    auto* const queue = static_cast<Queue*>(stream);
    Advance(*queue, queue->enqueued);
    return State();
  }
  bool can_capture() const override { return true; }
  Status BeginCapture(Stream stream) override {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    ExpectNoCapture(stream);
    static_cast<Queue*>(stream)->captured = std::make_unique<Captured>();
    return State();
  }
  Result<CapturedWork> EndCapture(Stream stream) override {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    if (fail_captures) {
      static_cast<Queue*>(stream)->captured.reset();
      return Internal("told not to capture");
    }
    ++lent_;
    return CapturedWork{static_cast<Queue*>(stream)->captured.release()};
  }
  Status Launch(CapturedWork work, Stream stream) override {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    ++launches_;
    for (const auto& each : *static_cast<Captured*>(work)) Enqueue(static_cast<Queue*>(stream), each);
    return State();
  }
  void Discard(CapturedWork work) override {
    delete static_cast<Captured*>(work);
    Returned();
  }
  Status Copy(Direction direction, void* to, const void* from, size_t bytes, Stream stream) override {
    Enqueue(static_cast<Queue*>(stream), [=] { return std::memmove(to, from, bytes), true; });
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    if (direction != Direction::kWithin) ++(direction == Direction::kIn ? copies_in_ : copies_out_);
    return State();
  }
  bool Mark(uint32_t* word, uint32_t value, Stream stream) override {
    Enqueue(static_cast<Queue*>(stream), [=] { return __atomic_store_n(word, value, __ATOMIC_RELAXED), true; });
    return true;
  }

  // Of a kernel: its work, which answers false if it fails. After that the device does nothing more.
  static void Enqueue(Queue* queue, std::function<bool()> work) {
    if (queue == nullptr) {
      work();
      return;
    }
    FakeDevice& device = *queue->device;
    const std::lock_guard<std::recursive_mutex> lock(device.mutex_);
    if (queue->captured != nullptr) return queue->captured->push_back(std::move(work));
    queue->work.push_back(std::move(work));
    ++queue->enqueued;
    if (device.schedule_ == Schedule::kEager) Advance(*queue, queue->enqueued);
    if (device.schedule_ != Schedule::kRandom) return;
    Queue& some = *device.queues_[device.random_() % device.queues_.size()];
    Advance(some, std::min<uint64_t>(some.enqueued, some.done + device.random_() % 3));
  }

  int copies_in() const { return copies_in_; }
  int copies_out() const { return copies_out_; }
  size_t blocks() const { return live_.size() + freed_.size(); }  // that were ever allocated
  int launches() const { return launches_; }                      // of captured work
  bool fail_captures = false;

 private:
  static constexpr unsigned char kFresh = 0xDA, kFreed = 0xDB;
  struct Point {
    Queue* queue = nullptr;
    uint64_t position = 0;
  };

  // CPU memory that streams of the device use, too.
  class Staging final : public Device {
   public:
    explicit Staging(FakeDevice& owner) : owner_(owner) {}
    void* Allocate(size_t bytes, Stream stream) override { return owner_.Allocate(bytes, stream); }
    void Free(void* memory, Stream stream) override { owner_.Free(memory, stream); }

   private:
    FakeDevice& owner_;
  };

  static void ExpectNoCapture(Stream stream) {
    const auto* const queue = static_cast<const Queue*>(stream);
    EXPECT_TRUE(queue == nullptr || queue->captured == nullptr) << "this does not go into captured work";
  }
  static void Advance(Queue& queue, uint64_t position) {
    while (queue.done < position) {
      const std::function<bool()> work = std::move(queue.work.front());
      queue.work.pop_front();
      ++queue.done;
      FakeDevice& device = *queue.device;
      if (!device.failed_ && !work()) device.failed_ = true;
    }
  }
  Status State() const { return failed_ ? Internal("the device has failed") : OkStatus(); }
  void Returned() {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    --lent_;
  }

  const Schedule schedule_;
  std::recursive_mutex mutex_;  // guards what follows
  std::mt19937 random_;
  const opsrun_device id_;
  const std::string name_, kind_ = "GPU";
  Staging staging_{*this};
  bool failed_ = false;
  int lent_ = 0, copies_in_ = 0, copies_out_ = 0, launches_ = 0;
  std::vector<std::unique_ptr<Queue>> queues_;
  std::vector<std::unique_ptr<Point>> points_;
  std::map<void*, size_t> live_;
  std::vector<std::pair<void*, size_t>> freed_;
};

// By number; those that are open.
using FakeDevices = std::map<int, FakeDevice*>;

// Adds the kind "gpu".
inline void AddFakeGpus(Devices& devices, FakeDevices& open, Schedule schedule, unsigned seed = 0) {
  devices.AddKind("gpu", [&open, schedule, seed](int number) -> Result<std::unique_ptr<Device>> {
    auto device = std::make_unique<FakeDevice>(schedule, seed, number);
    open[number] = device.get();
    return std::unique_ptr<Device>(std::move(device));
  });
}

}  // namespace opsrun::host
