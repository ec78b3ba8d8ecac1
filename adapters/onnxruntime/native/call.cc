// adapters/onnxruntime/native/call.cc
// SPDX-License-Identifier: Apache-2.0
#include "call.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <set>
#include <thread>

namespace opsrun_onnx {
namespace {

using opsrun_adapter::Text;

bool IsString(const opsrun_tensor* t, uint64_t i) {
  size_t n = 0;
  return t->dtype == OPSRUN_DT_STRING && (t->flags & OPSRUN_TENSOR_CONST) == 0 &&
         CountElements(t->rank, t->shape, sizeof(opsrun_str), &n) && i < n;
}

// A tensor with one reference and undefined contents. Null if out of memory.
Call::Temporary* MakeTemporary(const opsrun_host* host, const DataType& type, int32_t rank, const int64_t* dims,
                               size_t n) {
  std::unique_ptr<Call::Temporary> made(new (std::nothrow) Call::Temporary(host, type, rank, dims, n));
  return made == nullptr || made->data == nullptr ? nullptr : made.release();
}

// Lives as long as the process.
const NodeTypes* Share(NodeTypes types) {
  static std::mutex mutex;
  static auto* const all = new std::set<NodeTypes>;
  const std::lock_guard<std::mutex> lock(mutex);
  return &*all->insert(std::move(types)).first;
}

// This thread's index in the loop whose block it runs, -1 outside of loops.
thread_local int32_t index_in_loop = -1;

// Blocks of a loop, which the threads of ONNX Runtime take until none are left.
struct Loop {
  int64_t n, block;
  opsrun_range_fn fn;
  void* ctx;
  std::atomic<int64_t> next{0};
  std::atomic<int32_t> code{OPSRUN_OK};

  void Work(size_t worker) {
    index_in_loop = static_cast<int32_t>(worker);
    for (int64_t begin = 0; code == OPSRUN_OK && (begin = next.fetch_add(block)) < n;) {
      int32_t fine = OPSRUN_OK;
      const int32_t mine = fn(ctx, begin, std::min(n, begin + block));
      if (mine != OPSRUN_OK) code.compare_exchange_strong(fine, mine);
    }
    index_in_loop = -1;
  }
};

}  // namespace

Kernel::Kernel(const Runtime& runtime, const OpSpec& spec, const OrtKernelInfo* info) : runtime_(runtime) {
  const KernelNode node(api(), info);
  const std::string name = node.name();
  what_ = spec.full_name + (name.empty() ? "" : " (node '" + name + "')");
  NodeTypes types;
  Named(what_, [&] { types = {node.InTypes(), node.OutTypes()}; });
  NodeOp op_of_node = TypeNode(spec, node, types.in, runtime, what_);
  if (!op_of_node.hidden.empty()) {
    throw Failure(OPSRUN_INVALID_ARGUMENT,
                  what_ + ": attr '" + op_of_node.hidden + "' is STRINGS in the node, expected TENSOR");
  }
  typed_ = std::move(op_of_node.typed);
  if (op().n_out != types.out.size()) {
    throw Failure(OPSRUN_INVALID_ARGUMENT, what_ + ": the node has " + std::to_string(types.out.size()) +
                                               " outputs, expected " + std::to_string(op().n_out));
  }
  for (size_t i = 0; i < types.out.size(); ++i) {
    if (op().out_types[i] == types.out[i]->opsrun) continue;
    throw Failure(OPSRUN_INVALID_ARGUMENT, what_ + ": the model gives output " + std::to_string(i) +
                                               " another data type than the op; declare it in value_info");
  }
  types_ = Share(std::move(types));
  kernel_ = opsrun_adapter::MakeKernel(typed_.get(), what_);
  const opsrun_kernel_object_info& made = *opsrun_kernel_object_get(kernel_.get());
  compute_ = made.compute;
  object_ = made.object;
}

Call::Call(const Kernel& its_kernel, OrtKernelContext* context)
    : Frame(TheEngine().table(), its_kernel.get()),
      kernel_(its_kernel),
      types_(its_kernel.types()),
      context_(context),
      inputs_(types_.in.size()),
      outputs_(types_.out.size()),
      in_(types_.in.size()),
      out_(types_.out.size()) {
  for (const DataType* const type : types_.in)
    in_.Add(&inputs_.Add(kernel_.runtime(), host, *type, OPSRUN_TENSOR_CONST));
  for (const DataType* const type : types_.out) out_.Add(&outputs_.Add(kernel_.runtime(), host, *type, 0u));
  in = in_.data();
  out = out_.data();
  n_in = static_cast<uint32_t>(in_.size());
  n_out = static_cast<uint32_t>(out_.size());
}

void Call::Run() {
  for (uint32_t i = 0; i < n_in; ++i) ShowInput(i);
  int32_t code = kernel_.Compute(this);
  for (uint32_t i = 0; code == OPSRUN_OK && i < n_out; ++i) {
    if (out[i]->rank < 0) code = Fail(OPSRUN_INTERNAL, "the kernel did not allocate " + OutputName(i));
  }
  if (code == OPSRUN_OK) return;
  throw Failure(code,
                kernel_.what() + (subject().empty() ? "" : ", " + opsrun_adapter::Blame(subject())) + ": " + text());
}

void Call::ShowInput(uint32_t i) {
  const OrtApi& api = kernel_.api();
  const OrtValue* value = nullptr;
  Require(api, api.KernelContext_GetInput(context_, i, &value));
  if (value == nullptr) throw Failure(OPSRUN_INTERNAL, kernel_.what() + ": input " + std::to_string(i) + " is missing");
  const TensorFacts facts(kernel_.runtime(), value, &sizes_);
  if (facts.type != types_.in[i]->onnx || facts.rank > OPSRUN_MAX_RANK) {
    throw Failure(OPSRUN_INVALID_ARGUMENT, kernel_.what() + ": input " + std::to_string(i) + " has another data type " +
                                               "than the model declares, or more than 64 dimensions");
  }
  inputs_[i].Show(const_cast<OrtValue*>(value), facts.sizes, sizes_.Take(facts.rank), facts.rank, false);
}

std::string Call::OutputName(uint32_t i) const {
  return opsrun_adapter::OutputName(kernel_.op(), i);
}

int32_t Call::AllocateOutput(uint32_t i, int32_t rank, const int64_t* dims, opsrun_tensor** view) {
  const DataType& type = *types_.out[i];
  size_t n = 0;
  if (out[i]->rank >= 0) return Fail(OPSRUN_INTERNAL, OutputName(i) + " is allocated twice");
  if (!CountElements(rank, dims, type.bytes(), &n)) {
    return Fail(OPSRUN_INVALID_ARGUMENT, OutputName(i) + " has a negative size, a wrong rank or too many elements");
  }
  const OrtApi& api = kernel_.api();
  const auto unsigned_rank = static_cast<size_t>(rank);
  OrtValue* value = nullptr;
  try {
    Require(api, api.KernelContext_GetOutput(context_, i, dims, unsigned_rank, &value));
    if (value != nullptr) {
      int64_t* const sizes = sizes_.Take(2 * unsigned_rank);
      std::copy_n(dims, unsigned_rank, sizes);
      outputs_[i].Show(value, sizes, sizes + unsigned_rank, unsigned_rank, true);
    } else {
      out_[i] = unused_.emplace_back(std::make_unique<Owner>(host, type, rank, dims, n)).get();
    }
  } catch (const std::exception& problem) {
    return Fail(OPSRUN_RESOURCE_EXHAUSTED, OutputName(i) + " cannot be allocated: " + problem.what());
  }
  *view = out[i];
  return out[i]->data == nullptr && n > 0 ? Fail(OPSRUN_RESOURCE_EXHAUSTED, "there is not enough memory") : OPSRUN_OK;
}

// ONNX Runtime owns the memory of outputs, so tensors are copied.
int32_t Call::SetOutput(uint32_t i, const opsrun_tensor* t) {
  if (t->dtype != out[i]->dtype) {
    return Fail(OPSRUN_INVALID_ARGUMENT, "the tensor has another data type than " + OutputName(i));
  }
  out[i]->rank = -1;  // replaces an allocated output
  opsrun_tensor* view = nullptr;
  if (const int32_t code = AllocateOutput(i, t->rank, t->shape, &view); code != OPSRUN_OK) return code;
  size_t n = 0;
  CountElements(t->rank, t->shape, types_.out[i]->bytes(), &n);
  if (t->dtype != OPSRUN_DT_STRING) {
    if (n > 0) std::memmove(view->data, t->data, n * types_.out[i]->bytes());
    return OPSRUN_OK;
  }
  const auto* const texts = static_cast<const opsrun_str*>(t->data);
  for (size_t k = 0; k < n; ++k) {
    if (const int32_t code = AssignString(view, k, texts[k].data, texts[k].size); code != OPSRUN_OK) return code;
  }
  return OPSRUN_OK;
}

int32_t Call::AllocateTemp(int32_t dtype, int32_t rank, const int64_t* dims, const opsrun_tensor** t) {
  const DataType* const type = FindType(dtype);
  if (type == nullptr) return Fail(OPSRUN_UNIMPLEMENTED, "this adapter has no such temporary tensors");
  size_t n = 0;
  if (!CountElements(rank, dims, type->bytes(), &n)) {
    return Fail(OPSRUN_INVALID_ARGUMENT, "a temporary has a negative size, a wrong rank or too many elements");
  }
  *t = MakeTemporary(host, *type, rank, dims, n);
  return *t == nullptr ? Fail(OPSRUN_RESOURCE_EXHAUSTED, "there is not enough memory for a temporary") : OPSRUN_OK;
}

// Copies inputs and outputs, since ONNX Runtime reuses their memory.
int32_t Call::Keep(const opsrun_tensor& t, const opsrun_tensor** kept) {
  const DataType* const type = FindType(t.dtype);
  size_t n = 0;
  if (type == nullptr || !CountElements(t.rank, t.shape, type->bytes(), &n)) return OPSRUN_FAILED_PRECONDITION;
  Temporary* const copy = MakeTemporary(t.host, *type, t.rank, t.shape, n);
  if (copy == nullptr) return OPSRUN_RESOURCE_EXHAUSTED;
  copy->CopyFrom(t);
  *kept = copy;
  return OPSRUN_OK;
}

// Blocks take at least 20 microseconds, so that the cost of starting them is small. There are several per thread, so
// that all threads finish at about the same time. A nested loop runs inline.
int32_t Call::ParallelFor(int64_t n, int64_t unit_cost_ns, opsrun_range_fn fn, void* ctx) {
  constexpr int64_t kBlockNs = 20'000, kBlocksPerThread = 4;
  if (n <= 0) return OPSRUN_OK;
  const int64_t threads = NumThreads();
  const int64_t least = std::max<int64_t>(1, kBlockNs / std::max<int64_t>(1, unit_cost_ns));
  const int64_t even = (n + threads * kBlocksPerThread - 1) / (threads * kBlocksPerThread);
  if (index_in_loop >= 0 || threads == 1 || n <= least) return fn(ctx, 0, n);
  Loop loop{n, std::max(least, even), fn, ctx};
  const int64_t workers = std::min(threads, (n + loop.block - 1) / loop.block);
  const auto work = [](void* data, size_t worker) { static_cast<Loop*>(data)->Work(worker); };
  const OrtApi& api = kernel_.api();
  if (!Succeeds(api, api.KernelContext_ParallelFor(context_, work, static_cast<size_t>(workers), 0, &loop))) {
    return fn(ctx, 0, n);
  }
  return loop.code;
}

// ONNX Runtime does not say how many threads it has. Indices of threads are those of a loop's workers.
int32_t Call::NumThreads() const {
  static const auto threads = static_cast<int32_t>(std::max(1u, std::thread::hardware_concurrency()));
  return threads;
}

int32_t Call::CurrentThread() const {
  return index_in_loop;
}

int32_t Call::AssignString(const opsrun_tensor* t, uint64_t i, const char* p, uint64_t n) {
  if (!IsString(t, i)) return OPSRUN_INVALID_ARGUMENT;
  opsrun_tensor* const tensor = const_cast<opsrun_tensor*>(t);
  if ((t->flags & kIsView) != 0) return static_cast<View*>(tensor)->AssignString(i, p, n);
  static_cast<Owner*>(tensor)->AssignString(i, p, n);
  return OPSRUN_OK;
}

const opsrun_host* MakeTable(const opsrun_engine* engine) {
  auto* const table = new opsrun_host(*opsrun_adapter::HostTable<Call>::Make(engine));
  table->string_assign = Call::AssignString;
  table->string_swap = [](const opsrun_tensor* t, uint64_t i, uint64_t j) -> int32_t {
    if (!IsString(t, i) || !IsString(t, j)) return OPSRUN_INVALID_ARGUMENT;
    const auto* const slots = static_cast<const opsrun_str*>(t->data);
    const std::string a = Text(slots[i]), b = Text(slots[j]);
    if (const int32_t code = Call::AssignString(t, i, b.data(), b.size()); code != OPSRUN_OK) return code;
    return Call::AssignString(t, j, a.data(), a.size());
  };
  return table;
}

}  // namespace opsrun_onnx
