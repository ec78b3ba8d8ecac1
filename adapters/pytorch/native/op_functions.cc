// adapters/pytorch/native/op_functions.cc
// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include "op_functions.h"

#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "adapters/common/engine.h"
#include "op.h"
#include "values.h"

namespace opsrun_torch {
namespace {

using opsrun_adapter::FloatOf;
using opsrun_adapter::IntOf;
using opsrun_adapter::StrOf;

std::vector<int64_t> ReadNumbers(PyObject* list) {
  std::vector<int64_t> numbers;
  ForEach(list, [&](PyObject* each) { numbers.push_back(PyLong_AsLongLong(each)); });
  return numbers;
}

// The op with these types and attrs. key: the bytes of a Key.
std::shared_ptr<const TypedOp> FindOp(PyObject* op, const char* key, Py_ssize_t size) {
  auto* const found = static_cast<Op*>(PyCapsule_GetPointer(op, nullptr));
  if (found == nullptr) throw PythonError();
  Key numbers(static_cast<size_t>(size) / sizeof(int64_t));
  std::memcpy(numbers.data(), key, numbers.size() * sizeof(int64_t));
  const Unlocked unlocked;
  return found->Find(numbers);
}

// Sizes and symbols, see opsrun_known_sizes.
struct Sizes {
  std::vector<int64_t> sizes;
  std::vector<uint32_t> symbols;

  void Read(PyObject* pair) {
    PyObject *its_sizes = nullptr, *its_symbols = nullptr;
    Parse(pair, "O!O!", &PyList_Type, &its_sizes, &PyList_Type, &its_symbols);
    sizes = ReadNumbers(its_sizes);
    for (const int64_t symbol : ReadNumbers(its_symbols)) symbols.push_back(static_cast<uint32_t>(symbol));
  }
  opsrun_known_sizes get() const { return {static_cast<int32_t>(sizes.size()), 0, sizes.data(), symbols.data()}; }
};

// What is known about the inputs of an op.
class KnownInputs {
 public:
  KnownInputs(const TypedOp& op, PyObject* list) {
    ForEach(list, [&](PyObject* each) {
      PyObject *shape = nullptr, *elements = nullptr;
      unsigned long long address = 0;
      Parse(each, "OKO", &shape, &address, &elements);
      Sizes& sizes = sizes_.emplace_back();
      sizes.Read(shape);
      opsrun_known_input& input =
          all_.emplace_back(opsrun_known_input{sizes.get(), nullptr, {-1, 0, nullptr, nullptr}});
      if (address != 0) {
        input.value = &values_.emplace_back(opsrun_array{reinterpret_cast<void*>(address), sizes.sizes.data(), nullptr,
                                                         op.in_types().at(all_.size() - 1)->opsrun, input.shape.rank});
      } else if (elements != Py_None) {
        sizes_.emplace_back().Read(elements);
        input.as_shape = sizes_.back().get();
      }
    });
  }
  const std::vector<opsrun_known_input>& all() const { return all_; }

 private:
  std::vector<opsrun_known_input> all_;
  std::deque<Sizes> sizes_;
  std::deque<opsrun_array> values_;
};

Object ListOrNone(const opsrun_size_list& list) {
  return list.rank < 0 ? Build("") : Numbers(list.sizes, static_cast<size_t>(list.rank));
}

// (type, shape, bytes)
Object ArrayOf(int32_t dtype, int32_t rank, const int64_t* shape, const void* data) {
  const TypeNumbers* const type = FindType(dtype);
  if (type == nullptr) Raise(OPSRUN_UNIMPLEMENTED, "a gradient has a tensor of a type that PyTorch does not have");
  return Build("iNy#", type->torch(), Numbers(shape, static_cast<size_t>(rank)).release(),
               static_cast<const char*>(data), static_cast<Py_ssize_t>(BytesOf(*type, rank, shape)));
}

// None for a value that PyTorch's arguments cannot express: the op then determines it itself.
Object ElementOf(const opsrun_attr& attr, size_t i) {
  switch (attr.kind & ~OPSRUN_ATTR_LIST) {
    case OPSRUN_ATTR_INT:
      return Build("L", static_cast<long long>(IntOf(attr, i)));
    case OPSRUN_ATTR_FLOAT:
      return Build("d", FloatOf(attr, i));
    case OPSRUN_ATTR_BOOL:
      return Object(PyBool_FromLong(IntOf(attr, i) != 0));
    case OPSRUN_ATTR_TYPE: {
      const TypeNumbers* const type = FindType(static_cast<int32_t>(IntOf(attr, i)));
      return type == nullptr ? Build("") : Build("i", type->torch());
    }
    case OPSRUN_ATTR_SHAPE: {
      const opsrun_partial& shape = attr.v.shapes[i];
      return shape.rank < 0 ? Build("") : Numbers(shape.dims, static_cast<size_t>(shape.rank));
    }
    case OPSRUN_ATTR_TENSOR: {
      const opsrun_tensor& tensor = *attr.v.tensors[i];
      return ArrayOf(tensor.dtype, tensor.rank, tensor.shape, tensor.data);
    }
    default:
      return Build(Text(StrOf(attr, i)));
  }
}

// (name, value): of an attr.
Object AttrOf(const opsrun_attr& attr) {
  const bool list = (attr.kind & OPSRUN_ATTR_LIST) != 0;
  Object value = list ? ListOf(attr.count, [&](size_t i) { return ElementOf(attr, i); }) : ElementOf(attr, 0);
  return Build("NN", Build(Text(attr.name)).release(), value.release());
}

Object OperandOf(const opsrun_operand& operand) {
  return Build("III", operand.kind, operand.index, operand.output);
}

Object CallOf(const opsrun_op_call& call) {
  const opsrun_typed_op_info& info = *opsrun_typed_op_get(call.op);
  Object inputs = ListOf(info.n_in, [&](size_t i) { return OperandOf(call.inputs[i]); });
  Object counts = ListOf(info.n_in_args, [&](size_t i) {
    const opsrun_arg& arg = info.in_args[i];
    return (arg.flags & OPSRUN_ARG_LIST) != 0 ? Build("I", arg.count) : Build("");
  });
  Object attrs = ListOf(info.n_attrs, [&](size_t i) { return AttrOf(info.attrs[i]); });
  return Build("NNNNN", Build(Text(info.plugin)).release(), Build(Text(info.name)).release(), inputs.release(),
               counts.release(), attrs.release());
}

}  // namespace

Object GradientOf(PyObject* args) {
  PyObject* op = nullptr;
  const char* key = nullptr;
  Py_ssize_t size = 0;
  Parse(args, "Oy#", &op, &key, &size);
  return Build("I", FindOp(op, key, size)->info().gradient);
}

Object Infer(PyObject* args) {
  PyObject *op = nullptr, *inputs = nullptr;
  const char* key = nullptr;
  Py_ssize_t size = 0;
  Parse(args, "Oy#O!", &op, &key, &size, &PyList_Type, &inputs);
  const std::shared_ptr<const TypedOp> typed = FindOp(op, key, size);
  const KnownInputs known(*typed, inputs);
  const auto found = [&] {
    const Unlocked unlocked;
    return opsrun_adapter::InferShapes(typed->get(), known.all(), typed->name());
  }();
  const opsrun_shapes_info& info = *opsrun_shapes_get(found.get());
  Object sizes = ListOf(info.n_sizes, [&](size_t i) {
    const opsrun_size& each = info.sizes[i];
    return Build("ILII", each.kind, static_cast<long long>(each.value), each.a, each.b);
  });
  Object outputs = ListOf(info.n_outputs, [&](size_t i) {
    return Build("iNN", typed->out_types()[i]->torch(), ListOrNone(info.outputs[i]).release(),
                 ListOrNone(info.as_shape[i]).release());
  });
  Object counts =
      ListOf(typed->info().n_out_args, [&](size_t i) { return Build("I", typed->info().out_args[i].count); });
  return Build("NNNN", sizes.release(), outputs.release(), Numbers(info.equal, 2 * size_t{info.n_equal}).release(),
               counts.release());
}

Object Differentiate(PyObject* args) {
  PyObject *op = nullptr, *shapes = nullptr;
  const char* key = nullptr;
  Py_ssize_t size = 0;
  Parse(args, "Oy#O", &op, &key, &size, &shapes);
  const std::shared_ptr<const TypedOp> typed = FindOp(op, key, size);
  std::deque<std::vector<int64_t>> sizes;
  std::vector<opsrun_known_sizes> known;
  if (shapes != Py_None) ForEach(shapes, [&](PyObject* shape) { sizes.push_back(ReadNumbers(shape)); });
  for (const auto& each : sizes) known.push_back({static_cast<int32_t>(each.size()), 0, each.data(), nullptr});
  const auto found = [&] {
    const Unlocked unlocked;  // may open plugins
    return opsrun_adapter::Differentiate(typed->get(), known, typed->name() + " cannot be differentiated");
  }();
  const opsrun_gradient_info& info = *opsrun_gradient_get(found.get());
  Object calls = ListOf(info.n_calls, [&](size_t i) { return CallOf(info.calls[i]); });
  Object constants = ListOf(info.n_constants, [&](size_t i) {
    const opsrun_array& array = info.constants[i];
    return ArrayOf(array.dtype, array.rank, array.shape, array.data);
  });
  Object of_inputs = ListOf(info.n_inputs, [&](size_t i) { return OperandOf(info.of_inputs[i]); });
  return Build("NNN", calls.release(), constants.release(), of_inputs.release());
}

}  // namespace opsrun_torch
