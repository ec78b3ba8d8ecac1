// SPDX-License-Identifier: Apache-2.0
#include "host/plan/call_arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "host/base/plugin_code.h"
#include "host/plan/planning.h"

namespace opsrun::host {
namespace {

std::vector<opsrun_arg> Args(const std::vector<spec::ArgRange>& ranges, const std::vector<std::string>& host_memory) {
  std::vector<opsrun_arg> args;
  for (const spec::ArgRange& range : ranges) {
    const bool on_host = std::find(host_memory.begin(), host_memory.end(), range.name) != host_memory.end();
    const uint32_t flags = (range.list ? OPSRUN_ARG_LIST : 0u) | (on_host ? OPSRUN_ARG_HOST_MEMORY : 0u);
    args.push_back({Str(range.name), range.first, range.count, flags, 0});
  }
  return args;
}

// The attr as a tensor of the host.
Tensor ToTensor(const spec::TensorValue& value) {
  Result<Tensor> tensor = Tensor::Create(value.dtype, value.shape);
  if (!tensor.ok()) return {};
  if (value.dtype == DType::kString) {
    const auto given = static_cast<int64_t>(value.strings.size());
    for (int64_t i = 0; i < std::min(tensor->num_elements(), given); ++i) {
      if (!tensor->SetString(i, value.strings[static_cast<size_t>(i)]).ok()) return {};
    }
    return *std::move(tensor);
  }
  std::memcpy(tensor->mutable_data(), value.bytes.data(), std::min(value.bytes.size(), tensor->num_bytes()));
  return *std::move(tensor);
}

}  // namespace

void FillStrides(int32_t rank, const int64_t* shape, int64_t* strides) {
  int64_t stride = 1;
  for (int32_t i = rank - 1; i >= 0; --i) {
    strides[i] = stride;
    stride *= std::max<int64_t>(shape[i], 1);
  }
}

TensorView::TensorView(const opsrun_host* host) {
  view_.device = {OPSRUN_DEVICE_CPU, 0};
  view_.rank = -1;
  view_.host = host;
  view_.flags = OPSRUN_TENSOR_CONST | OPSRUN_TENSOR_HOST;
}

void TensorView::Set(const Tensor& tensor) {
  tensor_ = tensor;
  Borrow(tensor.dtype(), static_cast<int32_t>(tensor.shape().size()), tensor.shape().data(), tensor_.mutable_data());
}

void TensorView::Borrow(DType dtype, int32_t rank, const int64_t* shape, void* data) {
  const auto n = static_cast<size_t>(rank);
  view_.data = data;
  view_.flags = OPSRUN_TENSOR_CONST | OPSRUN_TENSOR_HOST;
  if (!HasSlots(dtype)) view_.flags |= OPSRUN_TENSOR_PLANNED;
  if (reinterpret_cast<uintptr_t>(data) % 64 == 0) view_.flags |= OPSRUN_TENSOR_ALIGNED64;
  if (view_.dtype == DTypeNumber(dtype) && view_.rank == rank && std::equal(shape, shape + n, sizes_.begin())) return;
  sizes_.assign(shape, shape + n);
  sizes_.resize(2 * n);
  FillStrides(rank, sizes_.data(), sizes_.data() + n);
  view_.rank = rank;
  view_.dl = DTypeToDLPack(dtype);
  view_.shape = rank == 0 ? nullptr : sizes_.data();
  view_.strides = rank == 0 ? nullptr : sizes_.data() + n;
  view_.dtype = DTypeNumber(dtype);
}

ArgArrays::ArgArrays(const spec::Signature& signature, const std::vector<std::string>& host_memory)
    : in(Args(signature.in_args, host_memory)), out(Args(signature.out_args, host_memory)) {
  for (const DType dtype : signature.in_types) types.push_back(DTypeNumber(dtype));
  for (const DType dtype : signature.out_types) types.push_back(DTypeNumber(dtype));
}

CallArrays::CallArrays(const spec::OpDef& op, const spec::Signature& signature,
                       const std::vector<std::string>& host_memory, const opsrun_host* host)
    : host_(host), args_(std::make_shared<const ArgArrays>(signature, host_memory)) {
  for (size_t i = 0; i < op.attrs.size(); ++i) attrs_.push_back(Attr(op.attrs[i].name, signature.attrs[i]));
}

opsrun_attr CallArrays::Attr(const std::string& name, const spec::AttrValue& value) {
  const bool list = value.type.list;
  opsrun_attr attr{};
  attr.name = Str(name);
  attr.kind = value.type.kind | (list ? OPSRUN_ATTR_LIST : 0u);
  attr.count = value.size();
  switch (value.type.kind) {
    case OPSRUN_ATTR_FLOAT:
      if (list)
        attr.v.floats = value.floats.data();
      else
        attr.v.f = value.floats.front();
      break;
    case OPSRUN_ATTR_STRING:
    case OPSRUN_ATTR_FUNC: {
      std::vector<opsrun_str>& strings = strings_.emplace_back();
      for (const std::string& text : value.strings) strings.push_back(Str(text));
      if (list)
        attr.v.strs = strings.data();
      else
        attr.v.s = strings.front();
      break;
    }
    case OPSRUN_ATTR_SHAPE: {
      std::vector<opsrun_partial>& shapes = shapes_.emplace_back();
      for (const spec::PartialShape& shape : value.shapes) {
        shapes.push_back({shape.rank_known ? static_cast<int32_t>(shape.dims.size()) : -1, 0, shape.dims.data()});
      }
      attr.v.shapes = shapes.data();
      break;
    }
    case OPSRUN_ATTR_TENSOR: {
      std::vector<const opsrun_tensor*>& list_of = tensor_lists_.emplace_back();
      for (const spec::TensorValue& tensor : value.tensors) {
        list_of.push_back(tensors_.emplace_back(ToTensor(tensor), host_).get());
      }
      attr.v.tensors = list_of.data();
      break;
    }
    default:
      if (list)
        attr.v.ints = value.ints.data();
      else
        attr.v.i = value.ints.front();
  }
  return attr;
}

// The kernel object of a node.

CreateCall::CreateCall(const opsrun_host* host_table, const std::string& node_name, const std::string& op_name,
                       const CallArrays& arrays, const spec::Signature& signature, const PlanDevice& its_device,
                       Resources* shared, const void* the_plugin)
    : opsrun_create{}, on(its_device), resources(shared), plugin(the_plugin) {
  size = SizeAt<opsrun_create>(host_table->level);
  kind = OPSRUN_KIND_CREATE;
  host = host_table;
  node = Str(node_name);
  op = Str(op_name);
  device = on.id;
  arrays.Fill(*this);
  in_types = arrays.args()->types.data();
  out_types = in_types + signature.in_types.size();
  n_in = static_cast<uint32_t>(signature.in_types.size());
  n_out = static_cast<uint32_t>(signature.out_types.size());
}

Status CreateCall::Run(int32_t (*create)(void*, opsrun_create*, void**), void* ctx, void** object) {
  const int32_t code = create(ctx, this, object);
  if (code == OPSRUN_OK) return OkStatus();
  *object = nullptr;
  if (failure_.ok()) {
    return {KnownCode(code), fmt::format("it could not be created: {}, without a reason", CodeName(code))};
  }
  return {KnownCode(code), failure_.message(), failure_.subject()};
}

int32_t CreateCall::Fail(int32_t code, std::string text, std::string subject) {
  if (code == OPSRUN_OK) code = OPSRUN_UNKNOWN;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (failure_.ok()) failure_ = Status(code, std::move(text), std::move(subject));
  return code;
}

// Calls of plugins during planning.

namespace {

void Log(const opsrun_host* host, void* where, const std::string& text) {
  host->log(host, where, OPSRUN_LOG_WARNING, {text.data(), text.size()}, {}, 0);
}

// A kernel may be in another plugin than its op.
const Plugin* PluginOf(const NodeWork& work, PluginPhase phase) {
  return phase == PluginPhase::kShape ? work.op->plugin : work.kernel->plugin;
}

std::string CalledText(const NodeWork& work, PluginPhase phase) {
  const char* const what = phase == PluginPhase::kShape       ? "the shape function"
                           : phase == PluginPhase::kWorkspace ? "the workspace function of the kernel"
                                                              : "the constructor of the kernel";
  return fmt::format("{} of op '{}'", what, work.op->def.name);
}

void ReportThrown(Planning& p, const NodeWork& work, PluginPhase phase, const Thrown& thrown) {
  const Plugin* plugin = PluginOf(work, phase);
  const Code code = thrown.out_of_memory ? Code("D401") : Code("R408");
  Diagnostic& error =
      p.Error(code, fmt::format("{} {}", CalledText(work, phase), thrown.Sentence()), work.node->op.span);
  if (!thrown.out_of_memory)
    error.help.emplace_back("report it to the plugin's author: no exception may leave a plugin");
  if (plugin != nullptr) error.notes.push_back(fmt::format("plugin '{}' ({})", plugin->name, plugin->path));
}

}  // namespace

PluginCodeFacts PluginCall::Facts() const {
  return FactsOfNode(PluginOf(work_, phase_), *work_.op, work_.node->name.value, work_.node->op.span,
                     p_.graph.source.get(), phase_);
}

bool PluginCall::End(void* where, const std::optional<Thrown>& thrown) {
  if (const std::string changed = floats_.Restore(); !changed.empty()) {
    Log(p_.in.host, where,
        fmt::format("node '{}': {} changed {}; opsrun set it back", work_.node->name.value, CalledText(work_, phase_),
                    changed));
  }
  if (thrown) ReportThrown(p_, work_, phase_, *thrown);
  return !thrown;
}

}  // namespace opsrun::host
