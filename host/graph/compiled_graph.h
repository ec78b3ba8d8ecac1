// host/graph/compiled_graph.h: a graph as `opsrun compile` writes it: read, with its names resolved and its arrays.
//
// A file has what follows from a graph's text and the declarations of its ops, so that nobody has to parse the text or
// look up names again. It has no types, shapes, kernels or memory: planning finds and checks these as for every graph.
// So it runs wherever its ops are, on any device and for feeds of any shape, and a hostile file can do no more than a
// hostile text.
//
// The parts of a file: a header; the head, which is a graph in YAML with the feeds, outputs and checks, and a node for
// all those that differ in nothing but their names and inputs (a kind); the text of the whole graph, for messages; the
// nodes, so that producers come first, their names and inputs; the arrays, each at a multiple of 64 bytes. Numbers are
// little-endian. A hash covers all but the arrays, which have hashes of their own: large ones stay in the file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/base/file.h"
#include "host/base/status.h"
#include "host/graph/graph.h"
#include "host/tensor/mapped_files.h"
#include "host/tensor/npy.h"
#include "host/tensor/tensor.h"
#include "host/yaml/value.h"

namespace opsrun::host {

// A node. Its inputs are values: the feeds in order, then the outputs of nodes in order. They follow those of the node
// before it.
struct CompiledNode {
  uint32_t kind = 0;                           // the node of the head that has its op, attrs and arguments
  uint32_t place = 0;                          // its number in the text
  uint32_t name_end = 0;                       // its name begins where that of the node before it ends
  uint32_t line = 0, column = 0, columns = 0;  // of its op in the text; 0: unknown
};

// A node that runs after another one.
struct CompiledAfter {
  uint32_t node = 0;
  uint32_t earlier = 0;
};

// The key of the head that lists the ops, as they were declared when the graph was compiled.
inline constexpr char kCompiledOps[] = "x-ops";

// Calls fn(span) for the places of the head that are in the text: those of all keys and values, in the order in which
// they are written, but for kinds and ops.
template <typename Tree, typename Fn>
void ForEachPlace(Tree& head, const Fn& fn, bool is_root = true) {
  fn(head.span);
  for (auto& item : head.items) ForEachPlace(item, fn, false);
  for (auto& entry : head.entries) {
    if (is_root && (entry.key == "nodes" || entry.key == kCompiledOps)) continue;
    fn(entry.key_span);
    ForEachPlace(entry.value, fn, false);
  }
}

struct CompiledNodes {
  std::string names;
  std::vector<CompiledNode> nodes;
  std::vector<uint32_t> inputs;
  std::vector<CompiledAfter> after;  // ascending by node
  std::vector<uint32_t> named;       // nodes that outputs and checks refer to
};

struct CompiledParts : CompiledNodes {
  std::string head;
  std::vector<Span> places;
  std::string text;
  std::vector<std::pair<uint32_t, Tensor>> arrays;  // of feeds of the head
};

// Passes the bytes of a file to `write` in pieces until that fails. RESOURCE_EXHAUSTED if a part is too large.
Status WriteCompiledGraph(const CompiledParts& parts, const ByteSink& write);

// Gives the feeds of a graph that was made from the text of `from` the arrays of `from`, which may be beside its text.
void TakeArrays(const Graph& from, Graph& made);

// Sets the hash in the front of a file: in all bytes before the arrays.
void SealCompiledGraph(std::string& front);

// True if the bytes, or those of a file that is no pipe, begin as WriteCompiledGraph has written them.
bool AreCompiledGraph(std::string_view bytes);
bool IsCompiledGraph(const std::string& path);

// What a Graph has instead of all its nodes: those of a file, or of a text that was planned (PlanInputs::compiled).
class CompiledGraph {
 public:
  CompiledGraph(std::shared_ptr<const SourceFile> source, std::shared_ptr<const void> bytes)
      : source_(std::move(source)), bytes_(std::move(bytes)) {}
  CompiledGraph(std::shared_ptr<const SourceFile> source, std::shared_ptr<const CompiledNodes> made)
      : names(made->names),
        nodes(made->nodes),
        inputs(made->inputs),
        after(made->after),
        named(made->named),
        source_(std::move(source)),
        bytes_(std::move(made)) {}
  CompiledGraph(const CompiledGraph&) = delete;

  std::string_view NameOf(uint32_t node) const {
    const uint32_t begin = node == 0 ? 0 : nodes[node - 1].name_end;
    return names.substr(begin, nodes[node].name_end - begin);
  }
  // The op of a node in the text.
  Span PlaceOf(uint32_t node) const {
    const CompiledNode& n = nodes[node];
    return {{n.line, n.column}, {n.line, n.column + n.columns}};
  }
  // The nodes as the text has them, in the order of `nodes`, with their places. Reads the text on the first call. If
  // the text is about other nodes, they have only their names. Any thread.
  const std::vector<Node>& AllNodes() const;

  std::string_view names;
  std::span<const CompiledNode> nodes;
  std::span<const uint32_t> inputs;
  std::span<const CompiledAfter> after;
  std::span<const uint32_t> named;
  std::vector<std::pair<std::string, std::string>> ops;  // with their signatures when the graph was compiled

 private:
  const std::shared_ptr<const SourceFile> source_;
  const std::shared_ptr<const void> bytes_;  // that all views are of
  mutable std::once_flag read_once_;
  mutable std::vector<Node> all_nodes_;
};

// Adds the error G015.
void RefuseCompiledGraph(const std::string& path, const std::string& why, Diagnostics& diagnostics);

// The head of the file, with the arrays of its feeds, and `compiled` set. Its source is the text of the whole graph.
// If they are 1 MiB or more, the arrays stay in the file, as `mapped` has it, which may be null. Error G015 if the file
// cannot be read, was written by a later version, or is damaged. whole: all arrays are compared with their hashes.
std::optional<Graph> ReadCompiledGraph(const std::string& path, MappedFiles* mapped, bool whole,
                                       Diagnostics& diagnostics);

// The same for the bytes of a file.
std::optional<Graph> ParseCompiledGraph(const std::string& path, std::string_view bytes, Diagnostics& diagnostics);

}  // namespace opsrun::host
