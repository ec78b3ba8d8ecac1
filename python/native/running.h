// python/native/running.h: a call of the library while other Python threads run, which Ctrl-C stops.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "numpy.h"
#include "opsrun/embed.h"

namespace opsrun::python {

// Once, on the thread that imports the module.
void PrepareRunning();

// Processes that were forked from this one's ancestors: an engine whose number differs has lost its threads.
uint32_t ForkNumber();
// False, and an exception, if the process was forked since `number` was taken.
bool CheckFork(uint32_t number);

// Calls call(stop) and returns its code. release: without the GIL; on the main thread, SIGINT then stops the run. Holds
// no reference of Python's in between, since the interpreter may end the thread when it asks for the GIL again.
template <typename Call>
int32_t RunWith(bool release, const Call& call);

// The exception for a run that ended with OPSRUN_CANCELLED: that of Python's handler of the signal, such as
// KeyboardInterrupt. False if no signal stopped it.
bool SetInterruption();

namespace internal {
opsrun_stop* BeginInterruptible();  // null: not on the main thread
void EndInterruptible(opsrun_stop* stop);
}  // namespace internal

template <typename Call>
int32_t RunWith(bool release, const Call& call) {
  if (!release) return call(static_cast<opsrun_stop*>(nullptr));
  opsrun_stop* const stop = internal::BeginInterruptible();
  PyThreadState* const state = PyEval_SaveThread();
  const int32_t code = call(stop);
  PyEval_RestoreThread(state);
  internal::EndInterruptible(stop);
  return code;
}

}  // namespace opsrun::python
