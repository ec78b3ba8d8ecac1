// opsrun/shape_inference.h: InferenceContext, the argument of a shape function.
//
// A shape function reads the shapes of the inputs and sets the shapes of the outputs. It runs while the graph is
// planned, may see unknown sizes or unknown shapes, and may run several times. A context belongs to one thread and must
// not be used after the shape function returns.
//
// Methods with an out-pointer return a Status and leave the result unset on failure; the result may be the same object
// as an argument. Methods that return a handle fail the running shape function on invalid arguments, such as a
// dimension that is out of range.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "opsrun/array_slice.h"
#include "opsrun/c_api.h"
#include "opsrun/internal/attrs.h"
#include "opsrun/internal/shape_handles.h"
#include "opsrun/namespace.h"
#include "opsrun/status.h"
#include "opsrun/tensor.h"
#include "opsrun/tensor_shape.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
class TensorShapeProto;

namespace shape_inference {

class InferenceContext : public internal::HandleShapes {
 public:
  static constexpr int64_t kUnknownDim = -1;
  static constexpr int32_t kUnknownRank = -1;

  explicit InferenceContext(opsrun_shape_call* call)
      : HandleShapes(*call), call_(call), outputs_(call->n_out), inputs_(call->n_in) {}
  InferenceContext(const InferenceContext&) = delete;
  InferenceContext& operator=(const InferenceContext&) = delete;
  ~InferenceContext();
  ReturnedStatus construction_status() const { return Status(); }

  // Returns fn(this). If it fails, the shapes and values that it used are added to the message.
  template <typename Fn>
  ReturnedStatus Run(const Fn& fn) {
    return Explained(fn(this));
  }

  // Inputs, with lists flattened. The named form returns those of one argument. INTERNAL: there is no such argument.
  int num_inputs() const { return static_cast<int>(call_->n_in); }
  ShapeHandle input(int64_t i) const {
    const uint32_t at = CheckIndex(i, call_->n_in, "input");
    return inputs_[at].replaced ? inputs_[at].shape : ShapeHandle(call_->in[at]);
  }
  ReturnedStatus input(std::string_view name, std::vector<ShapeHandle>* shapes) const;
  // SetInput replaces the shape of input i, MergeInput merges a shape into it. MergeInput returns false if the shape
  // adds no information or is incompatible. Only this context sees the change.
  void SetInput(int64_t i, ShapeHandle shape);
  bool MergeInput(int64_t i, ShapeHandle shape);

  // The value of input i, or NULL if it is not known before the run. In that case the function runs again once the
  // value is known.
  const Tensor* input_tensor(int64_t i) { return WantValue(i); }
  void request_input_tensor(int64_t i) { WantValue(i); }
  bool requested_input_tensor(int64_t i) const { return inputs_[CheckIndex(i, call_->n_in, "input")].wanted; }
  // For each input, the shape that its value represents, as far as it is known: unset, or with unknown dimensions.
  std::vector<ShapeHandle> input_tensors_as_shapes();
  void request_input_tensor_as_partial_shape(int64_t i) { WantSpelled(i); }
  bool requested_input_tensor_as_partial_shape(int64_t i) const {
    return inputs_[CheckIndex(i, call_->n_in, "input")].wanted_as_shape;
  }
  // The known elements of input i, row-major; nothing if the input may have more than OPSRUN_MAX_RANK elements.
  // input_elements requests the value as input_tensor does. passed_elements is for functions that only copy elements to
  // set_output_elements: no node runs ahead of time for it, and it returns nothing unless the shape of the input is
  // known. (These methods are specific to opsrun.)
  std::optional<std::vector<KnownElement>> input_elements(int64_t i);
  std::optional<std::vector<KnownElement>> passed_elements(int64_t i);
  // Override the values of the first inputs. NULL or unset means no override. The values must outlive the context.
  void set_input_tensors(const std::vector<const Tensor*>& values);
  void set_input_tensors_as_shapes(const std::vector<ShapeHandle>& shapes);

  // Outputs, with lists flattened. An output that is never set has an unknown shape. The named forms get and set all
  // outputs of one argument. They fail if there is no such argument or if its length differs.
  int num_outputs() const { return static_cast<int>(call_->n_out); }
  ShapeHandle output(int64_t i) const { return outputs_[CheckIndex(i, call_->n_out, "output")]; }
  ReturnedStatus output(std::string_view name, std::vector<ShapeHandle>* shapes) const;
  void set_output(int64_t i, ShapeHandle shape);
  ReturnedStatus set_output(std::string_view name, const std::vector<ShapeHandle>& shapes);
  // OK if `count` is the number of outputs, which the attrs determine; otherwise a failure.
  ReturnedStatus ExpandOutputs(int64_t count);

  // Sets what the elements of output i will be, row-major, as far as it is known. Shape functions that read the value
  // get them, with unknown dimensions that are known to be equal. Has no effect for more than OPSRUN_MAX_RANK elements,
  // and for types other than 32-bit and 64-bit integers. If the output has another number of elements, the function
  // fails. The second form sets them to the sizes of `shape`. (TensorFlow does this for a fixed list of ops.)
  // opsrun/elements.h has functions that compute elements.
  void set_output_elements(int64_t i, const std::vector<KnownElement>& elements);
  void set_output_tensor_as_shape(int64_t i, ShapeHandle shape);

  // NOT_FOUND: the op has no such attr. INVALID_ARGUMENT: the attr is of another kind, or its value does not fit.
  template <typename T>
  ReturnedStatus GetAttr(std::string_view name, T* value) const {
    return internal::ReadAttr(attrs(), name, value);
  }
  internal::AttrList attrs() const { return {call_->attrs, call_->n_attrs}; }

  // The maximum: graphs of opsrun are not versioned. There are no library functions.
  int graph_def_version() const { return std::numeric_limits<int>::max(); }
  DataTypeVector ret_types() const { return {}; }

  // Ranks and sizes; -1 means unknown.
  static int32_t Rank(ShapeHandle s) { return s.rank(); }
  static bool RankKnown(ShapeHandle s) { return s.rank() >= 0; }
  static int64_t Value(DimensionOrConstant d) { return d.dim.IsSet() ? d.dim.value() : d.val; }
  static bool ValueKnown(DimensionOrConstant d) { return Value(d) >= 0; }
  static bool FullyDefined(ShapeHandle s);

  // Dimension i; a negative i counts from the end. If the rank is unknown: a new unknown dimension.
  DimensionHandle Dim(ShapeHandle s, int64_t i) { return RankKnown(s) ? DimKnownRank(s, i) : UnknownDim(); }
  static DimensionHandle DimKnownRank(ShapeHandle s, int64_t i);

  // The product of the sizes: 0 if one of them is 0, otherwise unknown if one of them is unknown. Fails the function if
  // the product does not fit an int64.
  DimensionHandle NumElements(ShapeHandle s);

  // A shape: "[2,?]", or "?" for an unknown rank. A dimension: "2" or "?".
  static std::string DebugString(ShapeHandle s);
  static std::string DebugString(DimensionHandle d);
  // "[2,?]:float32", and "[[2,?]:float32,?:int32]".
  static std::string DebugString(const ShapeAndType& s);
  static std::string DebugString(gtl::ArraySlice<ShapeAndType> shapes);
  // "[2,?];[1]=<3> -> [2,3]": the inputs, with the known values that the function asked for, and the outputs.
  std::string DebugString() const;

  // Returns s itself if its rank matches or is not known to differ. If the rank of s is unknown, WithRank returns a
  // shape of `rank` unknown dimensions.
  ReturnedStatus WithRank(ShapeHandle s, int64_t rank, ShapeHandle* out);
  ReturnedStatus WithRankAtLeast(ShapeHandle s, int64_t rank, ShapeHandle* out) {
    return WithRankBound(s, rank, "at least", Rank(s) >= rank, out);
  }
  ReturnedStatus WithRankAtMost(ShapeHandle s, int64_t rank, ShapeHandle* out) {
    return WithRankBound(s, rank, "at most", Rank(s) <= rank, out);
  }
  // Returns d itself if it has that value. If d is unknown, returns a dimension that has it.
  ReturnedStatus WithValue(DimensionHandle d, int64_t value, DimensionHandle* out);

  // Returns the common refinement of both; fails if they cannot be equal. An argument that is at least as specific as
  // the other one is itself the result. The host records which dimensions are equal.
  ReturnedStatus Merge(DimensionHandle d, DimensionHandle e, DimensionHandle* out);
  ReturnedStatus Merge(ShapeHandle s, ShapeHandle t, ShapeHandle* out);
  // Merges prefix with the leading dimensions of s, which must have at least as many dimensions.
  ReturnedStatus MergePrefix(ShapeHandle s, ShapeHandle prefix, ShapeHandle* s_out, ShapeHandle* prefix_out);

  // The dimensions start, start + stride, ... before end. Negative positions count from the end; positions past the end
  // are clamped to it.
  ReturnedStatus Subshape(ShapeHandle s, int64_t start, ShapeHandle* out) { return Subshape(s, start, kEnd, 1, out); }
  ReturnedStatus Subshape(ShapeHandle s, int64_t start, int64_t end, ShapeHandle* out) {
    return Subshape(s, start, end, 1, out);
  }
  ReturnedStatus Subshape(ShapeHandle s, int64_t start, int64_t end, int64_t stride, ShapeHandle* out);
  ReturnedStatus Concatenate(ShapeHandle s, ShapeHandle t, ShapeHandle* out);
  // A negative i counts from the end.
  ReturnedStatus ReplaceDim(ShapeHandle s, int64_t i, DimensionHandle d, ShapeHandle* out);

  // New shapes and dimensions. A size of -1, or UnknownShapeOfRank(-1), is unknown.
  ShapeHandle MakeShape(std::initializer_list<DimensionOrConstant> dims);
  ShapeHandle MakeShape(const std::vector<DimensionHandle>& dims);
  ShapeHandle UnknownShape();
  ShapeHandle UnknownShapeOfRank(int64_t rank);
  ShapeHandle Scalar() { return MakeShape({}); }
  ShapeHandle Vector(DimensionOrConstant size) { return MakeShape({size}); }
  ShapeHandle Matrix(DimensionOrConstant rows, DimensionOrConstant columns) { return MakeShape({rows, columns}); }
  DimensionHandle MakeDim(DimensionOrConstant d);
  // The element as a size; a new unknown dimension if it is not known to be a size.
  DimensionHandle SizeOf(const KnownElement& element);
  DimensionHandle UnknownDim() { return MakeDim(kUnknownDim); }

  ReturnedStatus MakeShapeFromTensorShape(const TensorShape& shape, ShapeHandle* out);
  ReturnedStatus MakeShapeFromShapeProto(const PartialTensorShape& shape, ShapeHandle* out) {
    return MakeShapeFromPartialTensorShape(shape, out);
  }
  ReturnedStatus MakeShapeFromPartialTensorShape(const PartialTensorShape& shape, ShapeHandle* out);
  // Writes the shape to a TensorShapeProto. An unknown size is -1.
  template <typename Proto>
  static void ShapeHandleToProto(ShapeHandle s, Proto* proto) {
    proto->Clear();
    proto->set_unknown_rank(!RankKnown(s));
    for (int32_t i = 0; i < Rank(s); ++i) proto->add_dim()->set_size(Value(DimKnownRank(s, i)));
  }
  template <typename Proto = TensorShapeProto>
  static Proto ShapeHandleToProto(ShapeHandle s) {
    Proto proto;
    ShapeHandleToProto(s, &proto);
    return proto;
  }

  // The shape that the value of input i represents, as far as it is known; a -1 in the value is an unknown dimension.
  // If nothing is known, the result has as many unknown dimensions as the input has elements. The input must be a
  // vector. The second form also accepts the scalar -1, which means an unknown shape.
  ReturnedStatus MakeShapeFromShapeTensor(int64_t i, ShapeHandle* out);
  ReturnedStatus MakeShapeFromShapeTensorTreatScalarAsUnknownShape(int64_t i, ShapeHandle* out);
  // The same for a given tensor. NULL: a tensor of shape tensor_shape whose value is unknown.
  ReturnedStatus MakeShapeFromTensor(const Tensor* t, ShapeHandle tensor_shape, ShapeHandle* out);

  // The only element of an int32 or int64 tensor, or element i of such a vector. NULL is an error.
  template <typename Int64>
  ReturnedStatus GetScalarFromTensor(const Tensor* t, Int64* value);
  template <typename Int64>
  ReturnedStatus GetScalarFromTensor(const Tensor* t, int64_t i, Int64* value);

  // The value of the scalar input i as a size or, in the second form, as an axis of a tensor of `rank` dimensions (-1:
  // unknown), where a negative axis counts from the end. The result is unknown while the value is unknown.
  ReturnedStatus MakeDimForScalarInput(int64_t i, DimensionHandle* out);
  ReturnedStatus MakeDimForScalarInputWithNegativeIndexing(int64_t i, int rank, DimensionHandle* out);

  // Arithmetic. Fails if the result is negative or does not fit an int64. The result is the handle of an operand if it
  // is equal to that operand (x + 0, x * 1, min and max). It is unknown if an operand is unknown, unless the other
  // operand alone determines it (x * 0, min(x, 0)).
  ReturnedStatus Add(DimensionHandle d, DimensionOrConstant e, DimensionHandle* out);
  ReturnedStatus Subtract(DimensionHandle d, DimensionOrConstant e, DimensionHandle* out);
  ReturnedStatus Multiply(DimensionHandle d, DimensionOrConstant e, DimensionHandle* out);
  ReturnedStatus Divide(DimensionHandle d, DimensionOrConstant divisor, bool evenly, DimensionHandle* out);
  ReturnedStatus Min(DimensionHandle d, DimensionOrConstant e, DimensionHandle* out);
  ReturnedStatus Max(DimensionHandle d, DimensionOrConstant e, DimensionHandle* out);

 private:
  static constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();

  // The primitives of the host. `dims` are the dimensions of the shape; they are ignored if the rank is kUnknownRank.
  Status Make(int32_t rank, const opsrun_dim* const* dims, ShapeHandle* out);
  Status NewShape(const std::vector<DimensionHandle>& dims, ShapeHandle* out);
  Status NewUnknownShape(int64_t rank, ShapeHandle* out);
  Status NewDim(int64_t value, DimensionHandle* out);
  Status WithRankBound(ShapeHandle s, int64_t rank, const char* bound, bool holds, ShapeHandle* out);
  Status Equate(DimensionHandle d, DimensionHandle e);
  Status Ask(uint32_t dim_op, DimensionHandle d, DimensionOrConstant e, DimensionHandle* out);

  // Sets *out to d as a handle.
  Status Give(DimensionOrConstant d, DimensionHandle* out);

  // For methods that return a handle: fails the shape function unless the status is OK.
  static void Require(const Status& status) {
    if (!status.ok()) internal::Fail(status);
  }

  // INVALID_ARGUMENT that names the input from which the shape or dimension came. It takes a list, because a template
  // would be instantiated for every message.
  typedef std::initializer_list<internal::Piece> Sentence;
  template <typename About>
  Status Error(About about, Sentence sentence) const {
    return internal::Invalid(sentence).Blame(SubjectOf(about));
  }
  // The same for two shapes or dimensions that contradict each other.
  template <typename About>
  Status Conflict(About about, About other, Sentence sentence) const {
    return internal::Invalid(sentence).Blame(SubjectsOf(about, other));
  }
  // "input:x input:y", without those that are unknown.
  template <typename About>
  std::string SubjectsOf(About about, About other) const {
    const std::string first = SubjectOf(about), second = SubjectOf(other);
    if (first == second || second.empty()) return first;
    return first.empty() ? second : first + ' ' + second;
  }
  std::string SubjectOf(ShapeHandle s) const;
  std::string SubjectOf(DimensionHandle d) const;
  std::string SubjectOf(int64_t input) const;
  Status Explained(Status status) const;

  static Status FindArg(const opsrun_arg* args, uint32_t n_args, const char* what, std::string_view name,
                        const opsrun_arg** found);

  // The replaced shape of an input, if any, and what is known of its value.
  struct Input {
    ShapeHandle shape, given_spelled;
    const opsrun_tensor* view = nullptr;  // set by the first request
    const Tensor* given = nullptr;
    bool replaced = false, wanted = false, wanted_as_shape = false;
  };
  static std::string ValueText(const Input& input);
  // Requests the value of input i: as a tensor, or its elements as dimensions, which may not be sizes; NULL or unset if
  // unknown.
  const Tensor* WantValue(int64_t i);
  ShapeHandle WantSpelled(int64_t i);
  std::optional<std::vector<KnownElement>> ReadElements(int64_t i);
  // Elements as sizes. Fails for a number below -1.
  Status ReadSizes(ShapeHandle elements, ShapeHandle* out);
  static KnownElement ElementOf(const opsrun_dim& dim);
  const opsrun_dim* DimOf(const KnownElement& element);
  static Status UnknownValue();
  static Status ReadInt(const Tensor& t, int64_t i, int64_t* value);
  Status MakeShapeFromValue(int64_t i, ShapeHandle tensor_shape, ShapeHandle* out);

  opsrun_shape_call* call_;
  std::vector<ShapeHandle> outputs_;
  std::vector<Input> inputs_;
};

}  // namespace shape_inference
}  // namespace OPSRUN_HIDDEN

#include "opsrun/internal/infer_dims.h"
#include "opsrun/internal/infer_io.h"
#include "opsrun/internal/infer_shapes.h"
