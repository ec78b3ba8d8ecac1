// adapters/pytorch/native/module.cc: the functions that Python calls.
// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string>
#include <vector>

#include "adapters/common/call.h"
#include "adapters/common/engine.h"
#include "call.h"
#include "kept.h"
#include "op.h"
#include "op_functions.h"
#include "place.h"
#include "plain.h"
#include "python.h"
#include "values.h"

namespace opsrun_torch {
namespace {

using opsrun_adapter::Engine;

const Engine* engine = nullptr;

// start(directories): the directories to search for plugins.
Object Start(PyObject* args) {
  PyObject* list = nullptr;
  Parse(args, "O!", &PyList_Type, &list);
  std::vector<std::string> directories;
  ForEach(list, [&](PyObject* each) {
    const char* const text = PyUnicode_AsUTF8AndSize(each, nullptr);
    if (text != nullptr) directories.emplace_back(text);
  });
  engine = new Engine(directories, opsrun_adapter::HostTable<Call>::Make);
  return Build("");
}

// add_plugin(path, ops_file) -> name; see Engine::AddPlugin
Object AddPlugin(PyObject* args) {
  const char *path = nullptr, *ops_file = nullptr;
  Parse(args, "ss", &path, &ops_file);
  return Build([&] {
    const Unlocked unlocked;
    return engine->AddPlugin(path, ops_file);
  }());
}

// plugins() -> [(name, path, ops)]
Object Plugins(PyObject*) {
  const std::vector<opsrun_adapter::Plugin> plugins = engine->Plugins();
  return ListOf(plugins.size(), [&](size_t i) {
    const auto& [name, path, ops] = plugins[i];
    Object names = ListOf(ops.size(), [&, &ops = ops](size_t k) { return Build(ops[k]); });
    return Build("NNN", Build(name).release(), Build(path).release(), names.release());
  });
}

// describe(op) -> the output of `opsrun explain --json`
Object Describe(PyObject* args) {
  const char* op = nullptr;
  Parse(args, "s", &op);
  return Build([&] {
    const Unlocked unlocked;
    return engine->Describe(op);
  }());
}

std::vector<ArgSpec> ReadArgs(PyObject* list) {
  std::vector<ArgSpec> specs;
  ForEach(list, [&](PyObject* each) {
    const char* name = nullptr;
    int is_list = 0;
    Parse(each, "sp", &name, &is_list);
    specs.push_back({name, is_list != 0});
  });
  return specs;
}

// implement(op, operator, inputs, attrs, outputs) -> the op, for other functions. inputs, outputs: (name, is a list)
// each; attrs: (name, type, is optional). The operator's schema must be defined.
Object Implement(PyObject* args) {
  const char *name = nullptr, *torch_name = nullptr;
  PyObject *inputs = nullptr, *attrs = nullptr, *outputs = nullptr;
  Parse(args, "ssO!O!O!", &name, &torch_name, &PyList_Type, &inputs, &PyList_Type, &attrs, &PyList_Type, &outputs);
  OpSpec spec{name, torch_name, ReadArgs(inputs), {}, ReadArgs(outputs)};
  ForEach(attrs, [&](PyObject* each) {
    const char *attr = nullptr, *type = nullptr;
    int optional = 0;
    Parse(each, "ssp", &attr, &type, &optional);
    spec.attrs.push_back({attr, opsrun_adapter::KindOf(type), optional != 0});
  });
  return Object(Checked(PyCapsule_New(&Op::Register(*engine, std::move(spec)), nullptr, nullptr)));
}

// keep(problem, text): the operator that is being called ends with this exception.
Object KeepError(PyObject* args) {
  PyObject* problem = nullptr;
  const char* text = nullptr;
  Parse(args, "Os", &problem, &text);
  Keep(problem, text);
  return Build("");
}

// kept() -> the exception that was kept last
Object Kept(PyObject*) {
  PyObject* const problem = TakeKept();
  if (problem == nullptr) Raise(OPSRUN_INTERNAL, "an exception of an operator was raised twice");
  return Object(problem);
}

// set_kept_type(type): the type whose objects are the exceptions that kept() returns.
Object SetKept(PyObject* args) {
  PyObject* type = nullptr;
  Parse(args, "O", &type);
  SetKeptType(type);
  return Build("");
}

// thread_keys() -> [included, excluded], or None: see PlainCheck::ThreadKeys.
Object ThreadKeys(PyObject*) {
  const uint64_t* const keys = PlainCheck::ThreadKeys();
  return keys == nullptr ? Build("") : Build("[KK]", keys[0], keys[1]);
}

// learn(keys, state, tangent, creator, flag, state_class, cpu_keys): see Places.
Object Learn(PyObject* args) {
  unsigned long long n[7];
  Parse(args, "KKKKKKK", &n[0], &n[1], &n[2], &n[3], &n[4], &n[5], &n[6]);
  PlainCheck::Learn({n[0], n[1], n[2], n[3], n[4], n[5], n[6]});
  return Build("");
}

// use_streams(address): see SetStreamFunction.
Object UseStreams(PyObject* args) {
  unsigned long long address = 0;
  Parse(args, "K", &address);
  SetStreamFunction(reinterpret_cast<void*>(address));
  return Build("");
}

// The operator opsrun::words(Tensor x, int word) -> int[]: the words of a tensor or, if word is not negative, of the
// object that it refers to there.
void Words(StableIValue* stack, uint64_t, uint64_t) {
  const Tensor tensor(reinterpret_cast<AtenTensorHandle>(stack[0]));
  const auto word = static_cast<int64_t>(stack[1]);
  std::vector<uint64_t> words = WordsAt(PlainCheck::WordsOf(tensor.get()));
  if (word >= 0) words = WordsAt(reinterpret_cast<const void*>(words.at(static_cast<size_t>(word))));
  const auto list = Get<StableListHandle>(torch_new_list_reserve_size, words.size());
  for (const uint64_t each : words) Must(torch_list_push_back(list, each));
  stack[0] = reinterpret_cast<StableIValue>(list);
}

void DefineWords() {
  static TorchLibraryHandle library = nullptr, kernels = nullptr;
  Must(aoti_torch_library_init_def("opsrun", __FILE__, __LINE__, &library));
  Must(aoti_torch_library_def(library, "words(Tensor x, int word) -> int[]"));
  Must(aoti_torch_library_init_impl("opsrun", "CompositeExplicitAutograd", __FILE__, __LINE__, &kernels));
  Must(torch_library_impl(kernels, "words", Words, TORCH_TARGET_VERSION));
}

template <Object (*fn)(PyObject*)>
PyObject* Function(PyObject*, PyObject* args) {
  try {
    return fn(args).release();
  } catch (const PythonError&) {
  } catch (torch::PyTorchError& error) {
    PyErr_SetString(error.python_type(), error.what());
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

PyMethodDef functions[] = {{"start", Function<Start>, METH_VARARGS, nullptr},
                           {"add_plugin", Function<AddPlugin>, METH_VARARGS, nullptr},
                           {"plugins", Function<Plugins>, METH_VARARGS, nullptr},
                           {"describe", Function<Describe>, METH_VARARGS, nullptr},
                           {"implement", Function<Implement>, METH_VARARGS, nullptr},
                           {"gradient", Function<GradientOf>, METH_VARARGS, nullptr},
                           {"infer", Function<Infer>, METH_VARARGS, nullptr},
                           {"differentiate", Function<Differentiate>, METH_VARARGS, nullptr},
                           {"keep", Function<KeepError>, METH_VARARGS, nullptr},
                           {"kept", Function<Kept>, METH_VARARGS, nullptr},
                           {"set_kept_type", Function<SetKept>, METH_VARARGS, nullptr},
                           {"thread_keys", Function<ThreadKeys>, METH_VARARGS, nullptr},
                           {"learn", Function<Learn>, METH_VARARGS, nullptr},
                           {"use_streams", Function<UseStreams>, METH_VARARGS, nullptr},
                           {nullptr, nullptr, 0, nullptr}};
PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_native", nullptr, -1, functions, nullptr, nullptr, nullptr, nullptr};

Object Module(PyObject*) {
  DefineWords();
  Object module(Checked(PyModule_Create(&definition)));
  Object types(Checked(PyDict_New()));
  for (const TypeNumbers& type : AllTypes()) {
    PyDict_SetItemString(types.get(), type.name, Build("i", type.torch()).get());
  }
  PyModule_AddObjectRef(module.get(), "DTYPES", types.get());
  PyModule_AddStringConstant(module.get(), "OPSRUN_VERSION", OPSRUN_VERSION);
  return module;
}

}  // namespace
}  // namespace opsrun_torch

PyMODINIT_FUNC PyInit__native() {
  return opsrun_torch::Function<opsrun_torch::Module>(nullptr, nullptr);
}
