// host/cli/guard/stop_watcher.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/guard/stop_watcher.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <iterator>
#include <mutex>
#include <utility>

#include "host/cli/guard/crash_report.h"
#include "host/threads/thread_pool.h"

namespace opsrun::host {
namespace {

using namespace std::chrono_literals;

// Enough for kernels that poll the signal; others may never return.
constexpr auto kGrace = 2s;
// Devices cannot be interrupted. This is enough for the last kernel of a run that is about to end.
constexpr auto kDeviceGrace = 100ms;
constexpr auto kTick = 200ms;
// Signals this close together count as one: timeout(1) sends its signal to the program and to the process group.
constexpr auto kTogether = 100ms;
constexpr int kSignals[] = {SIGINT, SIGTERM};

// For the signal handler: where to write the number of a signal.
std::atomic<int> signal_pipe{-1};

void OnSignal(int number) {
  const int saved = errno;
  const auto byte = static_cast<unsigned char>(number);
  [[maybe_unused]] const ssize_t written = write(signal_pipe.load(std::memory_order_relaxed), &byte, 1);
  errno = saved;
}

constexpr std::chrono::seconds kToEnd{2};

}  // namespace

StopWatcher::StopWatcher(StopSignal& stop, std::optional<Clock::time_point> deadline, Hooks hooks)
    : stop_(stop), hooks_(std::move(hooks)), deadline_(deadline) {
  if (pipe2(pipe_, O_CLOEXEC | O_NONBLOCK) != 0) return;  // out of descriptors: signals then end the program
  signal_pipe.store(pipe_[1], std::memory_order_relaxed);
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  action.sa_flags = SA_RESTART;
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    // Signals that the parent set to be ignored, as nohup does, stay ignored.
    if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
  thread_ = StartThread([this] { Watch(); });
  if (!thread_.joinable()) GiveSignalsBack();
}

StopWatcher::~StopWatcher() {
  if (thread_.joinable()) GiveSignalsBack();
}

void StopWatcher::GiveSignalsBack() {
  for (size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  if (thread_.joinable()) {
    OnSignal(0);
    thread_.join();
  }
  signal_pipe.store(-1, std::memory_order_relaxed);
  close(pipe_[0]);
  close(pipe_[1]);
}

std::optional<StopCause> StopWatcher::cause() const {
  const int cause = cause_.load(std::memory_order_acquire);
  if (cause < 0) return std::nullopt;
  return StopCause{cause};
}

int StopWatcher::MillisecondsToWait() const {
  auto wait = hooks_.tick ? Clock::duration(kTick) : Clock::duration(1h);
  if (deadline_) wait = std::clamp(*deadline_ - Clock::now(), Clock::duration(0), wait);
  return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(wait).count());
}

// The first request asks the kernels to stop; the second one gives up waiting for them.
void StopWatcher::Stop(int signal) {
  const Clock::time_point now = Clock::now();
  int none = -1;
  if (!cause_.compare_exchange_strong(none, signal, std::memory_order_acq_rel)) {
    if (now >= asked_ + kTogether) hooks_.give_up(*cause());
    return;
  }
  asked_ = now;
  deadline_ = now + (hooks_.can_be_asked() ? kGrace : kDeviceGrace);
  stop_.Stop();
}

void StopWatcher::Watch() {
  for (;;) {
    pollfd poll_for = {pipe_[0], POLLIN, 0};
    poll(&poll_for, 1, MillisecondsToWait());
    unsigned char byte = 0;
    const bool came = read(pipe_[0], &byte, 1) == 1;
    if (came && byte == 0) return;
    if (came) {
      Stop(byte);
    } else if (deadline_ && Clock::now() >= *deadline_) {
      Stop(0);
    } else if (hooks_.tick && !cause()) {
      hooks_.tick();
    }
  }
}

struct Watchdog::State {
  void Watch() {
    std::unique_lock<std::mutex> lock(mutex);
    for (;;) {
      if (!end) {
        changed.wait(lock);
      } else if (Clock::now() >= *end) {
        EndByTimeout(timeout_ms);
      } else {
        changed.wait_until(lock, *end);
      }
    }
  }

  uint64_t timeout_ms = 0;
  std::mutex mutex;  // guards the members below
  std::condition_variable changed;
  std::optional<Clock::time_point> end;  // nothing while suspended
};

Watchdog::Watchdog(uint64_t timeout_ms) {
  if (timeout_ms == 0) return;
  constexpr uint64_t kYear = uint64_t{365} * 24 * 3600 * 1000;  // keeps the sum within the clock's range
  deadline_ = Clock::now() + std::chrono::milliseconds(std::min(timeout_ms, kYear));
  auto state = std::make_shared<State>();
  state->timeout_ms = timeout_ms;
  state->end = deadline_;
  std::thread thread = StartThread([state] { state->Watch(); });
  if (!thread.joinable()) return;
  thread.detach();
  state_ = std::move(state);
}

Watchdog::~Watchdog() {
  Resume();
}

void Watchdog::Suspend() {
  if (state_ == nullptr) return;
  const std::lock_guard<std::mutex> lock(state_->mutex);
  state_->end.reset();
  state_->changed.notify_one();
}

void Watchdog::Resume() {
  if (state_ == nullptr) return;
  const std::lock_guard<std::mutex> lock(state_->mutex);
  const Clock::time_point now = Clock::now();
  state_->end = now < *deadline_ ? *deadline_ : now + kToEnd;
  state_->changed.notify_one();
}

}  // namespace opsrun::host
