// tests/vectors/section.h: what the sections of a vectors file have in common.
//
// A section's runner turns a case into two texts: what the case says, and what opsrun does with it. The case passes if
// they are equal. A runner throws for a case that it cannot read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "host/spec/op_def.h"
#include "host/spec/parse_op.h"
#include "tests/vectors/yaml_tree.h"

namespace opsrun::host {
struct LoadResult;
}

namespace opsrun::vectors {

struct Verdict {
  std::string expected;
  std::string found;
  std::string skipped;  // why the case was not run; then there is nothing else
};

// file: the whole of it; its type_sets are needed.
using Runner = Verdict (*)(const Tree& entry, const Tree& file);

Verdict RunAttrSpec(const Tree& entry, const Tree& file);
Verdict RunIoSpec(const Tree& entry, const Tree& file);
Verdict RunAttrInference(const Tree& entry, const Tree& file);
Verdict RunCompat(const Tree& entry, const Tree& file);
Verdict RunKernelChoice(const Tree& entry, const Tree& file);
Verdict RunNaming(const Tree& entry, const Tree& file);
Verdict RunPad(const Tree& entry, const Tree& file);
Verdict RunShapeFn(const Tree& entry, const Tree& file);
Verdict RunShapeSequence(const Tree& entry, const Tree& file);

// Throws if the map has a field that is not among `known`: a case that is understood in part must not pass.
void CheckFields(const Tree& map, std::initializer_list<std::string_view> known);

// The strings of {name, attrs, inputs, outputs}; the name "Op" where there is none.
host::spec::OpStrings OpStringsOf(const Tree& op);

// The op that they make. Throws if they make none.
host::spec::OpDef OpOf(const Tree& op);

// "int32", "float", "int16_ref". Throws for another word.
host::DType TypeOf(const std::string& word);

// A failure as a case describes it, {stage: parse, kind: name}, and as it was found, cut to the fields that the case
// names, so that an error of which it leaves the kind open is equal to every other one. fails: null if the case does
// not fail; then all fields count. Throws if the case names another field.
std::string ExpectedFailure(const Tree& fails);
std::string FoundFailure(const Tree* fails, const std::map<std::string, std::string>& found);

// What messages say, and the vectors' word for it. KindOf takes the first that fits, or the message itself.
using Kinds = std::span<const std::pair<std::string_view, std::string_view>>;
std::string KindOf(Kinds kinds, const std::string& message);

// The plugin pad of the build folder, opened at the first call, as a run opens it. Throws if it is refused.
const host::LoadResult& PadPlugin();

}  // namespace opsrun::vectors
