// python/native/op.cc
// SPDX-License-Identifier: Apache-2.0
#include "op.h"

#include <nanobind/nanobind.h>
#include <structmember.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

#include "arrays.h"

namespace nb = nanobind;

namespace opsrun::python {
namespace {

// A kind of call that has occurred.
struct Remembered {
  Prepared* prepared = nullptr;   // owned
  std::string kinds;              // of the inputs: see KindOf
  PyObject* names = nullptr;      // of the keyword arguments, a tuple or null; owned
  std::vector<PyObject*> values;  // values of the keyword arguments, all immutable; owned
  PyObject* pack = nullptr;       // converts a list of outputs to the result; null for a single output; owned

  void Clear() {
    Py_XDECREF(reinterpret_cast<PyObject*>(std::exchange(prepared, nullptr)));
    Py_CLEAR(names);
    Py_CLEAR(pack);
    for (PyObject*& value : values) Py_CLEAR(value);
    values.clear();
  }
};

constexpr size_t kRemembered = 8;

struct Op {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* dict;
  PyObject* slow;
  Py_ssize_t n_inputs;
  std::vector<Remembered> calls;  // most recent first
};

Op* Of(PyObject* self) {
  return reinterpret_cast<Op*>(self);
}

// True for immutable objects, for which the same object means the same value.
bool IsConstant(PyObject* value) {
  return value == Py_None || PyBool_Check(value) || PyLong_CheckExact(value) || PyFloat_CheckExact(value) ||
         PyUnicode_CheckExact(value) || PyBytes_CheckExact(value) || PyArray_DescrCheck(value) ||
         (PyType_Check(value) && !PyType_HasFeature(reinterpret_cast<PyTypeObject*>(value), Py_TPFLAGS_HEAPTYPE));
}

bool IsSame(PyObject* a, PyObject* b) {
  if (a == b) return true;
  if (Py_TYPE(a) != Py_TYPE(b)) return false;
  if (PyFloat_CheckExact(a)) {  // 0.0 and -0.0 must differ
    const double x = PyFloat_AsDouble(a), y = PyFloat_AsDouble(b);
    return std::memcmp(&x, &y, sizeof(x)) == 0;
  }
  if (!PyLong_CheckExact(a) && !PyUnicode_CheckExact(a) && !PyBytes_CheckExact(a)) return false;
  return PyObject_RichCompareBool(a, b, Py_EQ) == 1;
}

bool HasSameNames(PyObject* a, PyObject* b) {
  if (a == b) return true;
  const Py_ssize_t n = a == nullptr ? 0 : PyTuple_Size(a);
  if (n != (b == nullptr ? 0 : PyTuple_Size(b))) return false;
  for (Py_ssize_t i = 0; i < n; ++i) {
    if (!IsSame(PyTuple_GetItem(a, i), PyTuple_GetItem(b, i))) return false;
  }
  return true;
}

// The kind of an input: 'a' for a plain array; 'b', 'i' or 'f' for a Python bool, int or float; 0 for others.
char KindOf(PyObject* object) {
  if (IsPlainArray(object)) return 'a';
  if (PyBool_Check(object)) return 'b';
  if (PyLong_CheckExact(object)) return 'i';
  return PyFloat_CheckExact(object) ? 'f' : '\0';
}

// args: the inputs, then the values of the keyword arguments.
bool Fits(const Remembered& call, PyObject* const* args, const std::string& kinds, PyObject* names) {
  if (kinds != call.kinds) return false;
  const std::vector<Known>& inputs = call.prepared->inputs;
  for (size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i] == 'a' && !inputs[i].Fits(reinterpret_cast<PyArrayObject*>(args[i]))) return false;
  }
  if (!HasSameNames(call.names, names)) return false;
  for (size_t i = 0; i < call.values.size(); ++i) {
    if (!IsSame(call.values[i], args[kinds.size() + i])) return false;
  }
  return true;
}

PyObject* CallRemembered(const Remembered& call, PyObject* const* inputs) {
  // Copied because other threads may change the list of calls during this one.
  Prepared* const prepared = call.prepared;
  PyObject* const pack = call.pack;
  Py_INCREF(reinterpret_cast<PyObject*>(prepared));
  Py_XINCREF(pack);
  PyObject* one = nullptr;
  std::vector<PyObject*> many(pack == nullptr ? 0 : prepared->outputs.size());
  const bool ok = Call(prepared, inputs, pack == nullptr ? &one : many.data());
  PyObject* result = one;
  if (ok && pack != nullptr) {
    const nb::object list = nb::steal(ListOf(many));
    PyObject* const args[] = {list.ptr()};
    result = list.is_valid() ? PyObject_Vectorcall(pack, args, 1, nullptr) : nullptr;
  }
  Py_DECREF(reinterpret_cast<PyObject*>(prepared));
  Py_XDECREF(pack);
  return result;
}

// failed: what the fast path has raised, which the slow path raises again, or null.
PyObject* CallSlowly(Op* op, PyObject* const* args, Py_ssize_t n, PyObject* names, PyObject* failed = nullptr) {
  const nb::object positional = nb::steal(PyTuple_New(n)), named = nb::steal(PyDict_New());
  bool ok = positional.is_valid() && named.is_valid();
  for (Py_ssize_t i = 0; ok && i < n; ++i) PyTuple_SetItem(positional.ptr(), i, Py_NewRef(args[i]));
  const Py_ssize_t n_names = names == nullptr ? 0 : PyTuple_Size(names);
  for (Py_ssize_t i = 0; ok && i < n_names; ++i) {
    ok = PyDict_SetItem(named.ptr(), PyTuple_GetItem(names, i), args[n + i]) == 0;
  }
  if (ok && op->slow == nullptr) {
    PyErr_SetString(PyExc_RuntimeError, "the op is being destroyed");
    ok = false;
  }
  PyObject* const all[] = {positional.ptr(), named.ptr(), failed};
  return ok ? PyObject_Vectorcall(op->slow, all, failed == nullptr ? 2 : 3, nullptr) : nullptr;
}

// Converts the numbers among the inputs to arrays and calls. False, without an exception, if a number does not fit.
bool CallWithNumbers(const Remembered& call, PyObject* const* args, PyObject** result) {
  const std::string& kinds = call.kinds;
  std::vector<PyObject*> inputs(kinds.size());
  bool ok = true;
  for (size_t i = 0; ok && i < kinds.size(); ++i) {
    inputs[i] = kinds[i] == 'a' ? Py_NewRef(args[i]) : NumberArray(args[i], kinds[i], call.prepared->inputs[i].dtype);
    ok = inputs[i] != nullptr;
  }
  if (ok) *result = CallRemembered(call, inputs.data());
  for (PyObject* const input : inputs) Py_XDECREF(input);
  return ok;
}

PyObject* CallOp(PyObject* self, PyObject* const* args, size_t flagged, PyObject* names) {
  Op* const op = Of(self);
  const Py_ssize_t n = PyVectorcall_NARGS(flagged);
  std::string kinds;
  bool known = n == op->n_inputs && !op->calls.empty();
  for (Py_ssize_t i = 0; known && i < n; ++i) {
    kinds += KindOf(args[i]);
    known = kinds.back() != '\0';
  }
  for (size_t i = 0; known && i < op->calls.size(); ++i) {
    if (!Fits(op->calls[i], args, kinds, names)) continue;
    if (i > 0)
      std::rotate(op->calls.begin(), op->calls.begin() + static_cast<ptrdiff_t>(i),
                  op->calls.begin() + static_cast<ptrdiff_t>(i) + 1);
    PyObject* result = nullptr;
    if (kinds.find_first_not_of('a') == std::string::npos) {
      result = CallRemembered(op->calls[0], args);
    } else if (!CallWithNumbers(op->calls[0], args, &result)) {
      break;
    }
    if (result != nullptr || PyErr_ExceptionMatches(PyExc_Exception) == 0) return result;
    PyObject *type = nullptr, *error = nullptr, *trace = nullptr;
    PyErr_Fetch(&type, &error, &trace);
    PyErr_NormalizeException(&type, &error, &trace);
    const nb::object held[] = {nb::steal(type), nb::steal(error), nb::steal(trace)};
    return CallSlowly(op, args, n, names, error);
  }
  return CallSlowly(op, args, n, names);
}

// _remember(prepared, kwargs, pack, kinds)
PyObject* Remember(PyObject* self, PyObject* args) {
  Op* const op = Of(self);
  PyObject *prepared = nullptr, *named = nullptr, *pack = nullptr;
  const char* kinds = nullptr;
  if (!PyArg_ParseTuple(args, "OO!Os", &prepared, &PyDict_Type, &named, &pack, &kinds)) return nullptr;
  if (!IsPrepared(prepared)) return PyErr_Format(PyExc_TypeError, "not a prepared op: %R", prepared);
  auto* const of = reinterpret_cast<Prepared*>(prepared);
  const bool one_array = pack != Py_None || of->outputs.size() == 1;
  if (of->inputs.size() != std::strlen(kinds) || !one_array) Py_RETURN_NONE;
  if (of->inputs.size() != static_cast<size_t>(op->n_inputs)) Py_RETURN_NONE;
  for (const Known& input : of->inputs) {
    if (input.dtype == OPSRUN_DT_STRING) Py_RETURN_NONE;  // whose objects may have any type
  }
  PyObject *key = nullptr, *value = nullptr;
  Py_ssize_t at = 0;
  while (PyDict_Next(named, &at, &key, &value)) {
    if (!IsConstant(value)) Py_RETURN_NONE;
  }
  Remembered call;
  call.names = PyDict_Size(named) == 0 ? nullptr : PyTuple_New(PyDict_Size(named));
  if (PyErr_Occurred() != nullptr) return nullptr;
  at = 0;
  for (Py_ssize_t i = 0; PyDict_Next(named, &at, &key, &value); ++i) {
    PyTuple_SetItem(call.names, i, Py_NewRef(key));
    call.values.push_back(Py_NewRef(value));
  }
  Py_INCREF(prepared);
  call.prepared = of;
  call.kinds = kinds;
  call.pack = pack == Py_None ? nullptr : Py_NewRef(pack);
  Remembered oldest;
  if (op->calls.size() == kRemembered) {
    oldest = std::move(op->calls.back());
    op->calls.pop_back();
  }
  op->calls.insert(op->calls.begin(), std::move(call));
  oldest.Clear();  // may run Python code, which may call the op
  Py_RETURN_NONE;
}

PyObject* Make(PyTypeObject* type, PyObject* args, PyObject* named) {
  PyObject* slow = nullptr;
  Py_ssize_t n_inputs = 0;
  static const char* const names[] = {"slow", "n_inputs", nullptr};
  if (!PyArg_ParseTupleAndKeywords(args, named, "On", const_cast<char**>(names), &slow, &n_inputs)) return nullptr;
  Op* const op = Of(PyType_GenericAlloc(type, 0));
  if (op == nullptr) return nullptr;
  op->vectorcall = CallOp;
  op->slow = Py_NewRef(slow);
  op->n_inputs = n_inputs;
  new (&op->calls) std::vector<Remembered>();
  return reinterpret_cast<PyObject*>(op);
}

int Traverse(PyObject* self, visitproc visit, void* arg) {
  Op* const op = Of(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(op->dict);
  Py_VISIT(op->slow);
  for (const Remembered& call : op->calls) {
    Py_VISIT(call.pack);
    Py_VISIT(call.names);
    for (PyObject* value : call.values) Py_VISIT(value);
  }
  return 0;
}

int Clear(PyObject* self) {
  Op* const op = Of(self);
  Py_CLEAR(op->dict);
  Py_CLEAR(op->slow);
  std::vector<Remembered> calls;
  calls.swap(op->calls);
  for (Remembered& call : calls) call.Clear();
  return 0;
}

// _forget()
PyObject* Forget(PyObject* self, PyObject*) {
  std::vector<Remembered> calls;
  calls.swap(Of(self)->calls);
  for (Remembered& call : calls) call.Clear();
  Py_RETURN_NONE;
}

void Destroy(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  Clear(self);
  Of(self)->calls.~vector();
  PyObject_GC_Del(self);
  Py_DECREF(reinterpret_cast<PyObject*>(type));
}

// Binds no self in a class; its presence makes help() and inspect treat the object as a function.
PyObject* Get(PyObject* self, PyObject*, PyObject*) {
  return Py_NewRef(self);
}

PyObject* Show(PyObject* self) {
  const nb::object name = nb::steal(PyObject_GetAttrString(self, "__qualname__"));
  const nb::object module = nb::steal(name.is_valid() ? PyObject_GetAttrString(self, "__module__") : nullptr);
  PyErr_Clear();
  if (!module.is_valid()) return PyUnicode_FromString("<op>");
  return PyUnicode_FromFormat("<op %S.%S>", module.ptr(), name.ptr());
}

PyMethodDef methods[] = {{"_remember", Remember, METH_VARARGS, nullptr}, {"_forget", Forget, METH_NOARGS, nullptr}, {}};
PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET, offsetof(Op, vectorcall), READONLY, nullptr},
                         {"__dictoffset__", T_PYSSIZET, offsetof(Op, dict), READONLY, nullptr},
                         {}};
PyGetSetDef properties[] = {{"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr}, {}};
PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(Make)},
                       {Py_tp_dealloc, reinterpret_cast<void*>(Destroy)},
                       {Py_tp_traverse, reinterpret_cast<void*>(Traverse)},
                       {Py_tp_clear, reinterpret_cast<void*>(Clear)},
                       {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                       {Py_tp_descr_get, reinterpret_cast<void*>(Get)},
                       {Py_tp_repr, reinterpret_cast<void*>(Show)},
                       {Py_tp_methods, methods},
                       {Py_tp_members, members},
                       {Py_tp_getset, properties},
                       {0, nullptr}};
PyType_Spec spec = {"opsrun._native.Op", sizeof(Op), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL, slots};

}  // namespace

PyTypeObject* OpType() {
  static PyTypeObject* const type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return type;
}

}  // namespace opsrun::python
