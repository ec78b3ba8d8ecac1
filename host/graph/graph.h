// host/graph/graph.h: a graph as written by its author, with the location of each part, and the files that it names.
// Does not depend on ops.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/base/dtype.h"
#include "host/base/rare.h"
#include "host/tensor/mapped_files.h"
#include "host/tensor/tensor.h"
#include "host/yaml/value.h"

namespace opsrun::host {

class CompiledGraph;

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
  Span span;                            // the whole value of the feed
};

// "node", "node.output" or "node.output.i"; also the name of a feed. In a declared gradient also "list.i", without an
// output.
struct Reference {
  std::string name;
  std::string output;  // empty: the only output
  int64_t index = -1;  // -1: none
  Span span;
};

// Converts to and from the text "z.parts.0". Requires: the text has one of the three forms.
std::string ReferenceText(const Reference& reference);
Reference ParseReference(const std::string& text, const Span& span = {});

// The value of one argument in `in`.
struct NodeInput {
  Located<std::string> arg;  // empty: by position
  bool list = false;
  std::vector<Reference> from;  // one, unless it is a list
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
  Span inputs_span;  // of `in`, or of the node if it has none
  std::vector<NodeAttr> attrs;
  std::vector<Located<std::string>> after;
  Rare<Located<std::string>> label;        // of the kernel to use
  Rare<Located<std::string>> device;       // to run on, "gpu:1"
  bool stop_gradient = false;              // no gradient flows back through it
  bool isolate = false, sandbox = false;   // its plugin runs in a process of its own, which may do little
  Rare<Located<std::string>> gradient_of;  // the node whose gradient this node helps to compute
  std::vector<Reference> each;             // in a declared gradient: repeated for the elements of these lists
  Span span;

  // Null if the node does not set it.
  const NodeAttr* FindAttr(const std::string& attr) const {
    for (const NodeAttr& each : attrs) {
      if (each.name.value == attr) return &each;
    }
    return nullptr;
  }
};

// As a graph file has it, under its name; without stop_gradient and each.
Value NodeValue(const Node& node);

struct GraphOutput {
  Located<std::string> name;
  Reference from;
  std::optional<Located<std::string>> npy;  // relative to the graph file
  std::optional<Located<std::string>> npz;  // likewise; not both
  Located<std::string> key;                 // with npz: the name in the archive
  bool print = true;                        // the default is false if there is a file

  // The file to write, or null.
  const Located<std::string>* file() const { return npy ? &*npy : npz ? &*npz : nullptr; }
};

// The expected value of a node's output or of a feed after a run.
struct GraphCheck {
  Reference from;
  Value value;                              // as written, if neither npy nor npz is set
  std::optional<Located<std::string>> npy;  // relative to the graph file
  std::optional<Located<std::string>> npz;
  Located<std::string> key;          // with npz; default: the text of 'from'
  std::optional<double> rtol, atol;  // default: depends on the data type
  bool equal_nan = false;
  Span expected_span;
  Span span;
};

// Numbers, most significant first. Missing numbers are zero: 1.2 is 1.2.0.
using Version = std::vector<uint64_t>;

// Nothing unless the text is digits separated by single dots, with at most 18 digits per number.
std::optional<Version> ParseVersion(std::string_view text);

struct VersionRange {
  enum class Relation { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual };
  struct Bound {
    Relation relation = Relation::kEqual;
    Version version;
  };
  std::vector<Bound> bounds;  // all must hold; empty: any version, even of a plugin without one

  bool Holds(const Version& version) const;
};

// An error in the bytes [begin, end) of a range.
struct RangeMistake {
  size_t begin = 0;
  size_t end = 0;
  std::string message;
  std::string help;
};

// Bounds separated by commas: ">=", ">", "<=", "<", "==" or "!=" and a version; a version alone means "==". "*" is any
// version. For any other text, returns nothing and fills in *mistake.
std::optional<VersionRange> ParseVersionRange(std::string_view text, RangeMistake* mistake);

// A plugin that the graph requires, with a range of versions.
struct Requirement {
  Located<std::string> plugin;
  Located<std::string> text;  // of the range
  VersionRange range;
};

struct Graph {
  std::shared_ptr<const SourceFile> source;
  std::string name;       // chosen by the author, or empty
  std::string directory;  // of the graph file, "" for the current one; paths in the graph are relative to it
  std::vector<Feed> feeds;
  std::vector<MappedFile> mapped;  // that have arrays of feeds
  std::vector<Node> nodes;         // in the order written
  // If not null, the nodes are there, and `nodes` has one for each kind of them, without a name: see compiled_graph.h.
  std::shared_ptr<const CompiledGraph> compiled;
  std::vector<GraphOutput> outputs;
  std::vector<GraphCheck> checks;
  std::vector<Requirement> requirements;
  // Names of feeds and nodes with errors. References to them are not further errors.
  std::vector<std::string> left_out;

  size_t num_nodes() const;
  // Also of a compiled graph. The first call reads its text.
  const std::vector<Node>& AllNodes() const;
  // `path` in the graph, relative to the current directory.
  std::string Resolve(const std::string& path) const;
};

struct GraphFile {
  std::string path;      // relative to the current directory
  std::string identity;  // FileIdentity of it
  std::string what;      // "the graph", "feed 'x'", "output 'y'", "a check"
  Span where;            // in the graph; none for the graph itself
};

// The graph file itself and the files of feeds and checks.
std::vector<GraphFile> FilesRead(const Graph& graph);

// The files of outputs.
std::vector<GraphFile> FilesWritten(const Graph& graph);

// Adds an error G116 for each output whose file is also read by the graph.
void RefuseOverwrites(const Graph& graph, Reporter& reporter);

// An array in an archive for a declared feed.
struct FeedFile {
  std::string feed;
  std::string npz;  // relative to the graph file
  std::string key;
};

// The text of the graph file with these files in its feeds, without comments. Requires: the source is a graph that
// declares the feeds.
std::string WithFeedFiles(const SourceFile& source, const std::vector<FeedFile>& files);

}  // namespace opsrun::host
