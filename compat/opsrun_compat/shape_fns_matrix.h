// opsrun_compat/shape_fns_matrix.h: einsum's equations, such as "ij,jk->ik"; shape functions of einsum, and of ops on
// diagonals.
//
// In an equation a letter is a dimension, "..." is any number of dimensions that are broadcast. There are one or two
// operands.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/common_shape_fns.h"
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

namespace internal {

// The diagonals k of matrices: 0 is the main one, those above it are positive. k is a scalar, or a vector of the lowest
// and the highest. They are stored as rows of a matrix, as long as the longest; or one as a vector.
struct Diagonals {
  int64_t lowest = 0, highest = 0;

  int64_t Count() const { return highest - lowest + 1; }
  // The rank of the tensor that holds them, without batch dimensions.
  int Rank() const { return Count() > 1 ? 2 : 1; }
  // The minimum number of rows and columns of a matrix with a diagonal of this length.
  int64_t MinRows(int64_t length) const { return length - std::min<int64_t>(highest, 0); }
  int64_t MinColumns(int64_t length) const { return length + std::max<int64_t>(lowest, 0); }

  OPSRUN_COLD Status Read(const Tensor& k) {
    if (k.dtype() != DT_INT32) return Invalid({"Diagonals must be int32, but are ", DataTypeName(k.dtype())});
    const int64_t n = k.NumElements();
    if (n != 1 && n != 2) return Invalid({"Diagonals must be 1 or 2 numbers, but are ", n});
    const int32_t* numbers = static_cast<const int32_t*>(k.data());
    lowest = numbers[0];
    highest = numbers[n - 1];
    if (lowest <= highest) return Status();
    return Invalid({"The lowest diagonal is ", lowest, ", above the highest, ", highest});
  }

  // Fails unless a matrix of this shape has the diagonals. Sizes of -1 are unknown and pass.
  OPSRUN_COLD Status CheckIn(int64_t rows, int64_t columns) const {
    if (rows < 0 || columns < 0) return Status();
    for (const int64_t k : {lowest, highest}) {
      if (k != 0 && (k <= -rows || k >= columns)) {
        return Invalid({"A matrix of ", rows, " rows and ", columns, " columns has no diagonal ", k});
      }
    }
    return Status();
  }

  // The length of the longest of them in a matrix, whose sizes are known.
  int64_t Length(int64_t rows, int64_t columns) const {
    return std::min(rows + std::min<int64_t>(highest, 0), columns - std::max<int64_t>(lowest, 0));
  }
};

// The value of a scalar that is a size; -1: it is unknown, or the value is -1.
OPSRUN_COLD inline Status ReadSize(InferenceContext* c, int input, int64_t* size) {
  *size = -1;
  const Tensor* t = c->input_tensor(input);
  return t == nullptr ? Status() : Status(c->GetScalarFromTensor(t, size));
}

// The sizes of a matrix whose longest diagonal has this length, from those that are not -1; if both are, it is square.
OPSRUN_COLD inline Status FitMatrix(const Diagonals& k, int64_t length, int64_t* rows, int64_t* columns) {
  const int64_t min_rows = k.MinRows(length), min_columns = k.MinColumns(length);
  if (*rows == -1 && *columns == -1) {
    *rows = *columns = std::max(min_rows, min_columns);
    return Status();
  }
  if (*rows == -1) *rows = min_rows;
  if (*columns == -1) *columns = min_columns;
  const bool is_large_enough = *rows >= min_rows && *columns >= min_columns;
  if (is_large_enough && (*rows == min_rows || *columns == min_columns)) return Status();
  return Invalid({"The longest diagonal of a matrix of ", *rows, " rows and ", *columns, " columns cannot have ",
                  length, " elements"});
}

// The dimensions of the labels of an equation.
struct EinsumDims {
  std::vector<DimensionHandle> letters;
  ShapeHandle broadcast;

  // Dimensions with the same letter must be equal, those of ellipses are broadcast.
  OPSRUN_COLD Status Add(InferenceContext* c, ShapeHandle shape, const Labels& labels, bool has_ellipsis) {
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
      const DimensionHandle dim = c->Dim(shape, at++);
      DimensionHandle* letter = SetUnlessKnown(label, dim);
      TF_RETURN_IF_ERROR(c->Merge(*letter, dim, letter));
    }
    return Status();
  }

  OPSRUN_COLD Status SetOutput(InferenceContext* c, const std::string& equation, const Labels& labels) const {
    ShapeHandle out = c->Scalar(), part = broadcast;
    for (const int label : labels) {
      part = broadcast;
      if (label != kEllipsisLabel) {
        const DimensionHandle letter = letters[static_cast<size_t>(label)];
        if (!letter.IsSet()) return Invalid({"No operand of equation '", equation, "' has a letter of the output"});
        part = c->Vector(letter);
      }
      TF_RETURN_IF_ERROR(c->Concatenate(out, part, &out));
    }
    c->set_output(0, out);
    return Status();
  }

 private:
  DimensionHandle* SetUnlessKnown(int label, DimensionHandle dim) {
    DimensionHandle* letter = &letters[static_cast<size_t>(label)];
    if (!letter->IsSet()) *letter = dim;
    return letter;
  }

  OPSRUN_COLD Status AddEllipsis(InferenceContext* c, ShapeHandle shape, int64_t begin, int64_t end) {
    ShapeHandle part;
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

// The diagonals of the matrices in input 0. Input 1 is k, input 2 the scalar that pads shorter ones.
OPSRUN_COLD inline ReturnedStatus MatrixDiagPartV2Shape(InferenceContext* c) {
  ShapeHandle input, k_shape, scalar, out;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &input));
  TF_RETURN_IF_ERROR(c->WithRankAtMost(c->input(1), 1, &k_shape));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &scalar));
  const Tensor* k_value = c->input_tensor(1);
  if (!c->RankKnown(input) || k_value == nullptr) return UnknownShape(c);
  internal::Diagonals k;
  TF_RETURN_IF_ERROR(k.Read(*k_value));
  const int64_t rows = c->Value(c->Dim(input, -2)), columns = c->Value(c->Dim(input, -1));
  TF_RETURN_IF_ERROR(k.CheckIn(rows, columns));
  TF_RETURN_IF_ERROR(c->Subshape(input, 0, -2, &out));
  if (k.Count() > 1) TF_RETURN_IF_ERROR(c->Concatenate(out, c->Vector(k.Count()), &out));
  const bool is_known = rows >= 0 && columns >= 0;
  const DimensionOrConstant length = is_known ? k.Length(rows, columns) : -1;
  return internal::SetOutput(c, 0, c->Concatenate(out, c->Vector(length), &out), out);
}

// From the diagonals in input 0. Inputs 1 to 4: k, the numbers of rows and columns, or -1, and the other elements.
OPSRUN_COLD inline ReturnedStatus MatrixDiagV2Shape(InferenceContext* c) {
  ShapeHandle diagonals, k_shape, scalar, out;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &diagonals));
  TF_RETURN_IF_ERROR(c->WithRankAtMost(c->input(1), 1, &k_shape));
  for (int i = 2; i < 5; ++i) TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &scalar));
  const Tensor* k_value = c->input_tensor(1);
  if (!c->RankKnown(diagonals) || k_value == nullptr) return UnknownShape(c);
  internal::Diagonals k;
  TF_RETURN_IF_ERROR(k.Read(*k_value));
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(diagonals, k.Rank(), &diagonals));
  DimensionHandle count;
  if (k.Count() > 1) TF_RETURN_IF_ERROR(c->WithValue(c->Dim(diagonals, -2), k.Count(), &count));
  int64_t rows = -1, columns = -1;
  TF_RETURN_IF_ERROR(internal::ReadSize(c, 2, &rows));
  TF_RETURN_IF_ERROR(internal::ReadSize(c, 3, &columns));
  const int64_t length = c->Value(c->Dim(diagonals, -1));
  if (length >= 0) TF_RETURN_IF_ERROR(internal::FitMatrix(k, length, &rows, &columns));
  TF_RETURN_IF_ERROR(c->Subshape(diagonals, 0, -k.Rank(), &out));
  return internal::SetOutput(c, 0, c->Concatenate(out, c->Matrix(rows, columns), &out), out);
}

// The matrices of input 0 with their diagonals replaced by those in input 1. Input 2 is k.
OPSRUN_COLD inline ReturnedStatus MatrixSetDiagV2Shape(InferenceContext* c) {
  ShapeHandle input, diagonals, k_shape;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &input));
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 1, &diagonals));
  TF_RETURN_IF_ERROR(c->WithRankAtMost(c->input(2), 1, &k_shape));
  if (c->RankKnown(input)) {
    TF_RETURN_IF_ERROR(c->WithRankAtLeast(diagonals, c->Rank(input) - 1, &diagonals));
    TF_RETURN_IF_ERROR(c->WithRankAtMost(diagonals, c->Rank(input), &diagonals));
  }
  const Tensor* k_value = c->input_tensor(2);
  int64_t rank = c->Rank(diagonals) >= 0 && c->Rank(diagonals) == c->Rank(input) ? 2 : 1;
  if (k_value != nullptr) {
    internal::Diagonals k;
    TF_RETURN_IF_ERROR(k.Read(*k_value));
    rank = k.Rank();
    if (c->RankKnown(input)) {
      TF_RETURN_IF_ERROR(k.CheckIn(c->Value(c->Dim(input, -2)), c->Value(c->Dim(input, -1))));
      TF_RETURN_IF_ERROR(c->WithRank(diagonals, c->Rank(input) - 2 + rank, &diagonals));
    }
  }
  if (c->RankKnown(diagonals) && !c->FullyDefined(input)) {
    ShapeHandle batches;
    TF_RETURN_IF_ERROR(c->Subshape(diagonals, 0, -rank, &batches));
    TF_RETURN_IF_ERROR(c->Concatenate(batches, c->UnknownShapeOfRank(2), &batches));
    TF_RETURN_IF_ERROR(c->Merge(input, batches, &input));
  }
  c->set_output(0, input);
  return Status();
}

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
