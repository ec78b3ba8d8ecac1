// adapters/jax/native/typed_op.cc
// SPDX-License-Identifier: Apache-2.0
#include "typed_op.h"

#include <unordered_map>
#include <utility>

#include "adapters/common/host_table.h"
#include "call.h"

void opsrun_adapter::Throw(int32_t code, const std::string& text) {
  throw Failure(code, text);
}

namespace opsrun_jax {
namespace {

using opsrun_adapter::Failure;
using opsrun_adapter::Text;

void Collect(const std::string& op, const int32_t* dtypes, uint32_t n, std::vector<const TypeNumbers*>& types) {
  for (uint32_t i = 0; i < n; ++i) {
    types.push_back(FindType(dtypes[i]));
    if (types.back() != nullptr) continue;
    throw Failure(OPSRUN_UNIMPLEMENTED, op + ": JAX has no arrays of strings or handles, which this op needs");
  }
}

}  // namespace

const opsrun_adapter::Engine& TheEngine(const std::vector<std::string>& directories) {
  static const opsrun_adapter::Engine engine(directories, opsrun_adapter::HostTable<Call>::Make);
  return engine;
}

std::shared_ptr<const TypedOp> TypedOp::Find(const std::string& call, const std::string& what) {
  static auto* const mutex = new std::mutex;  // guards known
  static auto* const known = new std::unordered_map<std::string, std::weak_ptr<const TypedOp>>;
  {
    const std::lock_guard<std::mutex> lock(*mutex);
    const auto found = known->find(call);
    if (found != known->end()) {
      if (std::shared_ptr<const TypedOp> op = found->second.lock()) return op;
    }
  }
  auto made = std::make_shared<const TypedOp>(TheEngine().ReadOp(call, what));  // may open plugins
  const std::lock_guard<std::mutex> lock(*mutex);
  std::erase_if(*known, [](const auto& each) { return each.second.expired(); });
  std::weak_ptr<const TypedOp>& kept = (*known)[call];
  if (std::shared_ptr<const TypedOp> other = kept.lock()) return other;
  kept = made;
  return made;
}

std::string TypedOp::NameOf(const opsrun_typed_op_info& info) {
  return Text(info.plugin) + "." + Text(info.name);
}

TypedOp::TypedOp(opsrun_adapter::OwnedTypedOp typed) : typed_(std::move(typed)), name_(NameOf(info())) {
  Collect(name_, info().in_types, info().n_in, in_types_);
  Collect(name_, info().out_types, info().n_out, out_types_);
}

const opsrun_kernel_object* TypedOp::kernel() const {
  const std::lock_guard<std::mutex> lock(making_);
  if (kernel_ == nullptr) kernel_ = opsrun_adapter::MakeKernel(get(), name_);
  return kernel_.get();
}

}  // namespace opsrun_jax
