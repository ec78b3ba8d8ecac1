// host/isolate/messages.h: what is said between this program and a child that runs a plugin's code.
//
// Every request has a reply. A reply begins with a Status; what follows is there only if it is OK. Both sides are of
// one build, which both check. The parent trusts nothing in a reply: see WireReader.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/base/dtype.h"
#include "host/base/status.h"
#include "host/base/wire.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {

enum class IsolateRequest : uint64_t {
  kOpen = 1,  // OpenRequest: opens the plugin. Reply: its table, see plugin/isolated_plugin.h
  kLoad,      // a number for a part of a graph, its text, the paths of other plugins whose ops it has, and
              // TensorFacts of its feeds, and whether its plan runs shape functions. Reply: empty
  kInfer,     // the number of a part with one node, and InferRequest. Reply: InferReply
  kPlan,      // the number of a part: creates its kernels. Reply: PartErrors
  kRun,       // the number of a part, and RunRequest. Reply: RunReply
  kDrop,      // the number of a part: it is not used any longer
  kEnd,       // destroys all kernels, shuts the plugin down, and ends the process. No reply
};

struct OpenRequest {
  std::string version;  // of this build
  std::string plugin;   // the path of its file
  uint32_t level = 0;
  uint64_t threads = 1;
  uint64_t memory = 0;  // most bytes of private memory; 0: no limit
  bool sandbox = false;
};

// What is known of a tensor before it exists: its shape, of which sizes can be unknown.
struct TensorFacts {
  DType dtype = DType::kInvalid;
  std::optional<Shape> shape;
};

// An error of a node in a part.
struct PartError {
  uint64_t node = 0;  // its position in the text
  int32_t code = 0;   // OPSRUN_*
  std::string message, subject;
  std::vector<std::string> help, notes;
  std::vector<std::string> inputs;  // of the node in the run, as texts
};

// A size in inference: opsrun_dim::value, or an unknown size by its number. Those of the inputs are numbered from 0 by
// the parent; the child makes new ones.
struct WireDim {
  bool unknown = false;
  int64_t value = 0;
};
// How an unknown size is computed from two others, whose numbers are lower.
struct WireTerm {
  uint32_t op = 0;  // OPSRUN_DIM_*
  WireDim a, b;
};
struct WireShape {
  bool rank_known = false;
  std::vector<WireDim> dims;
};

struct InferInput {
  WireShape shape;
  std::optional<WireShape> elements;  // what is known of its elements, as sizes
  std::optional<Tensor> value;
};
struct InferRequest {
  std::vector<InferInput> inputs;
  std::vector<std::optional<WireTerm>> unknowns;  // the unknown sizes, by number
};
struct InferReply {
  std::vector<WireShape> outputs;
  std::vector<std::optional<WireShape>> elements;
  std::vector<uint64_t> wanted;               // inputs whose values would tell more
  std::vector<WireDim> equal_to;              // what each unknown size of the inputs is now known to be
  std::vector<std::optional<WireTerm>> made;  // the new unknown sizes, by number
  bool uses_values = false;                   // it may say something else about tensors of the same types and shapes
};

// A tensor of a run. Its elements are in memory that both see, or, of strings and handles, in the message.
struct RunTensor {
  DType dtype = DType::kInvalid;
  Shape shape;
  uint64_t address = 0;
  std::vector<std::string> strings;
  bool is_there = true;               // of a reply: false if it was not computed
  std::vector<uint64_t> tokens = {};  // of resources and variants: what the child calls them; 0: an empty element
};
// Where to put an output. 0: in the reply, since its size is not known.
struct RunPlace {
  uint64_t address = 0, bytes = 0;
};
struct RunRequest {
  std::vector<RunTensor> feeds;
  std::vector<RunPlace> outputs;
  std::vector<uint64_t> without;      // nodes that are left out, and with them those that depend on them
  bool timed = false;                 // whether the reply has times
  std::vector<uint64_t> unused = {};  // tokens that no request will have again
};
// When a node ran, in nanoseconds of the steady clock, which is the same in all processes.
struct RunNodeTime {
  uint64_t node = 0;  // its position in the text
  int64_t begin = 0, end = 0;
  uint64_t thread = 0;  // 0: the one that answers requests
};
struct RunReply {
  std::vector<RunTensor> outputs;
  std::vector<PartError> errors;  // of nodes that failed
  std::vector<RunNodeTime> times = {};
};

// Whether each of `nodes` nodes is there at most once, and ran between begin and end.
bool CanBeTimes(const std::vector<RunNodeTime>& times, size_t nodes, int64_t begin, int64_t end);

// Each Write has a Read that reads what it wrote; of other bytes, the reader is not ok().
void WriteStatus(WireWriter& out, const Status& status);
Status ReadStatus(WireReader& in);
void Write(WireWriter& out, const OpenRequest& request);
void Read(WireReader& in, OpenRequest& request);
void Write(WireWriter& out, const std::vector<TensorFacts>& facts);
void Read(WireReader& in, std::vector<TensorFacts>& facts);
void Write(WireWriter& out, const std::vector<PartError>& errors);
void Read(WireReader& in, std::vector<PartError>& errors);
void Write(WireWriter& out, const InferRequest& request);
void Read(WireReader& in, InferRequest& request);
void Write(WireWriter& out, const InferReply& reply);
void Read(WireReader& in, InferReply& reply);
void Write(WireWriter& out, const RunRequest& request);
void Read(WireReader& in, RunRequest& request);
void Write(WireWriter& out, const RunReply& reply);
void Read(WireReader& in, RunReply& reply);

}  // namespace opsrun::host
