// adapters/tensorflow/native/call.cc
// SPDX-License-Identifier: Apache-2.0
#include "call.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "tensorflow/core/framework/cancellation.h"
#include "tensorflow/core/lib/core/threadpool.h"

namespace opsrun_tf {
namespace {

using tensorflow::Tensor;
using tensorflow::TensorShape;
using tensorflow::thread::ThreadPool;

Call& Of(opsrun_call* call) {
  return *static_cast<Call*>(call);
}
View& ViewOf(const opsrun_tensor* t) {
  return *static_cast<View*>(const_cast<opsrun_tensor*>(t));
}
ThreadPool& PoolOf(const Call& call) {
  return *call.context().device()->tensorflow_cpu_worker_threads()->workers;
}

// TensorFlow 2.20 adds SchedulingParams::Adaptive and deprecates the constructor.
template <typename Params>
auto Adaptive(int64_t cost, int) -> decltype(Params::Adaptive(cost)) {
  return Params::Adaptive(cost);
}
template <typename Params>
Params Adaptive(int64_t cost, ...) {
  return Params(ThreadPool::SchedulingStrategy::kAdaptive, cost, {});
}

bool IsString(const opsrun_tensor* t, uint64_t i) {
  return t->dtype == OPSRUN_DT_STRING && t->rank >= 0 && i < static_cast<uint64_t>(ViewOf(t).tensor().NumElements());
}

// Kernels do not run on this pool, so its tasks wait only for each other. At most as many functions of plugins are
// scheduled as there are threads, and threads of the pool schedule none.
std::atomic<int> scheduled{0};

}  // namespace

Call::Call(const Kernel& its_kernel, tensorflow::OpKernelContext* context)
    : Frame(its_kernel.table(), its_kernel.get()),
      kernel_(its_kernel),
      context_(context),
      views_(its_kernel.n_in() + its_kernel.n_out()),
      pointers_(its_kernel.n_in() + its_kernel.n_out()) {
  n_in = its_kernel.n_in();
  n_out = its_kernel.n_out();
  in = pointers_.data();
  out = pointers_.data() + n_in;
  forwardable = ~uint64_t{0};
  run_id = static_cast<uint64_t>(context->step_id());
  const Kernel::Type* const types = its_kernel.types();
  const uint32_t n = n_in + n_out;
  for (uint32_t i = 0; i < n; ++i) pointers_.Add(&views_.Add(host, types[i].dtype, types[i].dl));
}

bool Call::ShowInputs() {
  for (uint32_t i = 0; i < n_in; ++i) {
    const Tensor& tensor = context_->input(static_cast<int>(i));
    if (tensor.dims() > OPSRUN_MAX_RANK) {
      Fail(OPSRUN_INVALID_ARGUMENT, "an input has more than 64 dimensions");
      return false;
    }
    views_[i].Show(tensor, false, room_);
  }
  return true;
}

void Call::Run() {
  int32_t code = ShowInputs() ? kernel_.Compute(this) : OPSRUN_INVALID_ARGUMENT;
  if (scheduled_ != nullptr) code = EndScheduled(code);  // what it has scheduled must not use this object later
  for (uint32_t i = 0; i < n_out; ++i) {
    if (Output(i).rank < 0) {
      if (code == OPSRUN_OK) code = FailMissing(i);
    } else if (Output(i).dtype == OPSRUN_DT_RESOURCE) {
      Output(i).KeepResources();
    }
  }
  if (code != OPSRUN_OK) Report(code);
}

int32_t Call::EndScheduled(int32_t code) {
  WaitScheduled();
  return code == OPSRUN_OK ? Fail(OPSRUN_INTERNAL, "the kernel did not wait for what it had scheduled") : code;
}

void Call::Report(int32_t code) {
  const std::string whose = subject().empty() ? "" : " [" + subject() + "]";
  context_->CtxFailure(absl::Status(static_cast<absl::StatusCode>(code), text() + whose));
}

int32_t Call::FailWith(const absl::Status& status) {
  return Fail(static_cast<int32_t>(status.code()), std::string(status.message()));
}

int32_t Call::FailTwice(uint32_t output) {
  return Fail(OPSRUN_INTERNAL, "output " + std::to_string(output) + " is allocated twice");
}

int32_t Call::FailMissing(uint32_t output) {
  return Fail(OPSRUN_INTERNAL, "the kernel did not allocate output " + std::to_string(output));
}

// Most shapes are those of an input. TensorFlow takes longer to check a new one. std::equal would call memcmp, which
// takes longer for a few sizes.
const TensorShape* Call::ShapeOf(int32_t rank, const int64_t* dims, std::optional<TensorShape>* made) {
  for (uint32_t i = 0; i < n_in && i < kFew; ++i) {
    const View& input = views_[i];
    if (input.rank == rank && std::mismatch(dims, dims + rank, input.shape).first == dims + rank) {
      return &input.tensor().shape();
    }
  }
  return MakeShape(rank, dims, made);
}

const TensorShape* Call::MakeShape(int32_t rank, const int64_t* dims, std::optional<TensorShape>* made) {
  if (rank < 0 || rank > OPSRUN_MAX_RANK) {
    Fail(OPSRUN_INVALID_ARGUMENT, "a tensor cannot have rank " + std::to_string(rank));
    return nullptr;
  }
  const absl::Status status = TensorShape::BuildTensorShape({dims, static_cast<size_t>(rank)}, &made->emplace());
  if (status.ok()) return &**made;
  FailWith(status);
  return nullptr;
}

int32_t Call::AllocateOutput(uint32_t i, int32_t rank, const int64_t* dims, opsrun_tensor** view) {
  View& output = Output(i);
  if (output.rank >= 0) return FailTwice(i);
  std::optional<TensorShape> made;
  const TensorShape* const shape = ShapeOf(rank, dims, &made);
  if (shape == nullptr) return OPSRUN_INVALID_ARGUMENT;
  Tensor* tensor = nullptr;
  const absl::Status status = context_->allocate_output(static_cast<int>(i), *shape, &tensor);
  if (!status.ok()) return FailWith(status);
  output.Show(*tensor, true, room_, dims);
  *view = &output;
  return OPSRUN_OK;
}

// Tensors of the engine, which a constructor may have made, are copied, since TensorFlow cannot own their memory.
int32_t Call::SetOutput(uint32_t i, const opsrun_tensor* t) {
  View& output = Output(i);
  if (t->dtype != output.dtype) {
    return Fail(OPSRUN_INVALID_ARGUMENT, "the tensor has another data type than the output");
  }
  Tensor tensor;
  if (t->host == host) {
    tensor = static_cast<const View*>(t)->tensor();
  } else if (const int32_t code = CopyOf(*t, &tensor); code != OPSRUN_OK) {
    return Fail(code, "the tensor cannot be copied");
  }
  if (output.rank >= 0) delete context_->release_output(static_cast<int>(i)).tensor;
  context_->set_output(static_cast<int>(i), std::move(tensor));
  output.Show(*context_->mutable_output(static_cast<int>(i)), false, room_);
  return OPSRUN_OK;
}

int32_t Call::ForwardInput(uint32_t i, uint32_t to, int32_t rank, const int64_t* dims, opsrun_tensor** view) {
  *view = nullptr;
  if (i >= n_in || to >= n_out) return Fail(OPSRUN_INVALID_ARGUMENT, "there is no such input or output");
  View& output = Output(to);
  if (output.rank >= 0) return FailTwice(to);
  if (output.dtype == OPSRUN_DT_RESOURCE) return OPSRUN_OK;
  std::optional<TensorShape> made;
  const TensorShape* const shape = ShapeOf(rank, dims, &made);
  if (shape == nullptr) return OPSRUN_INVALID_ARGUMENT;
  const int number = static_cast<int>(to);
  std::unique_ptr<Tensor> forwarded =
      context_->forward_input(static_cast<int>(i), number, TypeOf(to), *shape, context_->output_memory_type(number),
                              context_->output_alloc_attr(number));
  if (forwarded == nullptr) return OPSRUN_OK;
  context_->set_output(number, std::move(*forwarded));
  output.Show(*context_->mutable_output(number), false, room_, dims);
  *view = &output;
  return OPSRUN_OK;
}

int32_t Call::AllocateTemp(int32_t dtype, int32_t rank, const int64_t* dims, const opsrun_tensor** t) {
  const opsrun_dldtype* const dl = FindType(dtype);
  if (dl == nullptr || dtype == OPSRUN_DT_RESOURCE) {
    return Fail(OPSRUN_UNIMPLEMENTED, "this adapter has no temporary tensors of data type " + std::to_string(dtype));
  }
  std::optional<TensorShape> made;
  const TensorShape* const shape = ShapeOf(rank, dims, &made);
  if (shape == nullptr) return OPSRUN_INVALID_ARGUMENT;
  Tensor tensor;
  const absl::Status status = context_->allocate_temp(static_cast<tensorflow::DataType>(dtype), *shape, &tensor);
  if (!status.ok()) return FailWith(status);
  *t = new Temporary(host, dtype, *dl, std::move(tensor), true);
  return OPSRUN_OK;
}

// Tensors are reference-counted, so nothing is copied.
int32_t Call::Keep(const opsrun_tensor& t, const opsrun_tensor** kept) {
  if (t.rank < 0) return OPSRUN_FAILED_PRECONDITION;
  *kept = new Temporary(t.host, t.dtype, t.dl, ViewOf(&t).tensor(), false);
  return OPSRUN_OK;
}

// A nested loop runs inline, since a block must not wait for others.
int32_t Call::ParallelFor(int64_t n, int64_t unit_cost_ns, opsrun_range_fn fn, void* ctx) {
  ThreadPool& pool = PoolOf(*this);
  if (n <= 0) return OPSRUN_OK;
  if (pool.CurrentThreadId() >= 0) return fn(ctx, 0, n);
  std::atomic<int32_t> code{OPSRUN_OK};
  const auto params = Adaptive<ThreadPool::SchedulingParams>(std::max<int64_t>(1, unit_cost_ns), 0);
  pool.ParallelFor(n, params, [&](int64_t begin, int64_t end) {
    int32_t fine = OPSRUN_OK;
    if (const int32_t mine = fn(ctx, begin, end); mine != OPSRUN_OK) code.compare_exchange_strong(fine, mine);
  });
  return code;
}

int32_t Call::TrySchedule(opsrun_task_fn fn, void* ctx) {
  ThreadPool& pool = PoolOf(*this);
  if (pool.CurrentThreadId() >= 0) return 0;
  if (scheduled.fetch_add(1) >= pool.NumThreads()) {
    scheduled.fetch_sub(1);
    return 0;
  }
  if (scheduled_ == nullptr) scheduled_ = std::make_unique<Scheduled>();
  {
    const std::lock_guard<std::mutex> lock(scheduled_->mutex);
    ++scheduled_->count;
  }
  pool.Schedule([this, fn, ctx] {
    int32_t code = OPSRUN_OK;
    try {
      code = fn(ctx);
    } catch (const std::exception& error) {
      code = Fail(OPSRUN_INTERNAL, std::string("a function that the kernel scheduled threw: ") + error.what());
    }
    scheduled.fetch_sub(1);
    const std::lock_guard<std::mutex> lock(scheduled_->mutex);
    if (scheduled_->code == OPSRUN_OK) scheduled_->code = code;
    // With the lock, because the call may end once it is released.
    if (--scheduled_->count == 0) scheduled_->ended.notify_all();
  });
  return 1;
}

int32_t Call::WaitScheduled() {
  if (scheduled_ == nullptr) return OPSRUN_OK;
  std::unique_lock<std::mutex> lock(scheduled_->mutex);
  scheduled_->ended.wait(lock, [this] { return scheduled_->count == 0; });
  const int32_t code = scheduled_->code;
  lock.unlock();
  scheduled_.reset();
  return code;
}

int32_t Call::NumThreads() const {
  return std::max(1, PoolOf(*this).NumThreads());
}

int32_t Call::CurrentThread() const {
  return PoolOf(*this).CurrentThreadId();
}

const opsrun_host* MakeTable(const opsrun_engine* engine) {
  auto* const table = new opsrun_host(*opsrun_adapter::HostTable<Call>::Make(engine));
  table->forward_input = [](opsrun_call* call, uint32_t in, uint32_t out, int32_t rank, const int64_t* dims,
                            opsrun_tensor** view) { return Of(call).ForwardInput(in, out, rank, dims, view); };
  table->string_assign = [](const opsrun_tensor* t, uint64_t i, const char* p, uint64_t n) -> int32_t {
    if (!IsString(t, i)) return OPSRUN_INVALID_ARGUMENT;
    ViewOf(t).AssignString(i, p, n);
    return OPSRUN_OK;
  };
  table->string_swap = [](const opsrun_tensor* t, uint64_t i, uint64_t j) -> int32_t {
    if (!IsString(t, i) || !IsString(t, j)) return OPSRUN_INVALID_ARGUMENT;
    ViewOf(t).SwapStrings(i, j);
    return OPSRUN_OK;
  };
  table->try_schedule = [](opsrun_call* call, opsrun_task_fn fn, void* ctx) { return Of(call).TrySchedule(fn, ctx); };
  table->wait_scheduled = [](opsrun_call* call) { return Of(call).WaitScheduled(); };
  table->cancelled = [](opsrun_call* call) -> int32_t {
    tensorflow::CancellationManager* const manager = Of(call).context().cancellation_manager();
    return manager != nullptr && manager->IsCancelled() ? 1 : 0;
  };
  return table;
}

}  // namespace opsrun_tf
