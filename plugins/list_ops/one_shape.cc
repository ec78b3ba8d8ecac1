// SPDX-License-Identifier: Apache-2.0
#include "one_shape.h"

#include <string>

namespace list_ops {

using namespace opsrun;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

namespace {

Status Differ(const char* name, int i, const std::string& shape_i, int j, const std::string& shape_j) {
  return errors::InvalidArgument("all ", name, " must have the same shape, but tensor ", i, " is ", shape_i,
                                 " and tensor ", j, " is ", shape_j)
      .Blame(std::string("input:") + name + "." + std::to_string(j));
}

// By themselves. Not by Merge: it would go on to tell the host what follows for other tensors.
bool Contradict(InferenceContext* c, ShapeHandle a, ShapeHandle b) {
  if (!c->RankKnown(a) || !c->RankKnown(b)) return false;
  bool differ = c->Rank(a) != c->Rank(b);
  for (int d = 0; !differ && d < c->Rank(a); ++d) {
    const auto size_a = c->Dim(a, d), size_b = c->Dim(b, d);
    differ = c->ValueKnown(size_a) && c->ValueKnown(size_b) && c->Value(size_a) != c->Value(size_b);
  }
  return differ;
}

// Which tensor before j contradicts it? The last one may do so only together with others.
int Contradicts(InferenceContext* c, int j) {
  for (int i = 0; i < j; ++i) {
    if (Contradict(c, c->input(i), c->input(j))) return i;
  }
  return j - 1;
}

}  // namespace

Status MergeAll(InferenceContext* c, const char* name, ShapeHandle* shape) {
  *shape = c->input(0);
  for (int j = 1; j < c->num_inputs(); ++j) {
    if (c->Merge(*shape, c->input(j), shape).ok()) continue;
    const int i = Contradicts(c, j);
    return Differ(name, i, c->DebugString(c->input(i)), j, c->DebugString(c->input(j)));
  }
  return Status::OK();
}

Status CheckOneShape(OpKernelContext* context, const char* name) {
  const TensorShape first = context->input(0).shape();
  for (int j = 1; j < context->num_inputs(); ++j) {
    const TensorShape shape = context->input(j).shape();
    if (shape != first) return Differ(name, 0, first.DebugString(), j, shape.DebugString());
  }
  return Status::OK();
}

}  // namespace list_ops
