// adapters/jax/native/typed_op.cc
// SPDX-License-Identifier: Apache-2.0
#include "typed_op.h"

#include <unordered_map>

#include "adapters/common/failure.h"
#include "adapters/common/host_table.h"
#include "adapters/common/plugins.h"
#include "call.h"
#include "description.h"

namespace opsrun_jax {
namespace {

using opsrun_adapter::Check;
using opsrun_adapter::Failure;
using opsrun_adapter::Str;
using opsrun_adapter::Text;

std::shared_ptr<const TypedOp> Make(const std::string& text) {
  const Description description(text);
  opsrun_typed_op* typed = nullptr;
  opsrun_report* report = nullptr;
  const int32_t code =
      opsrun_engine_type_op(Host::Get().engine, Str(description.op()), description.inputs().data(),
                            static_cast<uint32_t>(description.inputs().size()), description.attrs().data(),
                            static_cast<uint32_t>(description.attrs().size()), &typed, &report);
  Check(code, report, description.op());
  return std::make_shared<const TypedOp>(typed);
}

void Collect(const std::string& op, const int32_t* dtypes, uint32_t n, std::vector<const TypeNumbers*>& types) {
  for (uint32_t i = 0; i < n; ++i) {
    types.push_back(FindType(dtypes[i]));
    if (types.back() != nullptr) continue;
    throw Failure(OPSRUN_UNIMPLEMENTED, op + ": JAX has no arrays of strings or handles, which this op needs");
  }
}

}  // namespace

const Host& Host::Get(const std::vector<std::string>& directories) {
  static const Host* const host = [&] {
    auto* const made = new Host;
    made->engine = opsrun_adapter::MakeEngine(directories);
    made->table = opsrun_adapter::HostTable<Call>::Make(opsrun_engine_host(made->engine));
    return made;
  }();
  return *host;
}

std::shared_ptr<const TypedOp> TypedOp::Find(const std::string& description) {
  static auto* const mutex = new std::mutex;  // guards known
  static auto* const known = new std::unordered_map<std::string, std::weak_ptr<const TypedOp>>;
  {
    const std::lock_guard<std::mutex> lock(*mutex);
    const auto found = known->find(description);
    if (found != known->end()) {
      if (std::shared_ptr<const TypedOp> op = found->second.lock()) return op;
    }
  }
  std::shared_ptr<const TypedOp> made = Make(description);  // may open plugins
  const std::lock_guard<std::mutex> lock(*mutex);
  std::erase_if(*known, [](const auto& each) { return each.second.expired(); });
  std::weak_ptr<const TypedOp>& kept = (*known)[description];
  if (std::shared_ptr<const TypedOp> other = kept.lock()) return other;
  kept = made;
  return made;
}

TypedOp::TypedOp(opsrun_typed_op* typed) : typed_(typed), name_(Text(info().plugin) + "." + Text(info().name)) {
  try {
    Collect(name_, info().in_types, info().n_in, in_types_);
    Collect(name_, info().out_types, info().n_out, out_types_);
  } catch (...) {
    opsrun_typed_op_destroy(typed_);
    throw;
  }
}

TypedOp::~TypedOp() {
  opsrun_kernel_object_destroy(kernel_);
  opsrun_typed_op_destroy(typed_);
}

const opsrun_kernel_object* TypedOp::kernel() const {
  const std::lock_guard<std::mutex> lock(making_);
  if (kernel_ == nullptr) {
    opsrun_report* report = nullptr;
    const int32_t code = opsrun_typed_op_make_kernel(typed_, {"cpu", 3}, &kernel_, &report);
    Check(code, report, name_);
  }
  return kernel_;
}

}  // namespace opsrun_jax
