// opsrun_compat/einsum_op_util.h: the equations of einsum, such as "ij,jk->ik".
//
// A letter is a dimension, "..." is any number of dimensions that are broadcast. There are one or two operands.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun_compat/gtl.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

// Letters are numbered in the order in which they first appear; the ellipsis has kEllipsisLabel. Counts are per number.
typedef gtl::InlinedVector<int, 8> Labels;
typedef gtl::InlinedVector<Labels, 2> OperandLabels;
typedef gtl::InlinedVector<int, 8> LabelCounts;
typedef gtl::InlinedVector<LabelCounts, 2> OperandLabelCounts;
constexpr int kEllipsisLabel = -1;

// A letter of the output is kBatch if both operands have it, otherwise kFree; other letters are kContract or kReduce.
enum EinsumDimensionType { kBroadcasting = 0, kBatch = 1, kFree = 2, kContract = 3, kReduce = 4 };

namespace internal {

typedef gtl::InlinedVector<std::string, 2> Subscripts;

// Appends the labels of a subscript. New letters are appended to `letters`.
inline Status AppendLabels(const std::string& subscript, std::string* letters, Labels* labels, bool* has_ellipsis) {
  *has_ellipsis = false;
  for (size_t i = 0; i < subscript.size(); ++i) {
    if (subscript[i] != '.') {
      if (letters->find(subscript[i]) == std::string::npos) *letters += subscript[i];
      labels->push_back(static_cast<int>(letters->find(subscript[i])));
      continue;
    }
    if (subscript.compare(i, 3, "...") != 0) return Invalid({"Subscript '", subscript, "' has a '.' outside of '...'"});
    labels->push_back(kEllipsisLabel);
    *has_ellipsis = true;
    i += 2;
  }
  return Status();
}

inline LabelCounts CountsOf(const Labels& labels, size_t n) {
  LabelCounts counts(n, 0);
  for (const int label : labels) {
    if (label != kEllipsisLabel) ++counts[static_cast<size_t>(label)];
  }
  return counts;
}

inline EinsumDimensionType TypeOf(bool is_in_output, bool is_in_both) {
  if (is_in_output) return is_in_both ? kBatch : kFree;
  return is_in_both ? kContract : kReduce;
}

}  // namespace internal

// Splits an equation at "," and "->". INVALID_ARGUMENT: there is no "->", or not one or two operands.
inline ReturnedStatus ValidateEinsumEquation(const std::string& equation, internal::Subscripts* inputs,
                                             std::string* output) {
  const size_t arrow = equation.find("->");
  if (arrow == std::string::npos || equation.find("->", arrow + 2) != std::string::npos) {
    return errors::InvalidArgument("Equation '", equation, "' must have one '->'");
  }
  *output = equation.substr(arrow + 2);
  inputs->clear();
  for (size_t begin = 0, end = 0; end < arrow; begin = end + 1) {
    end = std::min(equation.find(',', begin), arrow);
    inputs->push_back(equation.substr(begin, end - begin));
  }
  if (arrow == 0) inputs->push_back("");
  if (inputs->size() <= 2) return Status();
  return errors::InvalidArgument("Equation '", equation, "' has ", inputs->size(), " operands; there may be 1 or 2");
}

// Parses an equation. has_ellipsis: an operand, or the output, has "...". As in TensorFlow, any character can be a
// letter, and letters of the output that the operands lack are not reported.
inline ReturnedStatus ParseEinsumEquation(const std::string& equation, OperandLabels* input_labels,
                                          Labels* output_labels, std::vector<EinsumDimensionType>* label_types,
                                          OperandLabelCounts* input_label_counts, LabelCounts* output_label_counts,
                                          gtl::InlinedVector<bool, 2>* input_has_ellipsis, bool* output_has_ellipsis) {
  internal::Subscripts inputs;
  std::string output, letters;
  TF_RETURN_IF_ERROR(ValidateEinsumEquation(equation, &inputs, &output));
  input_labels->assign(inputs.size(), Labels());
  input_has_ellipsis->assign(inputs.size(), false);
  for (size_t i = 0; i < inputs.size(); ++i) {
    bool has_ellipsis = false;
    TF_RETURN_IF_ERROR(internal::AppendLabels(inputs[i], &letters, &(*input_labels)[i], &has_ellipsis));
    (*input_has_ellipsis)[i] = has_ellipsis;
  }
  output_labels->clear();
  TF_RETURN_IF_ERROR(internal::AppendLabels(output, &letters, output_labels, output_has_ellipsis));
  const size_t n = letters.size();
  input_label_counts->clear();
  for (const Labels& labels : *input_labels) input_label_counts->push_back(internal::CountsOf(labels, n));
  *output_label_counts = internal::CountsOf(*output_labels, n);
  label_types->clear();
  for (size_t label = 0; label < n; ++label) {
    bool is_in_all = inputs.size() == 2;
    for (const LabelCounts& counts : *input_label_counts) is_in_all = is_in_all && counts[label] > 0;
    label_types->push_back(internal::TypeOf((*output_label_counts)[label] > 0, is_in_all));
  }
  return Status();
}

}  // namespace OPSRUN_HIDDEN
