// host/embed/infer.cc: infers the shapes of one op's outputs from partly known input shapes.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <unordered_map>

#include "host/embed/objects.h"
#include "host/spec/shape_engine.h"

using namespace opsrun::host;

struct opsrun_shapes {
  std::vector<opsrun_size> sizes;
  std::vector<opsrun_size_list> outputs, as_shapes;
  std::deque<std::vector<uint32_t>> lists;
  std::vector<uint32_t> equal, wanted;
  opsrun_shapes_info info{};
};

namespace {

// Where a dimension of the result comes from.
struct Origin {
  uint32_t kind, a, b;
};

class Inference {
 public:
  explicit Inference(const TypedOp& op) : op_(op) {}

  // INVALID_ARGUMENT: no tensor has this shape.
  Status AddInput(const opsrun_known_input& input) {
    const auto i = static_cast<uint32_t>(inputs_.shapes.size());
    Result<const opsrun_shape*> shape = ShapeOf(input.shape, OPSRUN_SIZE_INPUT, i);
    if (!shape.ok()) return shape.status();
    inputs_.shapes.push_back(*shape);
    inputs_.values.push_back(nullptr);
    inputs_.as_shapes.push_back(nullptr);
    if (input.value != nullptr) return AddValue(*input.value);
    if (input.as_shape.rank < 0) return OkStatus();
    shape = ShapeOf(input.as_shape, OPSRUN_SIZE_ELEMENT, i);
    if (shape.ok()) inputs_.as_shapes.back() = *shape;
    return shape.status();
  }

  Status Run(opsrun_shapes& into) {
    Result<OpShapeOutputs> outputs = op_.InferShapes(inputs_, engine_);
    if (!outputs.ok()) return outputs.status();
    for (const opsrun_shape* shape : outputs->shapes) into.outputs.push_back(ListOf(shape, into));
    for (const opsrun_shape* shape : outputs->as_shapes) into.as_shapes.push_back(ListOf(shape, into));
    into.wanted = std::move(outputs->wanted);
    for (size_t i = 0; i < engine_.Equated(); ++i) {
      const auto [a, b] = engine_.EquationAt(i);
      for (const opsrun_dim* dim : {a, b}) into.equal.push_back(SizeOf(dim, into));
    }
    return OkStatus();
  }

 private:
  Result<const opsrun_shape*> ShapeOf(const opsrun_known_sizes& known, uint32_t kind, uint32_t input) {
    RequireZero("opsrun_known_sizes.reserved", known.reserved);
    if (known.rank < 0) return engine_.Unknown();
    if (known.rank > OPSRUN_MAX_RANK || (known.rank > 0 && known.sizes == nullptr)) {
      return InvalidArgument(fmt::format("input {} has rank {}, or no sizes", input, known.rank));
    }
    std::vector<const opsrun_dim*> dims;
    for (int32_t i = 0; i < known.rank; ++i) {
      if (kind == OPSRUN_SIZE_INPUT && known.sizes[i] < -1) {
        return InvalidArgument(fmt::format("dimension {} of input {} has the size {}", i, input, known.sizes[i]));
      }
      dims.push_back(DimOf(known, i, {kind, input, static_cast<uint32_t>(i)}));
    }
    return engine_.MakeShape(known.rank, dims.data());
  }

  // Equal symbols give the same dimension.
  const opsrun_dim* DimOf(const opsrun_known_sizes& known, int32_t i, const Origin& origin) {
    const uint32_t symbol = known.sizes[i] >= 0 || known.symbols == nullptr ? 0 : known.symbols[i];
    if (const auto found = symbols_.find(symbol); symbol != 0 && found != symbols_.end()) return found->second;
    const opsrun_dim* dim = engine_.MakeDim(known.sizes[i]);
    origins_[dim] = origin;
    if (symbol != 0) symbols_[symbol] = dim;
    return dim;
  }

  Status AddValue(const opsrun_array& array) {
    const opsrun_in in{nullptr, &array, 0, 0, nullptr, {}};
    TensorRef ref;
    Tensor copy;
    if (Status status = ReadTensor(in, nullptr, &ref, &copy); !status.ok()) return status;
    Result<Tensor> value = Tensor::CopyOf(ref.dtype, Shape(ref.shape, ref.shape + ref.rank), ref.data);
    if (!value.ok()) return value.status();
    inputs_.values.back() = &values_.emplace_back(*std::move(value));
    return OkStatus();
  }

  opsrun_size_list ListOf(const opsrun_shape* shape, opsrun_shapes& into) {
    if (shape == nullptr || shape->rank < 0) return {-1, 0, nullptr};
    std::vector<uint32_t>& list = into.lists.emplace_back();
    for (int32_t i = 0; i < shape->rank; ++i) list.push_back(SizeOf(shape->dims[i], into));
    return {shape->rank, 0, list.data()};
  }

  uint32_t SizeOf(const opsrun_dim* dim, opsrun_shapes& into) {
    if (const auto found = numbers_.find(dim); found != numbers_.end()) return found->second;
    const std::optional<int64_t> number = spec::NumberOf(engine_.Known(dim));
    opsrun_size size{number.value_or(-1), OPSRUN_SIZE_UNKNOWN, 0, 0, 0};
    const spec::ShapeEngine::Term* const term = engine_.TermOf(dim);
    if (number) {
      size.kind = OPSRUN_SIZE_KNOWN;
    } else if (const auto origin = origins_.find(dim); origin != origins_.end()) {
      size = {-1, origin->second.kind, origin->second.a, origin->second.b, 0};
    } else if (term != nullptr) {
      const uint32_t a = SizeOf(term->a, into), b = SizeOf(term->b, into);
      size = {-1, OPSRUN_SIZE_OP + term->op, a, b, 0};
    }
    into.sizes.push_back(size);
    return numbers_[dim] = static_cast<uint32_t>(into.sizes.size() - 1);
  }

  const TypedOp& op_;
  spec::ShapeEngine engine_;
  OpShapeInputs inputs_;
  std::deque<Tensor> values_;
  std::map<uint32_t, const opsrun_dim*> symbols_;
  std::unordered_map<const opsrun_dim*, Origin> origins_;
  std::unordered_map<const opsrun_dim*, uint32_t> numbers_;  // of dimensions, in the result
};

Status Infer(const TypedOp& op, std::span<const opsrun_known_input> inputs, opsrun_shapes& into) {
  const size_t wanted = op.signature().in_types.size();
  if (inputs.size() != wanted) return InvalidArgument(fmt::format("{} inputs instead of {}", inputs.size(), wanted));
  Inference inference(op);
  for (const opsrun_known_input& input : inputs) {
    if (Status status = inference.AddInput(input); !status.ok()) return status;
  }
  return inference.Run(into);
}

}  // namespace

extern "C" {

int32_t opsrun_typed_op_infer(const opsrun_typed_op* typed, const opsrun_known_input* inputs, uint32_t n_inputs,
                              opsrun_shapes** shapes, opsrun_report** report) {
  *shapes = nullptr;
  return Guarded(typed, report, [&] {
    auto made = std::make_unique<opsrun_shapes>();
    if (const Status status = Infer(*typed->op, ListOf(inputs, n_inputs), *made); !status.ok()) {
      const std::string text =
          fmt::format("op '{}' does not accept these shapes: {}", typed->op->op().def.name, status.message());
      return ReportStatus("G217", Status(status.code(), text), report);
    }
    made->info = {.size = sizeof(opsrun_shapes_info),
                  .n_sizes = CountOf(made->sizes),
                  .n_outputs = CountOf(made->outputs),
                  .n_equal = CountOf(made->equal) / 2,
                  .sizes = made->sizes.data(),
                  .outputs = made->outputs.data(),
                  .as_shape = made->as_shapes.data(),
                  .equal = made->equal.data(),
                  .wanted = made->wanted.data(),
                  .n_wanted = CountOf(made->wanted),
                  .reserved = 0};
    *shapes = made.release();
    return static_cast<int32_t>(OPSRUN_OK);
  });
}

const opsrun_shapes_info* opsrun_shapes_get(const opsrun_shapes* shapes) {
  return shapes == nullptr ? nullptr : &shapes->info;
}

void opsrun_shapes_free(opsrun_shapes* shapes) {
  delete shapes;
}

}  // extern "C"
