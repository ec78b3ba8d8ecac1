// adapters/onnxruntime/native/shapes.cc: shape functions of ops as those of ONNX Runtime.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <map>

#include "op.h"

namespace opsrun_onnx {
namespace {

struct Known {
  const DataType* type;
  int32_t rank;  // -1: unknown
  std::vector<int64_t> sizes;
  std::vector<std::string> names;  // of unknown sizes; empty if it has none
  std::vector<uint32_t> symbols;
};

// ONNX Runtime shows a shape of unknown rank as that of a scalar, so both count as unknown.
Known ReadInput(const OrtApi& api, OrtShapeInferContext* context, size_t i) {
  OrtTensorTypeAndShapeInfo* info = nullptr;  // belongs to the context
  Require(api, api.ShapeInferContext_GetInputTypeShape(context, i, &info));
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  size_t rank = 0;
  Require(api, api.GetTensorElementType(info, &type));
  Require(api, api.GetDimensionsCount(info, &rank));
  Known known{FindOnnxType(type), rank == 0 ? -1 : static_cast<int32_t>(rank), std::vector<int64_t>(rank), {}, {}};
  if (known.type == nullptr || rank > OPSRUN_MAX_RANK) {
    throw Failure(OPSRUN_INVALID_ARGUMENT, "the type of input " + std::to_string(i) + " is not known");
  }
  std::vector<const char*> names(rank, nullptr);
  Require(api, api.GetDimensions(info, known.sizes.data(), rank));
  Require(api, api.GetSymbolicDimensions(info, names.data(), rank));
  for (size_t k = 0; k < rank; ++k) known.names.emplace_back(names[k] == nullptr ? "" : names[k]);
  return known;
}

// Equal names of sizes become equal symbols.
void SetSymbols(std::vector<Known>* inputs) {
  std::map<std::string, uint32_t> symbols;
  for (Known& input : *inputs) {
    for (size_t k = 0; k < input.names.size(); ++k) {
      const bool has_name = input.sizes[k] < 0 && !input.names[k].empty();
      const auto next = static_cast<uint32_t>(symbols.size() + 1);
      input.symbols.push_back(has_name ? symbols.emplace(input.names[k], next).first->second : 0);
      if (input.sizes[k] < 0) input.sizes[k] = -1;
    }
  }
}

// Names the unknown sizes of one node. ONNX Runtime takes sizes of one name for equal, so other names are new.
class Names {
 public:
  Names(const opsrun_shapes_info& info, const std::vector<Known>& inputs)
      : info_(info), inputs_(inputs), names_(info.n_sizes) {}

  const std::string& Of(uint32_t i) {
    const opsrun_size& size = info_.sizes[i];
    std::string& name = names_[i];
    if (!name.empty() || size.kind == OPSRUN_SIZE_KNOWN) return name;
    if (size.kind == OPSRUN_SIZE_INPUT && size.a < inputs_.size() && size.b < inputs_[size.a].names.size()) {
      name = inputs_[size.a].names[size.b];
    }
    static std::atomic<uint64_t> n{0};
    if (name.empty()) name = "opsrun_" + std::to_string(++n);
    return name;
  }

 private:
  const opsrun_shapes_info& info_;
  const std::vector<Known>& inputs_;
  std::vector<std::string> names_;
};

void SetOutput(const OrtApi& api, OrtShapeInferContext* context, uint32_t i, int32_t dtype,
               const opsrun_shapes_info& shapes, Names* names) {
  const opsrun_size_list& shape = shapes.outputs[i];
  const DataType* const type = FindType(dtype);
  if (shape.rank < 0 || type == nullptr) return;
  std::vector<int64_t> sizes;
  std::vector<const char*> texts;
  for (int32_t k = 0; k < shape.rank; ++k) {
    const opsrun_size& size = shapes.sizes[shape.sizes[k]];
    sizes.push_back(size.kind == OPSRUN_SIZE_KNOWN ? size.value : -1);
    texts.push_back(names->Of(shape.sizes[k]).c_str());
  }
  OrtTensorTypeAndShapeInfo* info = nullptr;
  Require(api, api.CreateTensorTypeAndShapeInfo(&info));
  const Owned<OrtTensorTypeAndShapeInfo> owned(info, api.ReleaseTensorTypeAndShapeInfo);
  Require(api, api.SetTensorElementType(info, type->onnx));
  Require(api, api.SetDimensions(info, sizes.data(), sizes.size()));
  Require(api, api.SetSymbolicDimensions(info, texts.data(), texts.size()));
  Require(api, api.ShapeInferContext_SetOutputTypeShape(context, i, info));
}

}  // namespace

void InferShapes(const CustomOp& op, OrtShapeInferContext* context) {
  const OrtApi& api = op.api();
  const std::string& what = op.spec().full_name;
  size_t n = 0;
  Require(api, api.ShapeInferContext_GetInputCount(context, &n));
  std::vector<Known> inputs;
  std::vector<const DataType*> types;
  for (size_t i = 0; i < n; ++i) {
    inputs.push_back(ReadInput(api, context, i));
    types.push_back(inputs.back().type);
  }
  SetSymbols(&inputs);
  const NodeOp node = TypeNode(op.spec(), ShapeNode(api, context), types, op.runtime(), what);
  const opsrun_typed_op_info& typed = *opsrun_typed_op_get(node.typed.get());
  if (!node.hidden.empty() || typed.has_shape_function == 0) return;
  std::vector<opsrun_known_input> known;
  for (const Known& input : inputs) {
    opsrun_known_input& each = known.emplace_back();
    each.shape = {input.rank, 0, input.sizes.data(), input.symbols.data()};
    each.as_shape.rank = -1;
  }
  const auto shapes = opsrun_adapter::InferShapes(node.typed.get(), known, what);
  const opsrun_shapes_info& info = *opsrun_shapes_get(shapes.get());
  Names names(info, inputs);
  // ONNX Runtime does not check that the node has the output.
  const uint32_t n_outputs = std::min(info.n_outputs, op.least_outputs());
  for (uint32_t i = 0; i < n_outputs; ++i) SetOutput(api, context, i, typed.out_types[i], info, &names);
}

}  // namespace opsrun_onnx
