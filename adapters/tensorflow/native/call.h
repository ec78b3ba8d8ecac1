// adapters/tensorflow/native/call.h: one execution of a kernel in TensorFlow, and the table of functions for it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

#include "adapters/common/call.h"
#include "adapters/common/few.h"
#include "op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "values.h"

namespace opsrun_tf {

// The functions that kernels call: they use TensorFlow's memory and threads; all others are the engine's. Lives as long
// as the process.
const opsrun_host* MakeTable(const opsrun_engine* engine);

class Call : public opsrun_adapter::Frame {
 public:
  using Temporary = opsrun_adapter::Temporary<Owner>;

  // Both must outlive this object.
  Call(const Kernel& kernel, tensorflow::OpKernelContext* context);

  // Calls compute. A failure becomes the status of the context.
  void Run();

  // Slots of the table.
  int32_t AllocateOutput(uint32_t i, int32_t rank, const int64_t* dims, opsrun_tensor** view);
  int32_t SetOutput(uint32_t i, const opsrun_tensor* t);
  int32_t ForwardInput(uint32_t i, uint32_t output, int32_t rank, const int64_t* dims, opsrun_tensor** view);
  int32_t AllocateTemp(int32_t dtype, int32_t rank, const int64_t* dims, const opsrun_tensor** t);
  int32_t ParallelFor(int64_t n, int64_t unit_cost_ns, opsrun_range_fn fn, void* ctx);
  int32_t TrySchedule(opsrun_task_fn fn, void* ctx);
  int32_t WaitScheduled();
  int32_t NumThreads() const;
  int32_t CurrentThread() const;
  static int32_t Keep(const opsrun_tensor& t, const opsrun_tensor** kept);
  tensorflow::OpKernelContext& context() const { return *context_; }

 private:
  static constexpr size_t kFew = 6;

  View& Output(uint32_t i) { return views_[n_in + i]; }
  bool ShowInputs();
  [[gnu::cold]] int32_t EndScheduled(int32_t code);
  [[gnu::cold]] void Report(int32_t code);
  [[gnu::cold]] int32_t FailWith(const absl::Status& status);
  [[gnu::cold]] int32_t FailTwice(uint32_t output);
  [[gnu::cold]] int32_t FailMissing(uint32_t output);
  // Null after a failure; otherwise the shape of an input, or one that is stored in `made`.
  const tensorflow::TensorShape* ShapeOf(int32_t rank, const int64_t* dims,
                                         std::optional<tensorflow::TensorShape>* made);
  const tensorflow::TensorShape* MakeShape(int32_t rank, const int64_t* dims,
                                           std::optional<tensorflow::TensorShape>* made);
  tensorflow::DataType TypeOf(uint32_t output) const { return static_cast<tensorflow::DataType>(out[output]->dtype); }

  struct Scheduled {
    std::mutex mutex;  // guards the members below
    std::condition_variable ended;
    int count = 0;             // tasks that have not ended
    int32_t code = OPSRUN_OK;  // the first failure of one
  };

  const Kernel& kernel_;
  tensorflow::OpKernelContext* const context_;
  std::unique_ptr<Scheduled> scheduled_;   // null unless the kernel has scheduled something and not waited
  opsrun_adapter::Few<View, kFew> views_;  // of inputs, then of outputs
  opsrun_adapter::Few<opsrun_tensor*, kFew> pointers_;
  Room room_;
};

}  // namespace opsrun_tf
