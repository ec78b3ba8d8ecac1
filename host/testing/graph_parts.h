// host/testing/graph_parts.h: the description of a graph by a test.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/testing/test_node.h"
#include "opsrun/testing/array.h"

namespace opsrun::test {

// What is known about an input before the run.
enum class Known {
  kValue,
  kShape,
  kNothing,
  kNotEvenPlace,  // nor is its memory shared with another tensor
};

// One argument of a node.
struct InputPart {
  enum class Source { kArrays, kNode, kHandle };

  Source source = Source::kArrays;
  Known known = Known::kValue;
  bool said = false;          // `known` is set
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
  bool planned = false;  // since then, only arrays of feeds have changed
  std::string mistake;   // the first invalid call of the test
};

}  // namespace opsrun::test
