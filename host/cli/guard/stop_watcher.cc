// host/cli/guard/stop_watcher.cc: one thread for the timeout and for signals, which a pipe brings to it.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <iterator>
#include <mutex>
#include <utility>

#include "host/cli/guard/guard.h"
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
// To end cleanly after runs that took longer than the timeout.
constexpr auto kToEnd = 2s;
constexpr int kSignals[] = {SIGINT, SIGTERM};

// For the signal handler: where to write the number of a signal.
std::atomic<int> signal_pipe{-1};

void OnSignal(int number) {
  const int saved = errno;
  const auto byte = static_cast<unsigned char>(number);
  [[maybe_unused]] const ssize_t written = write(signal_pipe.load(std::memory_order_relaxed), &byte, 1);
  errno = saved;
}

}  // namespace

struct StopWatcher::State {
  using Clock = std::chrono::steady_clock;

  int MillisecondsToWait() {
    const std::lock_guard<std::mutex> lock(mutex);
    auto wait = hooks.tick ? Clock::duration(kTick) : Clock::duration(1h);
    if (deadline) wait = std::clamp(*deadline - Clock::now(), Clock::duration(0), wait);
    return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(wait).count());
  }

  // The first request asks the kernels to stop; the second one gives up waiting for them.
  void Stop(int signal) {
    const Clock::time_point now = Clock::now();
    if (cause) {
      if (now >= asked + kTogether) hooks.give_up(*cause);
      return;
    }
    cause = StopCause{signal};
    asked = now;
    deadline = now + (hooks.can_be_asked() ? kGrace : kDeviceGrace);
    stop->Stop();
  }

  void Watch() {
    for (;;) {
      pollfd poll_for = {pipe[0], POLLIN, 0};
      poll(&poll_for, 1, MillisecondsToWait());
      unsigned char byte = 0;
      const bool came = read(pipe[0], &byte, 1) == 1;
      const std::lock_guard<std::mutex> lock(mutex);
      const bool expired = deadline && Clock::now() >= *deadline;
      if (stop == nullptr) {
        if (expired) EndByTimeout(timeout_ms);
      } else if (byte != 0 || expired) {
        Stop(byte);
      } else if (!came && hooks.tick && !cause) {
        hooks.tick();
      }
    }
  }

  uint64_t timeout_ms = 0;
  int pipe[2] = {-1, -1};                     // signal numbers for the thread; 0 only wakes it up
  struct sigaction before[2] = {};            // previous handlers of SIGINT and SIGTERM while graphs run
  std::mutex mutex;                           // guards the members below
  std::optional<Clock::time_point> deadline;  // the timeout; after a request, for the kernels to stop
  StopSignal* stop = nullptr;                 // null while no graph runs
  Hooks hooks;
  std::optional<StopCause> cause;
  Clock::time_point asked;  // time of the request
};

StopWatcher::StopWatcher(uint64_t timeout_ms) : timeout_ms_(timeout_ms) {
  if (timeout_ms == 0) return;
  constexpr uint64_t kYear = uint64_t{365} * 24 * 3600 * 1000;  // keeps the sum within the clock's range
  timeout_ = State::Clock::now() + std::chrono::milliseconds(std::min(timeout_ms, kYear));
  Start();
}

void StopWatcher::Start() {
  auto state = std::make_shared<State>();
  state->timeout_ms = timeout_ms_;
  state->deadline = timeout_;
  if (pipe2(state->pipe, O_CLOEXEC | O_NONBLOCK) != 0) return;  // out of descriptors
  std::thread thread = StartThread([state] { state->Watch(); });
  if (!thread.joinable()) return;
  thread.detach();
  signal_pipe.store(state->pipe[1], std::memory_order_relaxed);
  state_ = std::move(state);
}

void StopWatcher::BeginRuns(StopSignal& stop, Hooks hooks) {
  if (state_ == nullptr) Start();
  if (state_ == nullptr) return;
  {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    state_->stop = &stop;
    state_->hooks = std::move(hooks);
  }
  OnSignal(0);
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  action.sa_flags = SA_RESTART;
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], nullptr, &state_->before[i]);
    // Signals that the parent set to be ignored, as nohup does, stay ignored.
    if (state_->before[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

void StopWatcher::EndRuns() {
  if (state_ == nullptr) return;
  const std::lock_guard<std::mutex> lock(state_->mutex);
  for (size_t i = 0; state_->stop != nullptr && i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], &state_->before[i], nullptr);
  }
  state_->stop = nullptr;
  state_->hooks = {};
  const State::Clock::time_point now = State::Clock::now();
  state_->deadline = timeout_ && *timeout_ <= now ? now + kToEnd : timeout_;
  OnSignal(0);
}

std::optional<StopCause> StopWatcher::cause() const {
  if (state_ == nullptr) return std::nullopt;
  const std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->cause;
}

}  // namespace opsrun::host
