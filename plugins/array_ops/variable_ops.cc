// plugins/array_ops/variable_ops.cc: Variable, Assign, AssignAdd, AssignSub and ReadVariable.
// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "indexed_ops.h"
#include "indices.h"
#include "opsrun/mutex.h"
#include "opsrun/op.h"
#include "opsrun/resource_mgr.h"

namespace array_ops {

// Thread-safe: each method is atomic.
class Variable : public ResourceBase {
 public:
  Variable(std::string name, DataType dtype, PartialTensorShape shape)
      : name(std::move(name)), dtype(dtype), shape(std::move(shape)) {}

  // Copies `value` into the variable. once: only if it has no value yet. INVALID_ARGUMENT: the shape does not match.
  Status Assign(const Tensor& value, bool once) {
    if (!shape.IsCompatibleWith(value.shape())) {
      return Wrong("value", name, " has the shape ", shape.DebugString(), ", but the shape of value is ",
                   value.shape().DebugString());
    }
    mutex_lock lock(mutex_);
    if (once && assigned_) return Status::OK();
    const char* const bytes = static_cast<const char*>(value.data());
    bytes_.assign(bytes, bytes + value.TotalBytes());
    size_ = value.shape();
    assigned_ = true;
    return Status::OK();
  }
  // Adds or subtracts. FAILED_PRECONDITION: there is no value yet.
  Status Update(const Tensor& amount, bool subtract) {
    mutex_lock lock(mutex_);
    if (!assigned_) return NotAssigned();
    if (amount.shape() != size_) {
      return Wrong("value", name, " holds a tensor of shape ", size_.DebugString(), ", but the shape of value is ",
                   amount.shape().DebugString());
    }
    VisitNumber(dtype, [&](auto element) {
      UpdateAll<typename decltype(element)::type>(bytes_.data(), amount.data(), size_.num_elements(), subtract);
    });
    return Status::OK();
  }
  // Makes output 0 a copy of the value. INVALID_ARGUMENT: the value's shape does not match `expected`.
  Status Read(const PartialTensorShape& expected, OpKernelContext* context) const {
    mutex_lock lock(mutex_);
    if (!assigned_) return NotAssigned();
    if (!expected.IsCompatibleWith(size_)) {
      return errors::InvalidArgument(name, " holds a tensor of shape ", size_.DebugString(),
                                     ", but this node asks for ", expected.DebugString())
          .Blame("attr:shape");
    }
    Tensor* value = nullptr;
    TF_RETURN_IF_ERROR(context->allocate_output(0, size_, &value));
    if (!bytes_.empty()) std::memcpy(value->data(), bytes_.data(), bytes_.size());
    return Status::OK();
  }

  const std::string name;  // for messages
  const DataType dtype;
  const PartialTensorShape shape;  // sizes of -1, or an unknown rank, allow any size or rank

 private:
  template <typename T>
  static void UpdateAll(char* bytes, const void* amount, int64 n, bool subtract) {
    T* const value = reinterpret_cast<T*>(bytes);
    const T* const by = static_cast<const T*>(amount);
    for (int64 i = 0; i < n; ++i) {
      value[i] = subtract ? Combine(value[i], by[i], std::minus<>()) : Combine(value[i], by[i], std::plus<>());
    }
  }
  Status NotAssigned() const {
    return errors::FailedPrecondition(name, " has no value yet; assign one first, and put that node in 'after'")
        .Blame("input:resource");
  }

  mutable mutex mutex_;
  bool assigned_ TF_GUARDED_BY(mutex_) = false;
  TensorShape size_ TF_GUARDED_BY(mutex_);
  std::vector<char> bytes_ TF_GUARDED_BY(mutex_);
};

namespace {

using namespace shape_inference;

class VariableOp : public ResourceOpKernel<Variable> {
 public:
  explicit VariableOp(OpKernelConstruction* context) : ResourceOpKernel<Variable>(context) {
    OP_REQUIRES_OK(context, context->GetAttr("shared_name", &shared_name_));
    OP_REQUIRES_OK(context, context->GetAttr("dtype", &dtype_));
    OP_REQUIRES_OK(context, context->GetAttr("shape", &shape_));
  }

 private:
  Status CreateResource(Variable** variable) override {
    const std::string origin = shared_name_.empty() ? "the variable of node '" + name() : "variable '" + shared_name_;
    *variable = new Variable(origin + "'", dtype_, shape_);
    return Status::OK();
  }

  Status VerifyResource(Variable* variable) override {
    const bool same_shape = variable->shape.DebugString() == shape_.DebugString();
    if (variable->dtype == dtype_ && same_shape) return Status::OK();
    return errors::InvalidArgument(variable->name, " is ", DataTypeName(variable->dtype), " ",
                                   variable->shape.DebugString(),
                                   " since another node made it so, but this node asks for ", DataTypeName(dtype_), " ",
                                   shape_.DebugString(), "; another shared_name makes another variable")
        .Blame("attr:shared_name");
  }

  std::string shared_name_;
  DataType dtype_ = DT_INVALID;
  PartialTensorShape shape_;
};

typedef core::RefCountPtr<Variable> VariablePtr;

Status Find(OpKernelContext* context, DataType dtype, VariablePtr* variable) {
  ResourceHandle handle;
  Status status = HandleFromInput(context, "resource", &handle);
  if (status.ok()) status = LookupResource(context, handle, variable);
  if (!status.ok()) return Wrong("resource", "resource must come from an op Variable. ", status.message());
  if ((*variable)->dtype == dtype) return status;
  return Wrong("resource", (*variable)->name, " is ", DataTypeName((*variable)->dtype), ", but this node asks for ",
               DataTypeName(dtype));
}

class AssignOp : public OpKernel {
 public:
  explicit AssignOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("once", &once_));
  }

  void Compute(OpKernelContext* context) override {
    VariablePtr variable;
    OP_REQUIRES_OK(context, Find(context, context->input(1).dtype(), &variable));
    OP_REQUIRES_OK(context, variable->Assign(context->input(1), once_));
  }

 private:
  bool once_ = false;
};

template <bool kSubtract>
Status Update(OpKernelContext* context) {
  VariablePtr variable;
  TF_RETURN_IF_ERROR(Find(context, context->input(1).dtype(), &variable));
  return variable->Update(context->input(1), kSubtract);
}

class ReadVariableOp : public OpKernel {
 public:
  explicit ReadVariableOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("shape", &shape_));
  }

  void Compute(OpKernelContext* context) override {
    VariablePtr variable;
    OP_REQUIRES_OK(context, Find(context, context->expected_output_dtype(0), &variable));
    OP_REQUIRES_OK(context, variable->Read(shape_, context));
  }

 private:
  PartialTensorShape shape_;
};

Status CheckHandle(InferenceContext* c) {
  return CheckScalar(c, 0, "resource");
}

Status ReadShapeFn(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckHandle(c));
  return shape_inference::ExplicitShape(c);
}

#define VARIABLE_TYPES "{numbertype, bool}"

REGISTER_OP("Variable")
    .Output("resource: resource")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("dtype: " VARIABLE_TYPES)
    .Attr("shape: shape")
    .SetIsStateful()
    .SetShapeFn(shape_inference::ScalarShape)
    .NotDifferentiable()
    .Doc(R"doc(
Makes a variable: a tensor that nodes and runs share.

It has no value when a program starts, and lives to its end: what one run assigns, the next one reads. ReadVariable,
Assign, AssignAdd and AssignSub use it. They may run at the same time, in any order except that of their inputs and of
`after`.

resource: A scalar, the handle for these ops.
container: A room of names: variables of one name in two containers are two variables.
shared_name: Nodes that give the same name have the same variable. Without a name, a node has a variable of its own.
dtype: The type of the value. TensorFlow's variables may be strings and 8-bit floats as well.
shape: The shape of the value; -1 is any size.
)doc");

REGISTER_OP("Assign")
    .Input("resource: resource")
    .Input("value: dtype")
    .Attr("dtype: " VARIABLE_TYPES)
    .Attr("once: bool = false")
    .SetIsStateful()
    .SetShapeFn(CheckHandle)
    .NotDifferentiable()
    .Doc(R"doc(
Gives a variable a value.

resource: A handle from Variable, of the type of the value.
value: The new value.
once: Only if the variable has no value yet: the first of many runs sets where they begin.
)doc");

#define REGISTER_UPDATE_OP(name)   \
  REGISTER_OP(name)                \
      .Input("resource: resource") \
      .Input("value: dtype")       \
      .Attr("dtype: numbertype")   \
      .SetIsStateful()             \
      .SetShapeFn(CheckHandle)     \
      .NotDifferentiable()

REGISTER_UPDATE_OP("AssignAdd").Doc(R"doc(
Adds to the value of a variable. Nothing else reads or changes the variable at the same time.

resource: A handle from Variable, of the type of the value. The variable must have a value.
value: What is added, in the shape of the variable's value. Integers wrap on overflow.
)doc");

REGISTER_UPDATE_OP("AssignSub").Doc(R"doc(
Subtracts from the value of a variable. Nothing else reads or changes the variable at the same time.

resource: A handle from Variable, of the type of the value. The variable must have a value.
value: What is subtracted, in the shape of the variable's value. Integers wrap on overflow.
)doc");

REGISTER_OP("ReadVariable")
    .Input("resource: resource")
    .Output("value: dtype")
    .Attr("dtype: " VARIABLE_TYPES)
    .Attr("shape: shape = { unknown_rank: true }")
    .SetIsStateful()
    .SetShapeFn(ReadShapeFn)
    .NotDifferentiable()
    .Doc(R"doc(
Reads the value of a variable, which must have one.

resource: A handle from Variable, of this type.
value: A copy of the value: it stays the same when the variable changes.
dtype: The type of the value.
shape: The shape of the value, or what is known of it. With it, memory is planned before the run.
)doc");

REGISTER_KERNEL_BUILDER(Name("Variable").Device(DEVICE_CPU), VariableOp);
REGISTER_KERNEL_BUILDER(Name("Assign").Device(DEVICE_CPU), AssignOp);
REGISTER_KERNEL_BUILDER(Name("AssignAdd").Device(DEVICE_CPU), FunctionOp<Update<false>>);
REGISTER_KERNEL_BUILDER(Name("AssignSub").Device(DEVICE_CPU), FunctionOp<Update<true>>);
REGISTER_KERNEL_BUILDER(Name("ReadVariable").Device(DEVICE_CPU), ReadVariableOp);

}  // namespace
}  // namespace array_ops
