// adapters/onnxruntime/native/attributes.h: the attributes of a node of an ONNX model as attrs of an op.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/common/values.h"
#include "values.h"

namespace opsrun_onnx {

// How ONNX names the form of an attribute. kEmpty: no values are shown, since it is an empty list or text, or one of
// STRINGS, for which ONNX Runtime has no function; in a shape function it may also be a tensor.
enum class Form { kInt, kInts, kFloat, kFloats, kString, kTensor, kEmpty };

struct Attribute {
  Form form;
  std::vector<int64_t> ints;
  std::vector<float> floats;
  std::string text;
  std::shared_ptr<OrtValue> tensor;
};

// The attributes of one node.
class Node {
 public:
  virtual ~Node() = default;
  // Throws Failure.
  virtual std::optional<Attribute> Find(const std::string& name) const = 0;
};

// Of a node whose kernel is created.
class KernelNode : public Node {
 public:
  KernelNode(const OrtApi& api, const OrtKernelInfo* info) : api_(api), info_(info) {}
  std::optional<Attribute> Find(const std::string& name) const override;

  std::string name() const;
  // The types of the tensors. Throws Failure if one is missing, which opsrun's ops do not allow, or not a tensor.
  std::vector<const DataType*> InTypes() const;
  std::vector<const DataType*> OutTypes() const;

 private:
  using GetType = OrtStatus*(ORT_API_CALL*)(const OrtKernelInfo*, size_t, OrtTypeInfo**);
  const DataType* TypeOf(GetType get, size_t i, const char* what) const;

  const OrtApi& api_;
  const OrtKernelInfo* const info_;
};

// Of a node whose shapes are inferred.
class ShapeNode : public Node {
 public:
  ShapeNode(const OrtApi& api, OrtShapeInferContext* context) : api_(api), context_(context) {}
  std::optional<Attribute> Find(const std::string& name) const override;

 private:
  template <typename T>
  bool Read(const OrtOpAttr* attr, OrtOpAttrType type, std::vector<T>* values) const;

  const OrtApi& api_;
  OrtShapeInferContext* const context_;
};

// The attrs that a node sets, as values of opsrun. Others have their defaults.
class AttrValues : public opsrun_adapter::AttrList {
 public:
  explicit AttrValues(const Runtime& runtime) : runtime_(runtime) {}

  // False if a tensor is expected, but no value is shown. Throws Failure if the attribute has a form that does not fit.
  bool Add(const std::string& name, uint32_t kind, const Attribute& attribute);

  // The form that an attr must have in a node; nothing if none can express it, as for a list of shapes.
  static std::optional<Form> FormOf(uint32_t kind);

 private:
  const opsrun_tensor* Keep(const std::string& name, const Attribute& attribute);
  void AddTexts(const std::string& name, const opsrun_tensor& texts);

  const Runtime& runtime_;
  std::deque<View> views_;
  opsrun_adapter::Room<int64_t> sizes_;
  std::deque<std::shared_ptr<OrtValue>> values_;
};

}  // namespace opsrun_onnx
