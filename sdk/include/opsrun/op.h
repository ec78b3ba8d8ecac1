// opsrun/op.h: REGISTER_OP("Name").Input("x: T").Output("y: T").Attr("T: type").SetShapeFn(...)
//
// The strings are passed to the host unchanged. Only the host parses them, and it reports errors in them when it loads
// the plugin. A shape function is any callable that takes an InferenceContext* and returns a Status; it may capture
// variables. It needs opsrun/shape_inference.h. A shape function is optional: without one, the shapes of the outputs
// are known only when the op runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <utility>

#include "opsrun/c_api.h"
#include "opsrun/internal/kept_text.h"
#include "opsrun/internal/note.h"
#include "opsrun/internal/registration.h"
#include "opsrun/internal/shape_trampoline.h"
#include "opsrun/namespace.h"
#include "opsrun/status.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

class OpDefBuilder {
 public:
  explicit OpDefBuilder(std::string_view name) {
    op_.size = sizeof(op_);
    op_.name = internal::KeepText(name);
  }

  OpDefBuilder& Attr(std::string_view spec) {
    internal::AppendKept(&op_.attrs, &op_.n_attrs, spec);
    return *this;
  }
  OpDefBuilder& Input(std::string_view spec) {
    internal::AppendKept(&op_.inputs, &op_.n_inputs, spec);
    return *this;
  }
  OpDefBuilder& Output(std::string_view spec) {
    internal::AppendKept(&op_.outputs, &op_.n_outputs, spec);
    return *this;
  }
  OpDefBuilder& ControlOutput(std::string_view name) {
    internal::AppendKept(&op_.control_outputs, &op_.n_control_outputs, name);
    return *this;
  }
  OpDefBuilder& Doc(std::string_view text) {
    op_.doc = internal::KeepText(text);
    return *this;
  }

  OpDefBuilder& SetIsStateful() { return Flag(OPSRUN_OP_STATEFUL); }
  OpDefBuilder& SetIsCommutative() { return Flag(OPSRUN_OP_COMMUTATIVE); }
  OpDefBuilder& SetIsAggregate() { return Flag(OPSRUN_OP_AGGREGATE); }
  OpDefBuilder& SetAllowsUninitializedInput() { return Flag(OPSRUN_OP_UNINITIALIZED_INPUT); }
  OpDefBuilder& Deprecated(int version, std::string_view explanation) {
    op_.deprecated_version = static_cast<uint32_t>(version);
    op_.deprecated_text = internal::KeepText(explanation);
    return *this;
  }

  // fn: Status(shape_inference::InferenceContext*). It may be called from any thread, any number of times, and lives as
  // long as the process.
  template <typename Fn>
  OpDefBuilder& SetShapeFn(Fn fn) {
    op_.shape = &internal::ShapeTrampoline<Fn>;
    op_.shape_ctx = new Fn(std::move(fn));
    return *this;
  }

  // The op as it appears in the table; its strings live as long as the process.
  const opsrun_op& op() const { return op_; }

 private:
  OpDefBuilder& Flag(uint32_t flag) {
    op_.flags |= flag;
    return *this;
  }

  opsrun_op op_ = {};
};

namespace internal {

// REGISTER_OP defines one static object of this class.
class OpRegistration {
 public:
  OpRegistration(const OpDefBuilder& builder) : op_(builder.op()) {
    registration_.op = &op_;
    opsrun_sdk_register(&registration_);
  }
  OpRegistration(const OpRegistration&) = delete;

 private:
  opsrun_op op_;
  opsrun_sdk_registration registration_ = {};
};

}  // namespace internal
}  // namespace OPSRUN_HIDDEN

// For use at namespace scope. Calls of the builder and a semicolon follow.
#define REGISTER_OP(name) OPSRUN_REGISTER_OP(__COUNTER__, name)
#define OPSRUN_REGISTER_OP(counter, name)                                                                           \
  OPSRUN_TEXT_NOTE(OPSRUN_JOIN(opsrun_op_note_, counter), OPSRUN_NOTE_OP,                                           \
                   (::OPSRUN_NAMESPACE::internal::NotedName{name}), (::OPSRUN_NAMESPACE::internal::NotedName{"*"})) \
  __attribute__((unused)) static ::OPSRUN_NAMESPACE::internal::OpRegistration OPSRUN_JOIN(opsrun_op_, counter) =    \
      ::OPSRUN_NAMESPACE::OpDefBuilder(name)
