// python/native/attrs.h: converts attr values for the library.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "numpy.h"
#include "opsrun/embed.h"

namespace opsrun::python {

// Attrs and everything that they point to.
class Attrs {
 public:
  Attrs() = default;
  Attrs(const Attrs&) = delete;

  // given: a sequence of (name, type, value). type: as in a spec, "int" or "list(shape)". value: as returned by
  // opsrun/_attrs.py: int, float, bool, bytes, the number of a data type, a list of sizes or None, a plain array; or a
  // list of these. False after an exception.
  bool Take(PyObject* given);

  const opsrun_attr* data() const { return attrs_.data(); }
  uint32_t size() const { return static_cast<uint32_t>(attrs_.size()); }

 private:
  // The elements of one attr, in the member for its kind.
  struct Elements {
    std::vector<int64_t> ints;
    std::vector<double> floats;
    std::vector<opsrun_str> strs;
    std::vector<opsrun_partial> shapes;
    std::vector<const opsrun_tensor*> tensors;
  };
  bool TakeOne(PyObject* name, const char* type, PyObject* value);
  bool Add(uint32_t kind, PyObject* value, Elements* to);
  bool AddShape(PyObject* value, Elements* to);
  bool AddTensor(PyObject* value, Elements* to);
  opsrun_str Keep(const char* data, Py_ssize_t size);

  std::vector<opsrun_attr> attrs_;
  std::deque<Elements> elements_;
  std::deque<std::string> texts_;
  std::deque<std::vector<int64_t>> sizes_;
  std::deque<std::vector<opsrun_str>> slots_;
  std::deque<opsrun_tensor> tensors_;
};

}  // namespace opsrun::python
