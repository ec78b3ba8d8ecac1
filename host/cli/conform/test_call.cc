// SPDX-License-Identifier: Apache-2.0
#include "host/cli/conform/test_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <thread>
#include <utility>

#include "host/base/plugin_code.h"
#include "host/cli/conform/handles.h"
#include "host/plan/call_arrays.h"

namespace opsrun::host {
namespace {

const spec::Signature& TypesOf(const CallInputs& inputs) {
  return inputs.op->signature();
}

std::string NameOfOutput(const CallInputs& inputs, uint32_t i) {
  return TensorNames(TypesOf(inputs).out_args)[i];
}

std::string NameOfInput(const CallInputs& inputs, size_t i) {
  return TensorNames(TypesOf(inputs).in_args)[i];
}

bool Matches(const Shape& found, const Shape& planned) {
  return std::equal(found.begin(), found.end(), planned.begin(), planned.end(),
                    [](int64_t a, int64_t b) { return a == b || b == -1; });
}

Result<Tensor> CopyOf(const opsrun_tensor& t) {
  const DType dtype = DTypeFromNumber(t.dtype);
  const Shape shape(t.shape, t.shape + t.rank);
  return HasHandles(dtype) ? CopyOfHandles(dtype, shape, t.data) : Tensor::CopyOf(dtype, shape, t.data);
}

}  // namespace

TestCall::TestCall(TestHost& host, const CallInputs& inputs, const Arrangement& arrangement)
    : opsrun_call{}, host_(host), inputs_(inputs), arrangement_(arrangement), given_(inputs.inputs.size()) {
  size = sizeof(opsrun_call);
  kind = OPSRUN_KIND_CALL;
  opsrun_call::host = host.table();
  device = {OPSRUN_DEVICE_CPU, 0};
  MakeInputs();
  MakeOutputs();
  MakeWorkspace();
  n_in = static_cast<uint32_t>(ins_.size());
  n_out = static_cast<uint32_t>(outs_.size());
  in = in_views_.data();
  out = out_views_.data();
  if (arrangement.forwards) forwardable = n_in >= 64 ? ~uint64_t{0} : (uint64_t{1} << n_in) - 1;
}

TestCall::~TestCall() = default;

void TestCall::MakeInputs() {
  for (const Tensor& value : inputs_.inputs) {
    TestTensor& made = *ins_.emplace_back(std::make_unique<TestTensor>(host_.table(), value.dtype()));
    made.Allocate(value.shape(), arrangement_);
    made.Fill(value.data());
    if (!arrangement_.forwards && !arrangement_.in_place) made.view.flags |= OPSRUN_TENSOR_CONST;
    if (arrangement_.read_only && made.block != nullptr) made.block->Protect();
    in_views_.push_back(&made.view);
  }
}

void TestCall::MakeOutputs() {
  const std::vector<DType>& types = TypesOf(inputs_).out_types;
  set_.resize(types.size());
  asked_for_.resize(types.size());
  for (uint32_t i = 0; i < types.size(); ++i) {
    TestTensor& made = *outs_.emplace_back(std::make_unique<TestTensor>(host_.table(), types[i]));
    out_views_.push_back(&made.view);
    const std::optional<Shape>& shape = inputs_.shapes[i];
    if (!arrangement_.planned || HasSlots(types[i]) || !shape || !IsWhole(*shape)) continue;
    const std::optional<uint32_t> from = arrangement_.in_place ? InputFor(i) : std::nullopt;
    if (from) {
      made.Share(*ins_[*from], *shape);
      given_[*from] = true;
    } else {
      made.Allocate(*shape, arrangement_);
    }
    made.view.flags |= OPSRUN_TENSOR_PLANNED;
  }
}

// The input that the registration of the kernel allows to be overwritten by the output.
std::optional<uint32_t> TestCall::InputFor(uint32_t output) const {
  const RegisteredKernel& kernel = inputs_.kernel->kernel();
  const spec::Signature& types = TypesOf(inputs_);
  const auto fits = [&](uint32_t input) {
    return !given_[input] && types.in_types[input] == types.out_types[output] &&
           inputs_.inputs[input].shape() == *inputs_.shapes[output];
  };
  for (const KernelAlias& alias : kernel.aliases) {
    const spec::ArgRange* const from = spec::FindNamed(types.in_args, alias.input);
    const spec::ArgRange* const to = spec::FindNamed(types.out_args, alias.output);
    if (alias.kind == OPSRUN_ALIAS_IN_PLACE && to->first == output && fits(from->first)) return from->first;
  }
  if ((kernel.flags & OPSRUN_KERNEL_ELEMENTWISE) == 0 || types.out_types.size() != 1) return std::nullopt;
  for (uint32_t i = 0; i < types.in_types.size(); ++i) {
    if (fits(i)) return i;
  }
  return std::nullopt;
}

void TestCall::MakeWorkspace() {
  const RegisteredKernel& kernel = inputs_.kernel->kernel();
  if (kernel.workspace == nullptr || !arrangement_.planned) return;
  std::vector<opsrun_partial> shapes;
  for (const auto& each : ins_) shapes.push_back({each->view.rank, 0, each->view.shape});
  uint64_t bytes = 0;
  const auto count = static_cast<uint32_t>(shapes.size());
  if (kernel.workspace(inputs_.kernel->object(), count, shapes.data(), &bytes) != OPSRUN_OK || bytes == 0) return;
  const Fit fit = arrangement_.fit == Fit::kExact ? Fit::kAligned : arrangement_.fit;  // it is aligned in any case
  workspace_ = std::make_unique<GuardedBlock>(host_.pages(), bytes, 64, fit, arrangement_.fill);
  workspace = workspace_->data();
  workspace_bytes = bytes;
}

Outcome TestCall::Run() {
  const RegisteredKernel& kernel = inputs_.kernel->kernel();
  PluginCodeFacts facts = kernel.plugin->Facts(PluginPhase::kCompute);
  facts.op = inputs_.op->op().def.name;
  facts.node = facts.op;
  facts.call = this;
  facts.host = host_.table();
  const SingleCall code_of_plugin(facts);
  const RunningMark mark(&code_of_plugin);
  const ThreadState state;
  Outcome outcome;
  const std::optional<Thrown> thrown =
      CatchThrown([&] { outcome.code = kernel.compute(inputs_.kernel->object(), this); });
  outcome.changed_state = state.Restore();
  if (thrown) outcome.mistake = "the kernel " + thrown->Sentence();
  if (thrown) outcome.code = thrown->code();
  Look(outcome);
  return outcome;
}

void TestCall::Look(Outcome& outcome) {
  outcome.text = failure_.message();
  outcome.subject = failure_.subject();
  if (outcome.mistake.empty()) outcome.mistake = mistake_;
  outcome.asked = questions_.load() > 0;
  outcome.placed = std::ranges::find(given_, true) != given_.end();
  const auto damaged = [&](const std::string& what, const std::string& where) {
    if (!where.empty() && outcome.damage.empty())
      outcome.damage = fmt::format("{}: memory {} was overwritten", what, where);
  };
  for (uint32_t i = 0; i < outs_.size(); ++i) damaged("output '" + NameOfOutput(inputs_, i) + "'", outs_[i]->Damage());
  for (size_t i = 0; i < ins_.size(); ++i) damaged("input '" + NameOfInput(inputs_, i) + "'", ins_[i]->Damage());
  if (workspace_ != nullptr) damaged("the workspace", workspace_->Damage());
  damaged("a temporary tensor", host_.TakeDamage());
  for (size_t i = 0; i < ins_.size() && outcome.changed_input.empty(); ++i) {
    const Tensor& before = inputs_.inputs[i];
    if (given_[i] || HasSlots(before.dtype()) || before.num_bytes() == 0) continue;
    if (std::memcmp(before.data(), ins_[i]->view.data, before.num_bytes()) != 0)
      outcome.changed_input = NameOfInput(inputs_, i);
  }
  for (uint32_t i = 0; i < outs_.size() && outcome.ok(); ++i) {
    std::optional<Tensor> output = Output(i, outcome);
    if (output) outcome.outputs.push_back(*std::move(output));
  }
  if (outcome.outputs.size() < outs_.size()) outcome.outputs.clear();
}

std::optional<Tensor> TestCall::Output(uint32_t i, Outcome& outcome) {
  if (set_[i]) return set_[i];
  const TestTensor& from = *outs_[i];
  if (!from.is_allocated()) {
    if (outcome.mistake.empty())
      outcome.mistake =
          fmt::format("the kernel returned OPSRUN_OK, but did not allocate output '{}'", NameOfOutput(inputs_, i));
    return std::nullopt;
  }
  const Result<Tensor> copy = CopyOf(from.view);
  return copy.ok() ? std::optional(*copy) : std::nullopt;
}

int32_t TestCall::Fail(int32_t code, std::string text, std::string subject) {
  const int32_t failed = code == OPSRUN_OK ? OPSRUN_UNKNOWN : code;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (failure_.ok()) failure_ = Status(failed, std::move(text), std::move(subject));
  return failed;
}

int32_t TestCall::Mistake(int32_t code, std::string text) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (mistake_.empty()) mistake_ = text;
  }
  return Fail(code, std::move(text), "plugin");
}

int32_t TestCall::AllocateOutput(uint32_t i, int32_t rank, const int64_t* dims, opsrun_tensor** view) {
  if (i >= n_out)
    return Mistake(OPSRUN_INVALID_ARGUMENT, fmt::format("the kernel allocates output {}, which it does not have", i));
  TestTensor& output = *outs_[i];
  const std::string name = NameOfOutput(inputs_, i);
  const std::vector<int64_t> sizes(dims, dims + std::max(rank, 0));
  if (rank < 0 || rank > OPSRUN_MAX_RANK || !NumElements(sizes))
    return Fail(OPSRUN_INVALID_ARGUMENT, fmt::format("output '{}' cannot have shape {}", name, ShapeText(sizes)), {});
  if (asked_for_[i]) return Mistake(OPSRUN_INTERNAL, fmt::format("the kernel allocates output '{}' twice", name));
  const std::optional<Shape>& planned = inputs_.shapes[i];
  if (planned && !Matches(sizes, *planned)) {
    return Mistake(OPSRUN_INVALID_ARGUMENT,
                   fmt::format("the kernel allocates output '{}' with shape {}, but the shape function says {}", name,
                               ShapeText(sizes), ShapeText(*planned)));
  }
  asked_for_[i] = true;
  if (!output.is_allocated()) output.Allocate(sizes, arrangement_);
  *view = &output.view;
  return OPSRUN_OK;
}

int32_t TestCall::SetOutput(uint32_t i, const opsrun_tensor* t) {
  if (i >= n_out)
    return Mistake(OPSRUN_INVALID_ARGUMENT, fmt::format("the kernel sets output {}, which it does not have", i));
  const Shape sizes(t->shape, t->shape + t->rank);
  const std::optional<Shape>& planned = inputs_.shapes[i];
  if (planned && !Matches(sizes, *planned)) {
    return Mistake(OPSRUN_INVALID_ARGUMENT,
                   fmt::format("the kernel sets output '{}' to a tensor of shape {}, but the shape function says {}",
                               NameOfOutput(inputs_, i), ShapeText(sizes), ShapeText(*planned)));
  }
  const Result<Tensor> copy = CopyOf(*t);
  if (!copy.ok()) return Fail(copy.status().code(), copy.status().message(), {});
  set_[i] = *copy;
  return OPSRUN_OK;
}

int32_t TestCall::ForwardInput(uint32_t from, uint32_t to, int32_t rank, const int64_t* dims, opsrun_tensor** view) {
  *view = nullptr;
  if (from >= n_in || to >= n_out || !arrangement_.forwards || given_[from] || asked_for_[to]) return OPSRUN_OK;
  TestTensor& output = *outs_[to];
  const Shape sizes(dims, dims + std::max(rank, 0));
  const bool fits = ins_[from]->dtype() == output.dtype() && NumElements(sizes) == inputs_.inputs[from].num_elements();
  if (!fits || ins_[from]->block == nullptr) return OPSRUN_OK;
  given_[from] = asked_for_[to] = true;
  output.block = nullptr;
  output.Share(*ins_[from], sizes);
  *view = &output.view;
  return OPSRUN_OK;
}

int32_t TestCall::AllocateTemp(DType dtype, int32_t rank, const int64_t* dims, const opsrun_tensor** t) {
  const Shape sizes(dims, dims + std::max(rank, 0));
  if (ElementBytes(dtype) == 0 || HasHandles(dtype) || rank < 0 || !NumElements(sizes))
    return Fail(OPSRUN_INVALID_ARGUMENT,
                fmt::format("no temporary tensor of type {} and shape {}", DTypeName(dtype), ShapeText(sizes)), {});
  auto made = std::make_unique<TestTensor>(host_.table(), dtype);
  made->Allocate(sizes, arrangement_);
  made->holder = &host_;
  host_.Hold(1);
  *t = &made.release()->view;
  return OPSRUN_OK;
}

bool TestCall::IsCancelled() {
  const int64_t question = questions_.fetch_add(1);
  return arrangement_.cancelled_after >= 0 && question >= arrangement_.cancelled_after;
}

int32_t TestCall::ParallelFor(int64_t n, opsrun_range_fn fn, void* ctx) {
  using Loops = Arrangement::Loops;
  if (n <= 0) return OPSRUN_OK;
  if (arrangement_.loops == Loops::kWhole) return fn(ctx, 0, n);
  if (arrangement_.loops == Loops::kCut) {
    for (int64_t end = n, part = 1; end > 0; end -= part, part = end < 3 ? end : part % 3 + 1) {
      if (const int32_t code = fn(ctx, end - part, end); code != OPSRUN_OK) return code;
    }
    return OPSRUN_OK;
  }
  const PluginCode* const code_of_plugin = RunningCode();
  std::atomic<int32_t> first_failure{OPSRUN_OK};
  const auto work = [&](int64_t part) {
    const RunningMark mark(code_of_plugin);
    const int32_t code = fn(ctx, n * part / 4, n * (part + 1) / 4);
    int32_t none = OPSRUN_OK;
    if (code != OPSRUN_OK) first_failure.compare_exchange_strong(none, code);
  };
  std::vector<std::thread> threads;
  for (int64_t part = 1; part < 4; ++part) {
    if (n * part / 4 < n * (part + 1) / 4) threads.emplace_back(work, part);
  }
  if (n / 4 > 0) work(0);
  for (std::thread& thread : threads) thread.join();
  return first_failure.load();
}

}  // namespace opsrun::host
