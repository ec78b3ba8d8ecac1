// tests/vectors/pad.cc: the plugin pad, opened as a run opens it: once with shapes and values known to the plan, and
// once with nothing known but the data types.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstring>
#include <stdexcept>
#include <utility>

#include "host/run/host_table.h"
#include "tests/vectors/element.h"
#include "tests/vectors/one_node.h"
#include "tests/vectors/section.h"

namespace opsrun::vectors {

using host::DType;
using host::Shape;
using host::Tensor;

namespace {

// What the plugin says, and the vectors' word for it. The first one that fits.
constexpr std::pair<std::string_view, std::string_view> kKinds[] = {{"may have at most", "rank"},
                                                                    {"must be a matrix of 2 columns", "paddings_shape"},
                                                                    {"must have a row for each", "paddings_rank"},
                                                                    {"must not be negative", "negative"},
                                                                    {"must be a scalar", "constant_not_scalar"},
                                                                    {"allows borders of at most", "mirror_too_big"},
                                                                    {"REFLECT needs an element", "mirror_too_big"}};

std::string KindOf(const std::string& message) {
  for (const auto& [part, kind] : kKinds) {
    if (message.find(part) != std::string::npos) return std::string(kind);
  }
  return message;
}

// Of nested lists, going by the first of each; whether the others fit, the number of elements tells.
Shape ShapeOf(const Tree& nested) {
  Shape shape;
  for (const Tree* level = &nested; level->kind == Tree::Kind::kList; level = level->items.data()) {
    shape.push_back(static_cast<int64_t>(level->items.size()));
    if (level->items.empty()) break;
  }
  return shape;
}

void AppendNumbers(const Tree& nested, std::vector<Tree>* numbers) {
  if (nested.kind != Tree::Kind::kList) return numbers->push_back(nested);
  for (const Tree& item : nested.items) AppendNumbers(item, numbers);
}

// {shape, values}, or nested lists.
Tensor TensorOf(const Tree& tree, DType dtype) {
  Shape shape;
  std::vector<Tree> numbers;
  if (tree.kind == Tree::Kind::kMap) {
    CheckFields(tree, {"shape", "values"});
    for (const Tree& size : tree["shape"].AsList()) shape.push_back(size.AsInt());
    numbers = tree["values"].AsList();
  } else {
    shape = ShapeOf(tree);
    AppendNumbers(tree, &numbers);
  }
  host::Result<Tensor> tensor = Tensor::Create(dtype, shape);
  if (!tensor.ok()) throw std::runtime_error(tensor.status().message());
  std::string bytes;
  for (const Tree& number : numbers) bytes += ElementOf(number, dtype);
  if (bytes.size() != tensor->num_bytes()) throw std::runtime_error("the values do not fill the shape");
  if (!bytes.empty()) std::memcpy(tensor->mutable_data(), bytes.data(), bytes.size());
  return *std::move(tensor);
}

std::string Text(const Tensor& tensor) {
  std::string text = host::ShapeText(tensor.shape());
  const auto* bytes = static_cast<const char*>(tensor.data());
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    text += " " + ElementText(bytes + static_cast<size_t>(i) * host::DTypeSize(tensor.dtype()), tensor.dtype());
  }
  return text;
}

NodeRun RunOf(const Tree& entry, DType dtype) {
  NodeRun run;
  run.op = entry.Text("op");
  run.mode = entry.Text("mode");
  const Tree* paddings_dtype = entry.Find("paddings_dtype");
  run.inputs = {TensorOf(entry["input"], dtype),
                TensorOf(entry["paddings"],
                         paddings_dtype == nullptr ? DType{OPSRUN_DT_INT32} : TypeOf(paddings_dtype->AsText()))};
  if (const Tree* constant = entry.Find("constant_values")) run.inputs.push_back(TensorOf(*constant, dtype));
  return run;
}

// As much as the case names. A plan's refusal has no code of its own.
std::string FailText(const Tree& fails, const std::string& code, const std::string& kind) {
  std::string text = "fails";
  if (fails.Find("code") != nullptr) text += " " + (code.empty() ? fails.Text("code") : code);
  if (fails.Find("kind") != nullptr) text += ": " + kind;
  return text;
}

std::string FoundText(const NodeResult& result, const Tree* fails) {
  if (result.ok()) return Text(result.output);
  if (fails == nullptr) return "fails: " + result.message;
  return FailText(*fails, result.code == OPSRUN_OK ? "" : host::CodeName(result.code), KindOf(result.message));
}

const host::LoadResult& Plugin() {
  static const host::LoadResult loaded = host::LoadFile(OPSRUN_PAD_PLUGIN, host::HostTable());
  if (!loaded.refused.empty()) throw std::runtime_error(loaded.refused[0].refusal.reason);
  return loaded;
}

}  // namespace

Verdict RunPad(const Tree& entry, const Tree&) {
  CheckFields(entry, {"id", "quirk", "op", "mode", "dtype", "paddings_dtype", "input", "paddings", "constant_values",
                      "gives", "fails"});
  const DType dtype = TypeOf(entry.Text("dtype"));
  if (dtype == OPSRUN_DT_STRING) return {{}, {}, "tensors of strings do not run yet"};
  const Tree* fails = entry.Find("fails");
  if (fails != nullptr) CheckFields(*fails, {"code", "kind"});
  NodeRun run = RunOf(entry, dtype);
  Verdict verdict;
  verdict.expected = fails != nullptr ? FailText(*fails, fails->Text("code"), fails->Text("kind"))
                                      : Text(TensorOf(entry["gives"], dtype));
  const NodeResult ran = RunNode(Plugin(), run);
  run.constants = true;
  const NodeResult known = RunNode(Plugin(), run);
  verdict.found = FoundText(ran, fails);
  // Of several mistakes, the plan may find another one first.
  const bool agree = known.ok() == ran.ok() && (!ran.ok() || Text(known.output) == Text(ran.output));
  if (!agree) verdict.found += "; where the plan knows the inputs: " + FoundText(known, fails);
  return verdict;
}

}  // namespace opsrun::vectors
