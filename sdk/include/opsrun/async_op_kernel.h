// opsrun/async_op_kernel.h: AsyncOpKernel, a kernel whose work finishes on another thread.
//
// Compute waits until `done` has been called, so objects of the host do not have to outlive the call. `done` must be
// called exactly once, from any thread, after the last use of the context. A kernel that only computes does not need
// its own thread: Shard is faster.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <utility>

#include "opsrun/namespace.h"
#include "opsrun/op_kernel.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// One thread waits until another one signals that it is done. All copies share one signal, which lives as long as the
// last copy, so it can be signaled after the waiter has returned. It uses pthreads, because <functional> and
// <condition_variable> would slow down every source that includes this file.
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

class AsyncOpKernel : public OpKernel {
 public:
  using OpKernel::OpKernel;

  // Can be copied and called like a std::function<void()>.
  typedef internal::DoneSignal DoneCallback;
  virtual void ComputeAsync(OpKernelContext* context, DoneCallback done) = 0;

  void Compute(OpKernelContext* context) final {
    const DoneCallback done;
    ComputeAsync(context, done);
    done.Wait();
  }
};

}  // namespace OPSRUN_HIDDEN

// Like OP_REQUIRES and OP_REQUIRES_OK, but also call `CALLBACK` before they return.
#define OP_REQUIRES_ASYNC(CTX, EXP, STATUS, CALLBACK)  \
  do {                                                 \
    if (!TF_PREDICT_TRUE(EXP)) {                       \
      (CTX)->CtxFailure(__FILE__, __LINE__, (STATUS)); \
      (CALLBACK)();                                    \
      return;                                          \
    }                                                  \
  } while (0)

#define OP_REQUIRES_OK_ASYNC(CTX, STATUS, CALLBACK)            \
  do {                                                         \
    const ::OPSRUN_NAMESPACE::Status opsrun_status = (STATUS); \
    if (TF_PREDICT_FALSE(!opsrun_status.ok())) {               \
      (CTX)->CtxFailure(__FILE__, __LINE__, opsrun_status);    \
      (CALLBACK)();                                            \
      return;                                                  \
    }                                                          \
  } while (0)
