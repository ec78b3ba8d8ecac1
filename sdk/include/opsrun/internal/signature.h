// opsrun/internal/signature.h: what a kernel knows of its node: names, and the range and data types of each argument.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "opsrun/c_api.h"
#include "opsrun/namespace.h"
#include "opsrun/status.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

struct Argument {
  std::string name;
  int first, count;
  bool is_list, on_host;
};

// All inputs, or all outputs, of a node. Lists are flattened.
struct Arguments {
  std::vector<Argument> named;
  DataTypeVector types;

  OPSRUN_COLD Arguments(const opsrun_arg* args, uint32_t n_args, const int32_t* dtypes, uint32_t n_types) {
    for (uint32_t i = 0; i < n_args; ++i) {
      named.push_back({std::string(args[i].name.data, args[i].name.size), static_cast<int>(args[i].first),
                       static_cast<int>(args[i].count), (args[i].flags & OPSRUN_ARG_LIST) != 0,
                       (args[i].flags & OPSRUN_ARG_HOST_MEMORY) != 0});
    }
    for (uint32_t i = 0; i < n_types; ++i) types.push_back(static_cast<DataType>(dtypes[i]));
  }

  const Argument* Find(std::string_view name) const {
    for (const Argument& argument : named) {
      if (argument.name == name) return &argument;
    }
    return nullptr;
  }
  // The argument that holds flat index i, or null.
  const Argument* At(int i) const {
    for (const Argument& argument : named) {
      if (i >= argument.first && i < argument.first + argument.count) return &argument;
    }
    return nullptr;
  }
  // "output 2 ('zeroed')"
  OPSRUN_COLD std::string Describe(const char* side, int i) const {
    const Argument* argument = At(i);
    return argument == nullptr ? StrCat(side, " ", i) : StrCat(side, " ", i, " ('", argument->name, "')");
  }
  // "output:zeroed", or nothing.
  OPSRUN_COLD std::string Subject(const char* side, int i) const {
    const Argument* argument = At(i);
    return argument == nullptr ? std::string() : StrCat(side, ":", argument->name);
  }

  OPSRUN_COLD Status FindRange(const char* side, std::string_view name, const Argument** range) const {
    *range = Find(name);
    if (*range != nullptr) return Status::OK();
    return errors::InvalidArgument("The op has no ", side, " '", name, "'");
  }
  // The flat index of an argument that is not a list.
  OPSRUN_COLD Status FindSingle(const char* side, std::string_view name, int* i) const {
    const Argument* range = nullptr;
    TF_RETURN_IF_ERROR(FindRange(side, name, &range));
    if (range->is_list) return errors::InvalidArgument("The ", side, " '", name, "' is a list; a single tensor was asked for");
    *i = range->first;
    return Status::OK();
  }
};

OPSRUN_COLD inline std::string TypeNames(const DataTypeVector& types) {
  std::string names;
  for (const DataType type : types) names += (names.empty() ? "" : ", ") + DataTypeString(type);
  return "[" + names + "]";
}

struct Signature {
  std::string node, op;
  Arguments inputs, outputs;

  OPSRUN_COLD explicit Signature(const opsrun_create& create)
      : node(create.node.size == 0 ? "" : create.node.data, create.node.size),
        op(create.op.size == 0 ? "" : create.op.data, create.op.size),
        inputs(create.in_args, create.n_in_args, create.in_types, create.n_in),
        outputs(create.out_args, create.n_out_args, create.out_types, create.n_out) {}

  // INVALID_ARGUMENT unless the data types are exactly these.
  OPSRUN_COLD Status Match(const DataTypeVector& in, const DataTypeVector& out) const {
    if (in == inputs.types && out == outputs.types) return Status::OK();
    return errors::InvalidArgument("Signature mismatch: the op has ", TypeNames(inputs.types), " -> ", TypeNames(outputs.types),
                                   ", the kernel expects ", TypeNames(in), " -> ", TypeNames(out));
  }
};

}  // namespace internal
}  // namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN
