// python/native/attrs.h: converts attr values for the library.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "numpy.h"
// After it, so that Python.h comes first.
#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "opsrun/embed.h"

namespace opsrun::python {

// The name, type and value of an attr. type: as in a spec, "int" or "list(shape)". value: as returned by
// opsrun/_attrs.py: int, float, bool, bytes, the number of a data type, a list of sizes or None, a plain array; or a
// list of these.
typedef std::tuple<std::string, std::string, nanobind::object> GivenAttr;

// Attrs and what they point to.
class Attrs {
 public:
  // `given` must outlive this. Throws an exception if a value does not have its type.
  explicit Attrs(const std::vector<GivenAttr>& given);
  Attrs(const Attrs&) = delete;
  const opsrun_attr* data() const { return attrs_.data(); }
  uint32_t size() const { return static_cast<uint32_t>(attrs_.size()); }

 private:
  opsrun_attr AttrOf(const std::string& name, std::string_view type, const nanobind::object& value);
  opsrun_partial ShapeOf(const nanobind::object& value);
  const opsrun_tensor* TensorOf(const nanobind::object& value);
  template <typename T>
  T* Keep(std::vector<T> values) {
    const auto kept = std::make_shared<std::vector<T>>(std::move(values));
    kept_.push_back(kept);
    return kept->data();
  }

  std::vector<opsrun_attr> attrs_;
  std::vector<std::shared_ptr<void>> kept_;
};

}  // namespace opsrun::python
