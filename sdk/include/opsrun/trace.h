// opsrun/trace.h: TraceSpan, a part of a kernel's work that `opsrun run --trace` shows within the node.
//
//   void Compute(OpKernelContext* context) override {
//     TraceSpan span(context, "decode");
//     ...
//   }
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "opsrun/c_api.h"
#include "opsrun/namespace.h"
#include "opsrun/op_kernel_context.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

// Lasts from construction to destruction, on one thread: that of Compute, or one that works for it, such as in Shard.
// Spans may be nested. It asks the host for the time twice, and does nothing if no trace is recorded or the host does
// not support it.
class TraceSpan {
 public:
  // name: must outlive the span. context: of the running call.
  TraceSpan(OpKernelContext* context, std::string_view name) : call_(context->call()), name_(name) {
    constexpr char kId[] = OPSRUN_TRACE_1;
    trace_ = static_cast<const opsrun_trace*>(call_->host->query(call_->host, {kId, sizeof(kId) - 1}));
    if (trace_ != nullptr) begin_ = trace_->now(call_);
  }
  TraceSpan(const TraceSpan&) = delete;
  ~TraceSpan() {
    if (begin_ != 0) trace_->span(call_, {name_.data(), name_.size()}, begin_);
  }

 private:
  opsrun_call* const call_;
  const std::string_view name_;
  const opsrun_trace* trace_ = nullptr;
  int64_t begin_ = 0;
};

}  // namespace OPSRUN_HIDDEN
