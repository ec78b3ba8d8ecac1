// tests/fuzz/spec_target.cc: parses the strings of an op. Each line of the input is one: "i x: T", "o y: T", "a T:
// type".
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/spec/parse_op.h"
#include "tests/fuzz/target.h"

namespace opsrun::fuzz {
namespace {

using namespace host::spec;  // NOLINT: a test of it

void AddLine(std::string_view line, OpStrings* op) {
  const std::string text(line.substr(line.size() < 2 ? line.size() : 2));
  switch (line.empty() ? '\0' : line[0]) {
    case 'i':
      return op->inputs.push_back(text);
    case 'o':
      return op->outputs.push_back(text);
    case 'c':
      return op->control_outputs.push_back(text);
    case 'a':
      return op->attrs.push_back(text);
    case 'n':
      op->name = text;
      return;
    default:
      op->doc += std::string(line) + "\n";
  }
}

void Eat(std::string_view bytes) {
  OpStrings strings;
  strings.name = "Op";
  while (!bytes.empty()) {
    const size_t end = std::min(bytes.find('\n'), bytes.size());
    AddLine(bytes.substr(0, end), &strings);
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
  OpDef op;
  const std::vector<SpecError> errors = ParseOp(strings, &op);
  Require(errors.empty() || !SpecErrorsText(strings.name, errors).empty(), "what is wrong is said");
}

std::vector<std::string> Seeds() {
  return {
      "n ZeroOut\ni to_zero: T\no zeroed: T\na T: {float, int32} = DT_INT32\na preserve_index: int = 0\n",
      "n Concat\ni values: N * T\ni axis: Tidx\no output: T\na N: int >= 2\na T: type\na Tidx: {int32, int64}\n",
      "n Lists\ni in: Tin\no out: Ref(Tout)\na Tin: list(type) >= 0\na Tout: type\na f: func\nc done\n",
      "a s: string = \"a\\\"b\"\na l: list(int) = [1, 2, -3]\na sh: shape = { dim { size: 2 } unknown_rank: false }\n",
      "a t: tensor = { dtype: DT_INT32 tensor_shape { dim { size: 2 } } int_val: 1 int_val: 2 }\n",
      "a e: {'apple', \"orange\"} = \"apple\"\na n: numbertype\na q: quantizedtype = DT_QINT8\nDoes it.\n\ne: A "
      "fruit.\n",
      "n acme>Op\ni x: int32\no y: float\na b: bool = true\na lf: list(float) = [1e-3, .5, -inf]\n"};
}

std::vector<std::string> Words() {
  return SplitWords(
      "list(;type;int >= ;shape;tensor;func;string;bool;float;{int32, int64};Ref(;N * T;DT_FLOAT; = ;[1, 2];"
      "{ dim { size: ;dtype: DT_STRING ;int_val: ;tensor_content: \"\\000\\377\";numbertype;realnumbertype;\\x41;"
      "''';\"\";9223372036854775808;-;tensor_shape { unknown_rank: true };<;>;half_val: ;scomplex_val: ");
}

}  // namespace

const Target kSpec = {"spec", Eat, Seeds, Words};

}  // namespace opsrun::fuzz
