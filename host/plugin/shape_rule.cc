// host/plugin/shape_rule.cc: a shape function that follows a ShapeRule.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "host/base/display_text.h"
#include "host/plugin/ops_file.h"

namespace opsrun::host {
namespace {

opsrun_str Str(std::string_view text) {
  return {text.data(), text.size()};
}

// Checks and computes shapes in one call. Functions return a code of c_api.h.
class RuleRun {
 public:
  explicit RuleRun(opsrun_shape_call* call) : call_(call), host_(*call->host), in_(call->in, call->in + call->n_in) {}

  // Inputs of unknown rank get the required one, so that each mention of a dimension means the same.
  int32_t TakeRanks(const ShapeRule::ArgShape& required) {
    const opsrun_arg& arg = call_->in_args[required.arg];
    for (uint32_t i = arg.first; i < arg.first + arg.count; ++i) {
      const int32_t rank = RankOf(required, i - arg.first);
      if (rank < 0 || in_[i]->rank == rank) continue;
      if (in_[i]->rank >= 0) {
        return Fail("input", arg.name, fmt::format("expected a tensor of rank {}, found rank {}", rank, in_[i]->rank));
      }
      std::vector<const opsrun_dim*> dims(static_cast<size_t>(rank));
      for (const opsrun_dim*& dim : dims) {
        if (const int32_t code = host_.make_dim(call_, -1, &dim); code != OPSRUN_OK) return code;
      }
      if (const int32_t code = host_.make_shape(call_, rank, dims.data(), &in_[i]); code != OPSRUN_OK) return code;
    }
    return OPSRUN_OK;
  }

  // Requires: TakeRanks for all.
  int32_t Require(const ShapeRule::ArgShape& required) {
    // An input that this one is like may have got its rank since.
    if (const int32_t code = TakeRanks(required); code != OPSRUN_OK) return code;
    const opsrun_arg& arg = call_->in_args[required.arg];
    for (uint32_t i = 0; i < arg.count; ++i) {
      const opsrun_shape* wanted = nullptr;
      if (const int32_t code = ShapeFor(required, arg.count, i, &wanted); code != OPSRUN_OK) return code;
      for (int32_t axis = 0; axis < wanted->rank; ++axis) {
        const opsrun_dim* const dim = in_[arg.first + i]->dims[axis];
        const int32_t code = dim == wanted->dims[axis] ? OPSRUN_OK : host_.equate(call_, dim, wanted->dims[axis]);
        if (code != OPSRUN_OK) return code;
      }
    }
    return OPSRUN_OK;
  }

  int32_t Set(const ShapeRule::ArgShape& output) {
    const opsrun_arg& arg = call_->out_args[output.arg];
    for (uint32_t i = 0; i < arg.count; ++i) {
      const opsrun_shape* shape = nullptr;
      if (const int32_t code = ShapeFor(output, arg.count, i, &shape); code != OPSRUN_OK) return code;
      if (const int32_t code = host_.set_output_shape(call_, arg.first + i, shape); code != OPSRUN_OK) return code;
    }
    return OPSRUN_OK;
  }

 private:
  int32_t Fail(std::string_view kind, opsrun_str name, const std::string& message) {
    return host_.fail(&host_, call_, OPSRUN_INVALID_ARGUMENT, Str(message),
                      Str(fmt::format("{}:{}", kind, std::string_view(name.data, name.size))));
  }

  // The input that the tensor i of an argument of `count` tensors is like.
  const opsrun_shape* Like(uint32_t input, uint32_t count, uint32_t i) const {
    const opsrun_arg& arg = call_->in_args[input];
    return in_[arg.first + (arg.count == count ? i : 0)];
  }

  int32_t RankOf(const ShapeRule::ArgShape& required, uint32_t i) const {
    if (!required.like) return static_cast<int32_t>(required.sizes.size());
    return Like(*required.like, call_->in_args[required.arg].count, i)->rank;
  }

  int32_t ShapeFor(const ShapeRule::ArgShape& rule, uint32_t count, uint32_t i, const opsrun_shape** shape) {
    if (!rule.like) return MakeShape(rule.sizes, shape);
    *shape = Like(*rule.like, count, i);
    return OPSRUN_OK;
  }

  int32_t MakeShape(const std::vector<ShapeRule::Size>& sizes, const opsrun_shape** shape) {
    std::vector<const opsrun_dim*> dims;
    for (const ShapeRule::Size& size : sizes) {
      stack_.clear();
      for (const ShapeRule::Step& step : size) {
        const int32_t code = std::visit([&](const auto& each) { return Run(each); }, step);
        if (code != OPSRUN_OK) return code;
      }
      dims.push_back(stack_.back());
    }
    return host_.make_shape(call_, static_cast<int32_t>(dims.size()), dims.data(), shape);
  }

  int32_t Run(const ShapeRule::Number& number) { return host_.make_dim(call_, number.value, &stack_.emplace_back()); }

  int32_t Run(const ShapeRule::DimOfInput& dim) {
    const opsrun_arg& input = call_->in_args[dim.arg];
    if (dim.element >= input.count) {
      return Fail(
          "input", input.name,
          fmt::format("the shape needs element {} of a list of {}", dim.element, Several(input.count, "tensor")));
    }
    const opsrun_shape& shape = *in_[input.first + dim.element];
    if (shape.rank < 0) return Run(ShapeRule::Number{-1});
    const int64_t axis = dim.axis < 0 ? dim.axis + shape.rank : dim.axis;
    if (axis < 0 || axis >= shape.rank) {
      return Fail("input", input.name,
                  fmt::format("the shape needs dimension {} of a tensor of rank {}", dim.axis, shape.rank));
    }
    stack_.push_back(shape.dims[axis]);
    return OPSRUN_OK;
  }

  int32_t Run(const ShapeRule::Attr& step) {
    const opsrun_attr& attr = call_->attrs[step.index];
    if (step.element && *step.element >= attr.count) {
      return Fail("attr", attr.name,
                  fmt::format("the shape needs element {} of a list of {}", *step.element, Several(attr.count, "int")));
    }
    const int64_t value = step.element ? attr.v.ints[*step.element] : attr.v.i;
    if (value < 0) return Fail("attr", attr.name, fmt::format("{} is not a size", value));
    return Run(ShapeRule::Number{value});
  }

  int32_t Run(const ShapeRule::Operator& step) {
    const opsrun_dim* const right = stack_.back();
    stack_.pop_back();
    const opsrun_dim*& left = stack_.back();
    if (step.op != ShapeRule::kCeilDiv) return host_.dim_op(call_, step.op, left, right, &left);
    const int32_t code = right->value == 0 ? OPSRUN_OK : AddOneLess(right, &left);  // a division by 0 is reported below
    return code == OPSRUN_OK ? host_.dim_op(call_, OPSRUN_DIM_FLOORDIV, left, right, &left) : code;
  }

  int32_t AddOneLess(const opsrun_dim* size, const opsrun_dim** sum) {
    const opsrun_dim* rest = nullptr;
    int32_t code = host_.make_dim(call_, 1, &rest);
    if (code == OPSRUN_OK) code = host_.dim_op(call_, OPSRUN_DIM_SUB, size, rest, &rest);
    return code == OPSRUN_OK ? host_.dim_op(call_, OPSRUN_DIM_ADD, *sum, rest, sum) : code;
  }

  opsrun_shape_call* const call_;
  const opsrun_host& host_;
  std::vector<const opsrun_shape*> in_;
  std::vector<const opsrun_dim*> stack_;
};

}  // namespace

int32_t ShapeRule::Infer(void* rule, opsrun_shape_call* call) {
  RuleRun run(call);
  const ShapeRule& shapes = *static_cast<const ShapeRule*>(rule);
  for (const auto& [step, args] :
       {std::pair(&RuleRun::TakeRanks, &shapes.inputs_), std::pair(&RuleRun::Require, &shapes.inputs_),
        std::pair(&RuleRun::Set, &shapes.outputs_)}) {
    for (const ArgShape& arg : *args) {
      if (const int32_t code = (run.*step)(arg); code != OPSRUN_OK) return code;
    }
  }
  return OPSRUN_OK;
}

}  // namespace opsrun::host
