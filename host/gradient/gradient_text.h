// host/gradient/gradient_text.h: the gradient that an op declares: as text, as a graph for given attrs, and checked on
// random nodes of the op, of which only the spec is known.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/base/dtype.h"
#include "host/gradient/node_gradient.h"
#include "host/graph/graph.h"
#include "host/graph/read_graph.h"
#include "host/plugin/plugin.h"
#include "host/spec/infer_attrs.h"
#include "host/tensor/tensor.h"
#include "host/yaml/value.h"

namespace opsrun::host {

// The file with the declared gradient, for messages: the one beside the plugin, or the text alone, whose lines are
// numbered as in the source of the plugin, if known.
std::shared_ptr<const SourceFile> GradientSource(const RegisteredOp& op);

// Read-only after construction.
class GradientText {
 public:
  // Parses the text. Requires: the op declares a gradient; it outlives this object.
  explicit GradientText(const RegisteredOp& op);
  // The same for a text given for a node of the op; messages call it `name`.
  GradientText(const RegisteredOp& op, std::string name, std::string text);

  const std::shared_ptr<const SourceFile>& source() const { return source_; }

  // The ops of its nodes, as far as the text is valid.
  std::vector<std::string> OpNames() const;

  // The graph, with the attrs of `signature` substituted for each {attr: NAME}. Nothing, and at least one error with a
  // place in source(), if the text is invalid.
  std::optional<DeclaredGradient> For(const spec::Signature& signature, Diagnostics& diagnostics) const;

 private:
  const RegisteredOp& op_;
  const std::shared_ptr<const SourceFile> source_;
  Diagnostics syntax_errors_;
  std::optional<Value> root_;
};

// Gives every part of `value`, or of `node`, the place `span`.
void MovePlaces(const Span& span, Value& value);
void MovePlaces(const Span& span, Node& node);

// Random numbers from the generator of host/tensor/tensor.h.
class Draws {
 public:
  explicit Draws(uint64_t seed) : seed_(seed) {}

  // From 0 to count - 1. Requires: count > 0.
  uint64_t Below(uint64_t count) { return RandomBits(seed_, next_++) % count; }
  bool Coin() { return Below(2) == 0; }

 private:
  const uint64_t seed_;
  uint64_t next_ = 0;
};

// The types for which the op can have a gradient, in numeric order: those with gradients that its type attrs allow, and
// fixed types. 8-bit floating-point types are included only if the op has no others: many ops store or copy them, but
// the ops that add up gradients do not accept them. Empty if no output has such a type.
std::vector<DType> GradientTypes(const spec::OpDef& op);

// A graph with one node of the op, and for each input tensor a declared feed of unknown shape. Type attrs are `type`
// where allowed; other attrs are random, within the limits of the spec, or their defaults. The caller finds shapes and
// values of inputs that fit together. source: of the messages about the graph.
Graph DrawOpGraph(const RegisteredOp& op, DType type, std::shared_ptr<const SourceFile> source, Draws& draws);

// For each data type that has gradients, differentiates a node of the op with unknown shapes and plans the result. This
// checks names, arguments, attrs, types, kernels, and shapes where they follow from ranks, but not the numbers. Errors
// have places in GradientSource(op). ops.loaded: must include the op, the ops of its gradient, and
// DifferentiationOps(). Calls shape functions and creates kernels. Requires: the op declares a gradient.
void CheckGradient(const RegisteredOp& op, const GradientOps& ops, const opsrun_host* host, Diagnostics& diagnostics);

}  // namespace opsrun::host
