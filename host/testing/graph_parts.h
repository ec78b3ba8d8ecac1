// host/testing/graph_parts.h: what a test says of its graph.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/testing/test_node.h"
#include "opsrun/testing/array.h"

namespace opsrun::test {

// What is known of an input before the run.
enum class Known {
  kValue,
  kShape,
  kNothing,
  kNotEvenPlace,  // nor does it lie where somebody else has it
};

// One argument of a node.
struct InputPart {
  enum class Source { kArrays, kNode, kHandle };

  Source source = Source::kArrays;
  Known known = Known::kValue;
  bool said = false;          // what is known
  std::vector<Array> arrays;  // kArrays: one, unless list
  bool list = false;
  size_t node = 0;                       // kNode: which
  std::string output;                    // kNode: of its outputs; empty: the only one
  std::string handle_type, handle_name;  // kHandle
};

struct NodePart {
  std::string op, name, label;
  std::vector<InputPart> inputs;
  host::TestAttrs attrs;
  std::vector<size_t> after;
};

struct GraphParts {
  std::vector<NodePart> nodes;
  bool planned = false;  // nothing but arrays of feeds has changed since
  std::string mistake;   // the first thing that the test said and that cannot be
};

}  // namespace opsrun::test
