// opsrun/op.h: REGISTER_OP("Name").Input("x: T").Output("y: T").Attr("T: type").SetShapeFn(...)
//
// The strings are passed to the host unchanged. Only the host parses them, and it reports errors in them when it loads
// the plugin. A shape function is any callable that takes an InferenceContext* and returns a Status; it may capture
// variables. It needs opsrun/shape_inference.h. A shape function is optional: without one, the shapes of the outputs
// are known only when the op runs.
//
// A gradient is a small graph, as text, over the op's inputs, outputs and attrs and the gradients of its outputs; see
// OpDefBuilder::Gradient.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <type_traits>
#include <utility>

#include "opsrun/c_api.h"
#include "opsrun/internal/registration.h"
#include "opsrun/namespace.h"
#include "opsrun/op_kernel.h"
#include "opsrun/status.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

namespace internal {

// Text, and its line in the source file. Implicit, because only a conversion at the call site has the caller's line.
struct SourceText {
  template <typename T, typename = std::enable_if_t<std::is_convertible_v<const T&, std::string_view>>>
  SourceText(const T& from, uint32_t at = __builtin_LINE()) : text(from), line(at) {}

  std::string_view text;
  uint32_t line;
};

}  // namespace internal

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
  // Ignored: opsrun never replaces a node by its value.
  OpDefBuilder& SetDoNotOptimize() { return *this; }
  OpDefBuilder& SetIsDistributedCommunication() { return *this; }
  OpDefBuilder& SetAllowsUninitializedInput() { return Flag(OPSRUN_OP_UNINITIALIZED_INPUT); }
  OpDefBuilder& Deprecated(int version, std::string_view explanation) {
    op_.deprecated_version = static_cast<uint32_t>(version);
    op_.deprecated_text = internal::KeepText(explanation);
    return *this;
  }

  // fn: Status(shape_inference::InferenceContext*). It may be called from any thread, any number of times, and lives as
  // long as the process. opsrun allocates the shapes that it sets, so a kernel that makes another shape fails.
  // TensorFlow does not compare them: for sources with wrong shape functions, OPSRUN_IGNORE_SHAPE_FNS omits all of
  // them.
  template <typename Fn>
  OpDefBuilder& SetShapeFn([[maybe_unused]] Fn fn) {
#ifndef OPSRUN_IGNORE_SHAPE_FNS
    op_.shape = &internal::ShapeTrampoline<Fn>;
    op_.shape_ctx = new Fn(std::move(fn));
#endif
    return *this;
  }

  // How the op is differentiated: a graph, in the language of graph files, that computes the gradients of the inputs.
  //
  //   REGISTER_OP("Scale").Input("x: T").Input("factor: T").Output("y: T").Attr("T: {float, double}").Gradient(R"yaml(
  //   nodes:
  //     dx: {op: Mul, in: [grad.y, factor]}
  //     product: {op: Mul, in: [grad.y, x]}
  //     shape: {op: Shape, in: factor}
  //     dfactor: {op: SumToShape, in: [product, shape]}
  //   outputs: {x: dx, factor: dfactor}
  //   )yaml");
  //
  // Its nodes refer to inputs and outputs of the op by their names, and to the gradient of output y, which has the type
  // and shape of y, as grad.y. `outputs` gives for each input a tensor of the input's type and shape, or null if the
  // input has no gradient. The name of a list argument is the whole list; `each: values` on a node repeats it for every
  // element of a list. `{attr: T}` is the value of an attr. opsrun explain checks the text, and opsrun gradcheck
  // compares it with numerical derivatives. docs/gradients.md describes the language.
  OpDefBuilder& Gradient(internal::SourceText graph) {
    op_.gradient = internal::KeepText(graph.text);
    op_.gradient_line = graph.line;
    return *this;
  }
  // Says that the op computes each element of a batch on its own, so that a program, such as jax.vmap, may pass all
  // elements in one call. `sizes` names the dimensions that the op works on, as NumPy does for generalized universal
  // functions: "(m,k),(k,n)->(m,n)" for products of matrices, "(),()->()" for element-wise ops. Those in front of them,
  // any number, are the batch. Broadcasts: they are broadcast, by NumPy's rules; Batches: they are equal in all inputs.
  OpDefBuilder& Broadcasts(std::string_view sizes) {
    return Batches(sizes).Flag(OPSRUN_OP_BROADCASTS);
  }
  OpDefBuilder& Batches(std::string_view sizes) {
    op_.batch = internal::KeepText(sizes);
    return *this;
  }
  // Declares that the op has no gradient: gradients do not flow back through it.
  OpDefBuilder& NotDifferentiable() {
    return Flag(OPSRUN_OP_NOT_DIFFERENTIABLE);
  }

  // The op as it appears in the table; its strings live as long as the process.
  const opsrun_op& op() const {
    return op_;
  }

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
