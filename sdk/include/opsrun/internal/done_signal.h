// opsrun/internal/done_signal.h: one thread waits until another one signals that it is done.
//
// All copies share one signal, which lives as long as the last copy, so it can be signaled after the waiter has
// returned. It uses pthreads, because <functional> and <condition_variable> would slow down every source that includes
// op_kernel.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <utility>

#include "opsrun/namespace.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

class DoneSignal {
 public:
  DoneSignal() : state_(new State) {}
  DoneSignal(const DoneSignal& other) : state_(other.state_) {
    __atomic_add_fetch(&state_->copies, 1, __ATOMIC_RELAXED);
  }
  DoneSignal& operator=(DoneSignal other) {
    std::swap(state_, other.state_);
    return *this;
  }
  ~DoneSignal() {
    if (__atomic_sub_fetch(&state_->copies, 1, __ATOMIC_ACQ_REL) == 0) delete state_;
  }

  void operator()() const {
    pthread_mutex_lock(&state_->mutex);
    state_->done = true;
    pthread_cond_signal(&state_->changed);
    pthread_mutex_unlock(&state_->mutex);
  }
  void Wait() const {
    pthread_mutex_lock(&state_->mutex);
    while (!state_->done) pthread_cond_wait(&state_->changed, &state_->mutex);
    pthread_mutex_unlock(&state_->mutex);
  }

 private:
  struct State {
    ~State() {
      pthread_cond_destroy(&changed);
      pthread_mutex_destroy(&mutex);
    }
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
    bool done = false;
    int copies = 1;
  };

  State* state_;
};

}  // namespace internal
}  // namespace OPSRUN_HIDDEN
