// tests/vectors/pad.cc: the plugin pad, opened as a run opens it: once with shapes and values known to the plan, and
// once with nothing known but the data types.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "tests/vectors/element.h"
#include "tests/vectors/one_node.h"
#include "tests/vectors/section.h"
#include "tests/vectors/tensor_of.h"

namespace opsrun::vectors {

using host::DType;
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

std::string TextAt(const Tensor& tensor, int64_t i) {
  if (tensor.dtype() == DType::kString) return fmt::format("'{}'", tensor.string(i));
  const auto* bytes = static_cast<const char*>(tensor.data());
  return ElementText(bytes + static_cast<size_t>(i) * host::DTypeSize(tensor.dtype()), tensor.dtype());
}

std::string Text(const Tensor& tensor) {
  std::string text = host::ShapeText(tensor.shape());
  for (int64_t i = 0; i < tensor.num_elements(); ++i) text += " " + TextAt(tensor, i);
  return text;
}

NodeRun RunOf(const Tree& entry, DType dtype) {
  NodeRun run;
  run.op = entry.Text("op");
  run.mode = entry.Text("mode");
  const Tree* paddings_dtype = entry.Find("paddings_dtype");
  run.inputs = {
      TensorOf(entry["input"], dtype),
      TensorOf(entry["paddings"], paddings_dtype == nullptr ? DType::kInt32 : TypeOf(paddings_dtype->AsText()))};
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

}  // namespace

Verdict RunPad(const Tree& entry, const Tree&) {
  CheckFields(entry, {"id", "quirk", "op", "mode", "dtype", "paddings_dtype", "input", "paddings", "constant_values",
                      "gives", "fails"});
  const DType dtype = TypeOf(entry.Text("dtype"));
  const Tree* fails = entry.Find("fails");
  if (fails != nullptr) CheckFields(*fails, {"code", "kind"});
  NodeRun run = RunOf(entry, dtype);
  Verdict verdict;
  verdict.expected = fails != nullptr ? FailText(*fails, fails->Text("code"), fails->Text("kind"))
                                      : Text(TensorOf(entry["gives"], dtype));
  const NodeResult ran = RunNode(PadPlugin(), run);
  run.constants = true;
  const NodeResult known = RunNode(PadPlugin(), run);
  verdict.found = FoundText(ran, fails);
  // Of several mistakes, the plan may find another one first.
  const bool agree = known.ok() == ran.ok() && (!ran.ok() || Text(known.output) == Text(ran.output));
  if (!agree) verdict.found += "; where the plan knows the inputs: " + FoundText(known, fails);
  return verdict;
}

}  // namespace opsrun::vectors
