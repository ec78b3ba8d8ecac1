// host/isolate/transfer.h: the tensors of a kernel's call on their way to the process and back. Those in shared memory
// stay where they are; others are copied.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "host/isolate/channel.h"
#include "host/isolate/handles.h"
#include "host/isolate/messages.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

size_t BytesOf(const opsrun_tensor& view);

// Memory for copies: the end of that for requests, downwards.
class Stage {
 public:
  // tensors: the memory that both processes have at the same addresses.
  Stage(const Channel& channel, const SharedRegion& tensors);
  Stage(const Stage&) = delete;
  ~Stage();  // gives the memory back to the system, if it is much

  // Where the process finds memory of this process, or may write instead of it; null if there is not that much memory.
  char* For(void* memory, size_t bytes);

 private:
  const Channel& channel_;
  const SharedRegion& tensors_;
  size_t left_;
};

// Describe a tensor to the process. False if it does not fit. The tokens of resources and variants are not added; an
// output of unknown size has no place.
bool PlaceInput(const opsrun_tensor& in, Stage& stage, RunTensor& feed);
bool PlaceOutput(const opsrun_tensor& out, Stage& stage, RunPlace& place);

// Make an output of the call from one of the reply, in which the process may have written anything. place: where it
// was to be written. memory: of the channel. tokens: of the process; requires that no other thread makes proxies of it.
Status TakeOutput(opsrun_call* call, uint32_t i, const RunTensor& made, const RunPlace& place,
                  const SharedRegion& memory);
Status TakeHandles(opsrun_call* call, uint32_t i, const RunTensor& made, const std::shared_ptr<UnusedTokens>& tokens);

}  // namespace opsrun::host
