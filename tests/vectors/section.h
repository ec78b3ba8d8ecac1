// tests/vectors/section.h: what the sections of a vectors file have in common.
//
// A section's runner turns a case into two texts: what the case says, and what opsrun does with it. The case passes if
// they are equal. A runner throws for a case that it cannot read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

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

// For fails: {stage, kind}: "fails" and as much of the two as the case names. Both are cut to what `fails` names, so
// that an error of which the case leaves the kind open is equal to every other one.
std::string FailureText(const Tree& fails, const std::string& stage, const std::string& kind);
std::string ExpectedFailure(const Tree& fails);

// The plugin pad of the build folder, opened at the first call, as a run opens it. Throws if it is refused.
const host::LoadResult& PadPlugin();

}  // namespace opsrun::vectors
