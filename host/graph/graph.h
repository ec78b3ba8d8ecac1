// host/graph/graph.h: a graph as its author wrote it, with the place of each part. Independent of ops.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/base/dtype.h"
#include "host/base/version_range.h"
#include "host/tensor/tensor.h"
#include "host/yaml/value.h"

namespace opsrun::host {

template <typename T>
struct Located {
  T value{};
  Span span;
};

struct Feed {
  enum class Source { kDeclared, kValue, kNpy, kNpz, kFill, kRandom };
  Located<std::string> name;
  Source source = Source::kDeclared;
  std::optional<Located<DType>> dtype;
  std::optional<Located<Shape>> shape;  // -1: any size
  Tensor value;                         // kValue, kFill, kRandom: already converted
  std::vector<Value::Entry> recipe;     // kRandom: the other keys, "random: normal, seed: 7"
  Located<std::string> path;            // kNpy, kNpz: as written; relative to the graph file
  Located<std::string> key;             // kNpz
  Span span;                            // of the feed's whole value
};

// "node", "node.output" or "node.output.i"; also a feed's name. In a declared gradient also "list.i", without an
// output.
struct Reference {
  std::string name;
  std::string output;  // empty: the only output
  int64_t index = -1;  // -1: none
  Span span;
};

// "z.parts.0", and the parts of such a text. ParseReference requires: one of the three forms.
std::string ReferenceText(const Reference& reference);
Reference ParseReference(const std::string& text, const Span& span = {});

// One argument's value in `in`.
struct NodeInput {
  Located<std::string> arg;  // empty: by position
  bool list = false;
  std::vector<Reference> from;  // one, unless list
  Span span;
};

struct NodeAttr {
  Located<std::string> name;
  Value value;
};

struct Node {
  Located<std::string> name;
  Located<std::string> op;
  std::vector<NodeInput> inputs;
  Span inputs_span;  // of `in`, or of the node where there is none
  std::vector<NodeAttr> attrs;
  std::vector<Located<std::string>> after;
  std::optional<Located<std::string>> label;        // of the kernel that is to run it
  std::optional<Located<std::string>> device;       // that it is to run on, "gpu:1"
  bool stop_gradient = false;                       // nothing flows back through it
  std::optional<Located<std::string>> gradient_of;  // the node whose gradient it is a part of
  std::vector<Reference> each;                      // in a declared gradient: lists through which it is repeated
  Span span;
};

struct GraphOutput {
  Located<std::string> name;
  Reference from;
  std::optional<Located<std::string>> npy;  // relative to the graph file
  std::optional<Located<std::string>> npz;  // the same; not both
  Located<std::string> key;                 // with npz: its name in the archive
  bool print = true;                        // false by default where a file is given

  // The file that it is written to, or null.
  const Located<std::string>* file() const { return npy ? &*npy : npz ? &*npz : nullptr; }
};

// What an output of a node, or a feed, is compared with after a run.
struct GraphCheck {
  Reference from;
  Value value;                              // as it is written, if there is neither of the next two
  std::optional<Located<std::string>> npy;  // relative to the graph file
  std::optional<Located<std::string>> npz;
  Located<std::string> key;          // with npz; by default what 'from' says
  std::optional<double> rtol, atol;  // by default those for the data type
  bool equal_nan = false;
  Span expected_span;
  Span span;
};

// A plugin that the graph needs, with a range of versions.
struct Requirement {
  Located<std::string> plugin;
  Located<std::string> text;  // of the range
  VersionRange range;
};

struct Graph {
  std::shared_ptr<const SourceFile> source;
  std::string name;       // the name that its author chose, or empty
  std::string directory;  // of the graph file, "" for the current one: paths in the graph are relative to it
  std::vector<Feed> feeds;
  std::vector<Node> nodes;  // in the order written
  std::vector<GraphOutput> outputs;
  std::vector<GraphCheck> checks;
  std::vector<Requirement> requirements;
  // Names of feeds and nodes with errors: references to them are not reported as further errors.
  std::vector<std::string> left_out;

  // `path` in the graph, as seen from the current directory.
  std::string Resolve(const std::string& path) const;
};

}  // namespace opsrun::host
