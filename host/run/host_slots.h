// host/run/host_slots.h: those slots of the host's table that need more than one call, and their helpers. Private to
// this room. c_api.h documents each slot.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>

#include "host/base/plugin_code.h"
#include "host/plan/call_arrays.h"
#include "host/run/call_slots.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// Text passed by a plugin, which may claim any size: its first 64 KiB, or a replacement sentence if it cannot be read.
std::string TextOfPlugin(opsrun_str text);

// Of the opsrun_call, opsrun_create or opsrun_shape_call that `where` points to.
inline uint16_t KindOf(const void* where) {
  return static_cast<const opsrun_call*>(where)->kind;
}
inline CallSlots& SlotsOf(const opsrun_call* call) {
  return *static_cast<CallSlots*>(call->lane);
}
inline CreateCall& CreateCallOf(void* where) {
  return *static_cast<CreateCall*>(static_cast<opsrun_create*>(where));
}

// Records the failure of a call, a create or a shape call, and returns its code.
int32_t FailAt(void* where, int32_t code, std::string text, std::string subject);

// The host of a call, a create or a shape call; if `where` is null, that of the plugin code on this thread, or null.
const opsrun_host* HostAt(void* where);

// Calls back into the plugin; an exception becomes the failure of `where`. what: names the callback in the message.
template <typename Fn>
int32_t CallPlugin(void* where, const char* what, Fn fn) {
  int32_t code = OPSRUN_OK;
  const std::optional<Thrown> thrown = CatchThrown([&] { code = fn(); });
  if (!thrown) return code;
  code = thrown->out_of_memory ? OPSRUN_RESOURCE_EXHAUSTED : OPSRUN_INTERNAL;
  return FailAt(where, code, fmt::format("{} {}", what, thrown->Sentence()), "");
}

// opsrun.cuda/1 as this host offers it.
extern const opsrun_cuda kCudaInterface;

// ---- The slots.
namespace slots {

int32_t AllocateTemp(void* where, int32_t dtype, int32_t rank, const int64_t* dims, uint32_t flags,
                     const opsrun_tensor** t);
int32_t Retain(const opsrun_tensor* t, const opsrun_tensor** kept);
void Release(const opsrun_tensor* t);
int32_t StringAssign(const opsrun_tensor* t, uint64_t i, const char* p, uint64_t n);
int32_t StringSwap(const opsrun_tensor* t, uint64_t i, uint64_t j);
int32_t Resource(void* where, opsrun_str container, opsrun_str name, opsrun_str type, int32_t (*make)(void*, void**),
                 void* ctx, void (*destroy)(void*), const opsrun_resource** r);
int32_t ResourceDelete(void* where, opsrun_str container, opsrun_str name, opsrun_str type);

}  // namespace slots
}  // namespace opsrun::host
