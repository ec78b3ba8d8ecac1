// adapters/pytorch/native/place.cc
// SPDX-License-Identifier: Apache-2.0
#include "place.h"

#include "values.h"

namespace opsrun_torch {
namespace {

AOTITorchError (*stream_function)(int32_t card, void** stream) = nullptr;

}  // namespace

void SetStreamFunction(void* function) {
  stream_function = reinterpret_cast<decltype(stream_function)>(function);
}

void* CurrentStream(int32_t card) {
  if (stream_function == nullptr) {
    Raise(OPSRUN_UNIMPLEMENTED, "an input is on a GPU, but this PyTorch has no CUDA streams; use .cpu()");
  }
  return Get<void*>(stream_function, card);
}

}  // namespace opsrun_torch
