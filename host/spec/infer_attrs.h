// host/spec/infer_attrs.h: from the data types of a node's inputs and the attrs that it gives, all attrs and all types.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/spec/op_def.h"

namespace opsrun::host::spec {

// The data types given for one input argument. `list` says how it was written: a single tensor or a list of them.
struct InputTypes {
  bool list = false;
  std::vector<DType> types;
};

// The range of the flat list that one argument takes.
struct ArgRange {
  std::string name;
  uint32_t first = 0;
  uint32_t count = 0;
  bool list = false;
};

// A node's op with everything filled in. Types of arguments that are declared Ref(..) are reference types
// (host/spec/type_words.h). Where an input's types were not known: attrs that hang on them have kind 0, types are
// DType::kInvalid, lists are empty.
struct Signature {
  std::vector<AttrValue> attrs;  // as OpDef::attrs
  std::vector<DType> in_types;
  std::vector<DType> out_types;
  std::vector<ArgRange> in_args;
  std::vector<ArgRange> out_args;
};

struct InferError {
  enum class Kind {
    kWrongInputType,
    kInconsistentAttr,
    kListExpected,
    kSingleExpected,
    kRefExpected,
    kTooFewInputs,
    kTooManyInputs,
    kMissingAttr,
    kBelowMinimum,
    kAboveMaximum,
    kNotAllowed,
    kWrongAttrKind,
    kUnknownAttr,
  };

  Kind kind = Kind::kWrongInputType;
  std::string subject;  // "attr:T" or "input:x"; empty for kTooManyInputs
  std::string message;
  // The input argument that gave a refused attr its value, if one did; for kInconsistentAttr the one that differs from
  // the subject.
  std::string inferred_from;
  int input_index = -1;  // of the tensor at fault within the argument, or -1
  bool length = false;   // it is about how many tensors a list holds, not about their types
};

struct Inference {
  Signature signature;
  std::vector<InferError> errors;  // all that are independent; the signature is whole only if there is none
  bool ok() const { return errors.empty(); }
};

// No list argument takes more tensors: a number in a graph must not make the host allocate without end.
inline constexpr int64_t kMaxListLength = int64_t{1} << 16;

// inputs: one entry per input argument of the op, in declared order; nothing for one whose types are not known because
// of an earlier error: what depends on it is left out in silence. given: the attrs that the node sets; names the op
// does not have are unknown_attr.
Inference InferAttrs(const OpDef& op, const std::vector<std::optional<InputTypes>>& inputs,
                     const std::map<std::string, AttrValue>& given);

}  // namespace opsrun::host::spec
