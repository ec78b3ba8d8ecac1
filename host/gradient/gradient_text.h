// host/gradient/gradient_text.h: the gradient that an op declares, as text and as a graph for given attrs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/graph/graph.h"
#include "host/graph/read_graph.h"
#include "host/plugin/plugin.h"
#include "host/spec/infer_attrs.h"
#include "host/yaml/value.h"

namespace opsrun::host {

// The declared gradient as a file for messages. Lines are numbered as in the source of the plugin, if known.
std::shared_ptr<const SourceFile> GradientSource(const RegisteredOp& op);

// Read-only after construction.
class GradientText {
 public:
  // Parses the text. Requires: the op declares a gradient; it outlives this object.
  explicit GradientText(const RegisteredOp& op);
  // The same for a text given for a node of the op; messages call it `name`.
  GradientText(const RegisteredOp& op, std::string name, std::string text);

  const RegisteredOp& op() const { return op_; }
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

}  // namespace opsrun::host
