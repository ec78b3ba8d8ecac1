// opsrun/internal/handle_shapes.h: the methods of an InferenceContext that opsrun does not use.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "opsrun/c_api.h"
#include "opsrun/internal/failure.h"
#include "opsrun/internal/shape_handles.h"
#include "opsrun/namespace.h"
#include "opsrun/status.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

class HandleShapes {
 public:
  typedef std::vector<shape_inference::ShapeAndType> ShapesAndTypes;

  // opsrun does not track shapes behind resource handles: getters return NULL, setters do nothing, and merging returns
  // false.
  const ShapesAndTypes* input_handle_shapes_and_types(int64_t i) const { return NoneAt(i, n_in_, "input"); }
  const ShapesAndTypes* output_handle_shapes_and_types(int64_t i) const { return NoneAt(i, n_out_, "output"); }
  void set_input_handle_shapes_and_types(int64_t i, const ShapesAndTypes&) { NoneAt(i, n_in_, "input"); }
  void set_output_handle_shapes_and_types(int64_t i, const ShapesAndTypes&) { NoneAt(i, n_out_, "output"); }
  bool MergeInputHandleShapesAndTypes(int64_t i, const ShapesAndTypes&) { return NoneAt(i, n_in_, "input"); }
  bool MergeOutputHandleShapesAndTypes(int64_t i, const ShapesAndTypes&) { return NoneAt(i, n_out_, "output"); }

  // Relaxing a shape is for loops, which graphs do not have: these fail the shape function with UNIMPLEMENTED.
  bool RelaxInput(int64_t, shape_inference::ShapeHandle) { FailRelax("RelaxInput"); }
  bool RelaxInputHandleShapesAndMergeTypes(int64_t, const ShapesAndTypes&) {
    FailRelax("RelaxInputHandleShapesAndMergeTypes");
  }
  bool RelaxOutputHandleShapesAndMergeTypes(int64_t, const ShapesAndTypes&) {
    FailRelax("RelaxOutputHandleShapesAndMergeTypes");
  }

 protected:
  explicit HandleShapes(const opsrun_shape_call& call) : n_in_(call.n_in), n_out_(call.n_out) {}

  OPSRUN_COLD static uint32_t CheckIndex(int64_t i, uint32_t count, const char* what) {
    if (i < 0 || i >= count) FailIndex(i, count, what);
    return static_cast<uint32_t>(i);
  }

 private:
  OPSRUN_COLD static const ShapesAndTypes* NoneAt(int64_t i, uint32_t count, const char* what) {
    CheckIndex(i, count, what);
    return nullptr;
  }
  // A graph cannot cause this, so the error code marks a bug in the plugin.
  [[noreturn]] OPSRUN_COLD static void FailIndex(int64_t i, uint32_t count, const char* what) {
    Fail(ErrorOf(error::INTERNAL, {"The shape function uses ", what, " ", i, " (counted from 0); the op has ", count,
                                   " ", what, count == 1 ? "" : "s"}));
  }
  [[noreturn]] OPSRUN_COLD static void FailRelax(const char* method) {
    Fail(ErrorOf(error::UNIMPLEMENTED, {method,
                                        " is for loops, which graphs do not have: leave the call out, or make "
                                        "what may change with UnknownDim() or UnknownShape()"}));
  }

  uint32_t n_in_, n_out_;
};

}  // namespace internal
}  // namespace OPSRUN_HIDDEN
