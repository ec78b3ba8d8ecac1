// host/spec/parse_op.cc: see parse_op.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/spec/parse_op.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "host/spec/parse_arg.h"
#include "host/spec/parse_attr.h"
#include "host/spec/parse_doc.h"
#include "host/spec/validate_op.h"

namespace opsrun::host::spec {
namespace {

void Add(std::optional<SpecError> error, std::vector<SpecError>* errors) {
  if (error) errors->push_back(*std::move(error));
}

void ParseAttrs(const OpStrings& strings, OpDef* op, OpPlaces* places, std::vector<SpecError>* errors) {
  op->attrs.reserve(strings.attrs.size());
  for (const std::string& spec : strings.attrs) {
    AttrDef& attr = op->attrs.emplace_back();
    std::optional<SpecError> error = ParseAttr(spec, &attr, &places->attrs.emplace_back());
    if (error) attr.type.kind = 0;  // so that arguments which use it are not refused for that too
    Add(std::move(error), errors);
  }
}

void ParseArgs(const std::vector<std::string>& specs, const std::string& what, const OpDef& op,
               std::vector<ArgDef>* args, std::vector<ArgPlaces>* places, std::vector<SpecError>* errors) {
  args->reserve(specs.size());
  for (const std::string& spec : specs) {
    ArgDef& arg = args->emplace_back();
    Add(ParseArg(spec, what, op.attrs, &arg, &places->emplace_back()), errors);
  }
}

// An attr that is an argument's length, or its list of types, is at least 1 unless it says otherwise.
void ApplyImplicitMinimum(const ArgDef& arg, std::vector<AttrDef>* attrs) {
  for (AttrDef& attr : *attrs) {
    const bool is_length = attr.name == arg.number_attr && attr.type == AttrType{OPSRUN_ATTR_INT, false};
    const bool is_types = attr.name == arg.type_list_attr;
    if ((is_length || is_types) && !attr.minimum) attr.minimum = 1;
  }
}

bool IsResource(const ArgDef& arg) {
  return arg.dtype == DType::kResource;
}

void ApplyArgs(const std::vector<ArgDef>& args, OpDef* op) {
  for (const ArgDef& arg : args) {
    if (arg.is_list()) ApplyImplicitMinimum(arg, &op->attrs);
  }
  if (std::any_of(args.begin(), args.end(), IsResource)) op->flags |= OPSRUN_OP_STATEFUL;
}

}  // namespace

std::vector<SpecError> ParseOp(const OpStrings& strings, OpDef* op) {
  *op = {};
  op->name = strings.name;
  op->flags = strings.flags;
  op->deprecated_version = strings.deprecated_version;
  op->deprecated_text = strings.deprecated_text;

  std::vector<SpecError> errors;
  OpPlaces places;
  ParseAttrs(strings, op, &places, &errors);
  ParseArgs(strings.inputs, "Input", *op, &op->inputs, &places.inputs, &errors);
  ParseArgs(strings.outputs, "Output", *op, &op->outputs, &places.outputs, &errors);
  for (const std::string& spec : strings.control_outputs) {
    Add(ParseControlOutput(spec, &op->control_outputs.emplace_back()), &errors);
  }
  if (!errors.empty()) return errors;

  Add(ParseDoc(strings.doc, op), &errors);
  ApplyArgs(op->inputs, op);
  ApplyArgs(op->outputs, op);
  std::vector<SpecError> found = ValidateOp(strings, *op, places);
  errors.insert(errors.end(), found.begin(), found.end());
  return errors;
}

}  // namespace opsrun::host::spec
