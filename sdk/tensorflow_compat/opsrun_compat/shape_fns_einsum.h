// opsrun_compat/shape_fns_einsum.h: the shape of einsum.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/internal/shape_fns_broadcast.h"
#include "opsrun/shape_inference.h"
#include "opsrun/status.h"
#include "opsrun_compat/einsum_op_util.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// The dimensions that the labels of an equation stand for.
struct EinsumDims {
  std::vector<shape_inference::DimensionHandle> letters;
  shape_inference::ShapeHandle broadcast;

  // Dimensions with the same letter must be equal, those under ellipses are broadcast.
  OPSRUN_COLD Status Add(shape_inference::InferenceContext* c, shape_inference::ShapeHandle shape, const Labels& labels,
                         bool has_ellipsis) {
    const int64_t n_letters = static_cast<int64_t>(labels.size()) - (has_ellipsis ? 1 : 0);
    if (has_ellipsis) {
      TF_RETURN_IF_ERROR(c->WithRankAtLeast(shape, n_letters, &shape));
    } else {
      TF_RETURN_IF_ERROR(c->WithRank(shape, n_letters, &shape));
    }
    if (!c->RankKnown(shape)) {
      for (const int label : labels) {
        if (label != kEllipsisLabel) SetUnlessKnown(label, c->UnknownDim());
      }
      broadcast = c->UnknownShape();
      return Status();
    }
    int64_t at = 0;
    for (const int label : labels) {
      if (label == kEllipsisLabel) {
        const int64_t end = at + c->Rank(shape) - n_letters;
        TF_RETURN_IF_ERROR(AddEllipsis(c, shape, at, end));
        at = end;
        continue;
      }
      const shape_inference::DimensionHandle dim = c->Dim(shape, at++);
      shape_inference::DimensionHandle* letter = SetUnlessKnown(label, dim);
      TF_RETURN_IF_ERROR(c->Merge(*letter, dim, letter));
    }
    return Status();
  }

  OPSRUN_COLD Status SetOutput(shape_inference::InferenceContext* c, const std::string& equation,
                               const Labels& labels) const {
    shape_inference::ShapeHandle out = c->Scalar(), part = broadcast;
    for (const int label : labels) {
      part = broadcast;
      if (label != kEllipsisLabel) {
        const shape_inference::DimensionHandle letter = letters[static_cast<size_t>(label)];
        if (!letter.IsSet()) return Invalid({"No operand of equation '", equation, "' has a letter of the output"});
        part = c->Vector(letter);
      }
      TF_RETURN_IF_ERROR(c->Concatenate(out, part, &out));
    }
    c->set_output(0, out);
    return Status();
  }

 private:
  shape_inference::DimensionHandle* SetUnlessKnown(int label, shape_inference::DimensionHandle dim) {
    shape_inference::DimensionHandle* letter = &letters[static_cast<size_t>(label)];
    if (!letter->IsSet()) *letter = dim;
    return letter;
  }

  OPSRUN_COLD Status AddEllipsis(shape_inference::InferenceContext* c, shape_inference::ShapeHandle shape,
                                 int64_t begin, int64_t end) {
    shape_inference::ShapeHandle part;
    TF_RETURN_IF_ERROR(c->Subshape(shape, begin, end, &part));
    return shape_inference::BroadcastBinaryOpOutputShapeFnHelper(c, broadcast, part, &broadcast);
  }
};

OPSRUN_COLD inline Status CheckOneEllipsis(const std::string& equation, const Labels& labels) {
  if (std::count(labels.begin(), labels.end(), kEllipsisLabel) <= 1) return Status();
  return Invalid({"An operand, or the output, of equation '", equation, "' has '...' twice"});
}

}  // namespace internal

namespace shape_inference {

// One or two operands, and the attr equation.
OPSRUN_COLD inline ReturnedStatus EinsumShape(InferenceContext* c) {
  std::string equation;
  TF_RETURN_IF_ERROR(c->GetAttr("equation", &equation));
  OperandLabels inputs;
  Labels output;
  std::vector<EinsumDimensionType> types;
  OperandLabelCounts input_counts;
  LabelCounts output_counts;
  gtl::InlinedVector<bool, 2> input_has_ellipsis;
  bool output_has_ellipsis = false;
  TF_RETURN_IF_ERROR(ParseEinsumEquation(equation, &inputs, &output, &types, &input_counts, &output_counts,
                                         &input_has_ellipsis, &output_has_ellipsis));
  if (static_cast<int64_t>(inputs.size()) != c->num_inputs()) {
    return internal::Invalid(
               {"Equation '", equation, "' has ", inputs.size(), " operands; the op has ", c->num_inputs()})
        .Blame("attr:equation");
  }
  TF_RETURN_IF_ERROR(internal::CheckOneEllipsis(equation, output));
  for (const Labels& labels : inputs) TF_RETURN_IF_ERROR(internal::CheckOneEllipsis(equation, labels));
  internal::EinsumDims dims;
  dims.letters.resize(types.size());
  dims.broadcast = c->Scalar();
  for (size_t i = 0; i < inputs.size(); ++i) {
    TF_RETURN_IF_ERROR(dims.Add(c, c->input(static_cast<int64_t>(i)), inputs[i], input_has_ellipsis[i]));
  }
  if (!output_has_ellipsis) TF_RETURN_IF_ERROR(c->WithRankAtMost(dims.broadcast, 0, &dims.broadcast));
  return dims.SetOutput(c, equation, output);
}

}  // namespace shape_inference
}  // namespace OPSRUN_HIDDEN
