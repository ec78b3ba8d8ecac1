// host/gradient/differentiate.h: the nodes that compute gradients of a planned graph, by reverse mode. Read this first.
//
// The gradient of an output with respect to each value is computed from the last node to the first: the declared
// gradient of each op computes the gradients of a node's inputs from those of its outputs, and gradients that reach one
// value on several paths are added. The result consists of ordinary nodes, so a graph with them can be written,
// planned, run, and differentiated again.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/base/dtype.h"
#include "host/gradient/derived_graph.h"
#include "host/gradient/node_gradient.h"
#include "host/graph/graph.h"
#include "host/plan/build_plan.h"
#include "host/plugin/plugin.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// A tensor to differentiate.
struct GradientOf {
  Reference tensor;
  std::optional<Reference> gradient;  // has its type and shape; default: ones, which gives the gradient of its sum
};

struct GradientRequest {
  std::vector<GradientOf> of;  // if several, the gradient of their sum
  std::vector<Reference> wrt;  // feeds and outputs of nodes
  // By node: gradients for nodes whose ops declare none, in the language of declared gradients.
  std::map<std::string, std::string> given;
  bool fill_feeds = true;  // see DerivedGradients::filled; if false, such feeds stay
};

// The gradient given for a node whose op declares none, or null.
const std::string* GivenGradient(const GradientRequest& request, const Node& node, const RegisteredOp& op);

// What one use of a tensor as an input of a node contributes to the tensor's gradient.
struct InputGradient {
  uint32_t node = 0;   // of the original graph
  uint32_t input = 0;  // in its flat list
  uint32_t value = 0;  // the tensor
  DerivedTensor gradient;
};

struct DerivedGradients : DerivedNodes {
  std::vector<DerivedTensor> gradients;  // for each element of GradientRequest::wrt
  std::vector<InputGradient> of_inputs;  // before Simplify
  // Declared feeds named like a gradient, such as "grad_w", are replaced by it, so that a graph can refer to its
  // gradients before they exist. By name of the feed.
  std::map<std::string, size_t> filled;  // to an index in `gradients`
};

// Where messages about a declared gradient point.
enum class GradientPlaces {
  kGraph,     // to the node that is differentiated
  kDeclared,  // into the text of the declared gradient
};

// The ops that differentiation uses besides those of declared gradients: AddN, OnesLike, ZerosLike.
const std::vector<std::string>& DifferentiationOps();

// Nothing after errors: G204 to G209 for invalid references, G301 for each op on the way that declares no gradient,
// G302 for each that declares an invalid one, G306 for tensors that cannot have one. A tensor of `wrt` that does not
// influence the result has a gradient of zeros, and a warning, G307. Requires: the graph was planned without errors;
// ops.loaded has the ops of the graph, of their gradients, and DifferentiationOps().
std::optional<DerivedGradients> Differentiate(const Graph& graph, const Resolution& resolution,
                                              const GradientRequest& request, const GradientOps& ops,
                                              GradientPlaces places, Diagnostics& diagnostics);

// The help text for G302.
std::string InvalidGradientHelp(const RegisteredOp& op);

// The value that a reference names: a tensor, or an output of the graph. Nothing after error G204.
std::optional<uint32_t> FindValue(const Reference& reference, const Graph& graph, const Resolution& resolution,
                                  Diagnostics& diagnostics);

// The graph with the constants and nodes of `gradients`, and with each gradient as an output, after its own outputs.
// All outputs are printed, none is written to a file. Messages about the new nodes use the places that these have.
Graph WithGradients(const Graph& graph, const GradientRequest& request, const DerivedGradients& gradients);

// Types and shapes of tensors of gradients, from a plan.
class DerivedValues {
 public:
  // Of the plan of WithGradients, which must outlive this object. original: of the graph without gradients.
  DerivedValues(const Graph& graph, const Resolution& original, const Resolution& planned,
                const DerivedGradients& gradients);

  const ResolvedValue& Find(const DerivedTensor& tensor) const;

 private:
  friend class Representatives;
  explicit DerivedValues(const Resolution& planned) : planned_(planned) {}

  const Resolution& planned_;
  std::vector<uint32_t> values_, constants_, nodes_;  // a value of the plan; of a node, its first output
};

// The name of the gradient of a tensor: "grad_w"; "grad_z_sum" for "z.sum".
inline constexpr std::string_view kGradientPrefix = "grad_";
std::string GradientName(const std::string& tensor);

// The names of the outputs that hold the gradients of request.wrt. A number is appended if the graph has another output
// or tensor of that name.
std::vector<std::string> GradientOutputNames(const Graph& graph, const GradientRequest& request,
                                             const DerivedGradients& gradients);

// Removes nodes that change nothing: sums, reshapes and broadcasts to the shape that a tensor already has, and
// conjugates of real tensors; then everything unused.
void Simplify(const DerivedValues& values, DerivedGradients& gradients);

// The text of a graph file for WithGradients. Paths in it are relative to `directory`, which is relative to the current
// one. Comments of the original are lost; its other keys are kept. Requires: graph.source holds a graph file.
std::string GradientGraphText(const Graph& graph, const GradientRequest& request, const DerivedGradients& gradients,
                              const std::string& directory);

// True for floating-point and complex types; no others have gradients.
bool HasGradient(DType dtype);

// How gradients flow through a node.
enum class NodeFlow {
  kDeclared,           // as its op declares
  kUndeclared,         // its op declares nothing: an error where a gradient is needed
  kNotDifferentiable,  // not at all: its op says so
  kOtherType,          // not at all: its outputs are integers, bools or strings
  kStopped,            // not at all: the graph says so
};
NodeFlow FlowOf(const Node& node, const ResolvedNode& resolved);

struct GradientFlow {
  std::vector<bool> values;      // by value: a gradient flows through it
  std::vector<uint32_t> nodes;   // with flow through them, consumers first
  std::vector<uint32_t> passed;  // the same plus nodes between `of` and `wrt` where the flow stops
};

// The flow from the values `of` back to the values `wrt`.
GradientFlow FindFlow(const Graph& graph, const Resolution& resolution, const std::vector<uint32_t>& of,
                      const std::vector<uint32_t>& wrt);

// False if the shapes differ for all values of their unknown sizes.
bool MayBeEqual(const ResolvedShape& a, const ResolvedShape& b);

// Adds G302 for each op whose declared gradient gives an input a gradient of another shape, and returns false then.
// The places are those of the graph. resolution: of the graph without gradients.
bool CheckGradientShapes(const Graph& graph, const Resolution& resolution, const DerivedValues& values,
                         const DerivedGradients& gradients, Diagnostics& diagnostics);

// The declared feeds named like a gradient, each with the index in request.wrt of the tensor it is the gradient of.
std::map<std::string, size_t> FilledFeeds(const Graph& graph, const GradientRequest& request);

// False after errors: G304 for a feed whose type or shape is not that of the gradient, G205 for one that a
// differentiated tensor depends on. of, wrt: values of the request.
bool CheckFilledFeeds(const Graph& graph, const Resolution& resolution, const std::map<std::string, size_t>& filled,
                      const std::vector<uint32_t>& of, const std::vector<uint32_t>& wrt, Diagnostics& diagnostics);

}  // namespace opsrun::host
