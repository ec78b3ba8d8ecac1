// tests/vectors/named_shape_function.cc
// SPDX-License-Identifier: Apache-2.0
#include "tests/vectors/named_shape_function.h"

#include <map>

#include "opsrun/common_shape_fns.h"

namespace opsrun::vectors {

using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

namespace {

Status RowsByThree(InferenceContext* c) {
  c->set_output(0, c->Matrix(c->Dim(c->input(0), 0), 3));
  return Status::OK();
}

Status MergeAllRank2(InferenceContext* c) {
  ShapeHandle all;
  for (int i = 0; i < c->num_inputs(); ++i) {
    ShapeHandle matrix;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 2, &matrix));
    TF_RETURN_IF_ERROR(c->Merge(all, matrix, &all));
  }
  c->set_output(0, all);
  return Status::OK();
}

Status ConcatAll(InferenceContext* c) {
  return shape_inference::ConcatShape(c, c->num_inputs() - 1);
}

const std::map<std::string, ShapeFunction>& Functions() {
  static const std::map<std::string, ShapeFunction> functions = {
      {"unchanged", shape_inference::UnchangedShape},
      {"no_outputs", shape_inference::NoOutputs},
      {"scalar", shape_inference::ScalarShape},
      {"unknown", shape_inference::UnknownShape},
      {"merge_both", shape_inference::MergeBothInputsShapeFn},
      {"broadcast", shape_inference::BroadcastBinaryOpShapeFn},
      {"matmul", shape_inference::MatMulShape},
      {"batch_matmul", shape_inference::BatchMatMulShape},
      {"batch_matmul_v2", shape_inference::BatchMatMulV2Shape},
      {"concat", ConcatAll},
      {"concat_v2", shape_inference::ConcatV2Shape},
      {"reduction", shape_inference::ReductionShape},
      {"bias_add", shape_inference::BiasAddShape},
      {"bias_add_grad", shape_inference::BiasAddGradShape},
      {"gather_nd", shape_inference::GatherNdShape},
      {"slice", shape_inference::SliceShape},
      {"unsorted_segment_reduction", shape_inference::UnsortedSegmentReductionShapeFn},
      {"random", shape_inference::RandomShape},
      {"explicit", shape_inference::ExplicitShape},
      {"rows_by_three", RowsByThree},
      {"merge_all_rank2", MergeAllRank2}};
  return functions;
}

using RankFunction = Status (*)(InferenceContext*, int32_t);
constexpr std::pair<std::string_view, RankFunction> kRankFunctions[] = {
    {"unchanged_rank_at_least", shape_inference::UnchangedShapeWithRankAtLeast},
    {"unchanged_rank_at_most", shape_inference::UnchangedShapeWithRankAtMost},
    {"unchanged_rank", shape_inference::UnchangedShapeWithRank}};

// "unchanged_rank2": a name, then a rank of one digit.
ShapeFunction OfRank(const std::string& name) {
  for (const auto& [prefix, function] : kRankFunctions) {
    if (name.size() != prefix.size() + 1 || !name.starts_with(prefix)) continue;
    const int rank = name.back() - '0';
    if (rank < 0 || rank > 9) return {};
    return [function, rank](InferenceContext* c) { return function(c, rank); };
  }
  return {};
}

}  // namespace

ShapeFunction NamedShapeFunction(const std::string& name) {
  const auto found = Functions().find(name);
  return found == Functions().end() ? OfRank(name) : found->second;
}

}  // namespace opsrun::vectors
