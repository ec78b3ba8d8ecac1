// tests/vectors/cases.h: what the sections of a vectors file have in common.
//
// A section's runner turns a case into two texts: what the case says, and what opsrun does with it. The case passes if
// they are equal. A runner throws for a case that it cannot read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/dtype.h"
#include "host/spec/op_def.h"
#include "host/spec/parse_op.h"
#include "host/tensor/tensor.h"
#include "host/yaml/value.h"

namespace opsrun::vectors {

// A YAML file as values, which are read by name and by kind; what is not there, or not of that kind, throws.
using Tree = host::Value;

// Fields of a map. Without such a field, At throws, and the others are empty.
const Tree& At(const Tree& map, std::string_view name);
std::string TextOf(const Tree& map, std::string_view name);
std::vector<std::string> TextsOf(const Tree& map, std::string_view name);

const std::string& TextOf(const Tree& scalar);
int64_t IntOf(const Tree& scalar);
uint64_t UintOf(const Tree& scalar);
double FloatOf(const Tree& scalar);
bool BoolOf(const Tree& scalar);
const std::vector<Tree>& ListOf(const Tree& list);

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

// "scale_by(x, k, flag=True, name=None)": inputs, then attrs that no input determines, those without a default first.
// Data types are written as float32, half; the default of a tensor attr as "...".
std::string PythonSignature(const host::spec::OpDef& op);

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

}  // namespace opsrun::vectors

namespace opsrun::vectors {

// "?" or "[2,?]". Throws for another text.
host::spec::PartialShape PartialShapeOf(const std::string& text);

// One value of an attr of that type: 3, [1, 2], "[2,?]", {dtype, shape, values}, {name: F}.
host::spec::AttrValue AttrValueOf(const Tree& tree, host::spec::AttrType type);

// The value of an attr that a node gives, which need not be what the op wants: a word is a data type if it is the name
// of one, unless `wanted` is a string.
host::spec::AttrValue GivenValueOf(const Tree& tree, host::spec::AttrType wanted);

// The kind and all of the value: texts are equal where values are, and where both are the same NaN.
std::string FullText(const host::spec::AttrValue& value);

// "int", "list(type)". Throws for what is none.
host::spec::AttrType AttrTypeOf(const std::string& word);

// The bytes of one element; of a complex one, which is written [real, imaginary] or as a real number. Throws for a
// dtype without bytes.
std::string ElementOf(const Tree& number, host::DType dtype);

// {shape: [2, 2], values: [1, 2, 3, 4]}, or nested lists. Throws if the values do not fill the shape.
host::Tensor TensorOf(const Tree& tree, host::DType dtype);

// Nested lists, or just the values, of a tensor whose shape is known otherwise.
host::Tensor TensorOf(const Tree& values, host::DType dtype, const host::Shape& shape);

// Of nested lists, going by the first of each; whether the others fit, the number of elements tells.
host::Shape ShapeOf(const Tree& nested);

}  // namespace opsrun::vectors
