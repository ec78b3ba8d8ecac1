// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "host/cli/gradcheck/gradcheck.h"
#include "host/gradient/gradient_text.h"
#include "host/tensor/number_type.h"

namespace opsrun::host {
namespace {

constexpr int64_t kMaxElements = 81;  // per tensor, since every element costs a run

constexpr uint64_t kRanks[] = {2, 1, 3, 2, 4, 2, 1, 0, 4, 3};  // most ops work on matrices and images

Shape DrawSizes(Draws& draws, size_t rank) {
  Shape shape(rank);
  for (int64_t& size : shape) size = 1 + static_cast<int64_t>(draws.Below(3));
  return shape;
}

// Draws shapes and values that often fit together: equal, broadcastable and unrelated shapes; integers that are axes,
// indices, sizes, permutations or amounts of padding. Draw all inputs of a node with the same object.
class InputDrawer {
 public:
  explicit InputDrawer(Draws& draws)
      : draws_(draws),
        base_(DrawSizes(draws, kRanks[draws.Below(std::size(kRanks))])),
        shapes_(static_cast<Shapes>(draws.Below(4))),
        sign_(static_cast<Sign>(draws.Below(4))) {}

  // A tensor of the type; nothing for types such as resource.
  std::optional<Tensor> Draw(DType dtype) {
    if (HasGradient(dtype)) {
      const Shape shape = ShapeOfNumbers();
      std::vector<double> parts(static_cast<size_t>(*NumElements(shape)) * PartsOf(dtype));
      for (double& part : parts) part = DrawNumber();
      const Result<Tensor> tensor = FromRealParts(dtype, shape, parts);
      return tensor.ok() ? std::optional(*tensor) : std::nullopt;
    }
    if (HasSlots(dtype) || ElementBytes(dtype) == 0) return std::nullopt;
    const Shape shape = dtype == DType::kBool && draws_.Coin() ? base_ : ShapeOfInts();
    Result<Tensor> tensor = Tensor::Create(dtype, shape);
    if (!tensor.ok()) return std::nullopt;
    const auto kind = dtype == DType::kBool ? Ints::kSmall : static_cast<Ints>(draws_.Below(7));
    std::vector<int64_t> permutation(static_cast<size_t>(tensor->num_elements()));
    std::iota(permutation.begin(), permutation.end(), 0);
    for (size_t i = permutation.size(); i > 1; --i) std::swap(permutation[i - 1], permutation[draws_.Below(i)]);
    WithNumberType(dtype, [&]<typename T>(T) {
      if constexpr (std::is_integral_v<T>) {
        T* const elements = static_cast<T*>(tensor->mutable_data());
        for (int64_t i = 0; i < tensor->num_elements(); ++i) {
          const int64_t drawn = DrawInt(kind, i, permutation);
          elements[i] = static_cast<T>(dtype == DType::kBool ? drawn % 2 : drawn);
        }
      }
    });
    return *tensor;
  }

 private:
  enum class Shapes { kEqual, kBroadcast, kUnrelated, kFirstAndScalars };
  enum class Sign { kPositive, kBelowOne, kAny, kLarge };
  enum class Ints { kZeros, kOnes, kSmall, kSigned, kPermutation, kShape, kIndices };

  Shape ShapeOfNumbers() {
    const bool first = std::exchange(first_, false);
    switch (shapes_) {
      case Shapes::kEqual:
        return base_;
      case Shapes::kUnrelated:
        return first ? base_ : DrawSizes(draws_, kRanks[draws_.Below(std::size(kRanks))]);
      case Shapes::kFirstAndScalars:
        return first ? base_ : Shape();
      case Shapes::kBroadcast:
        break;
    }
    Shape shape = base_;
    if (draws_.Coin()) shape.erase(shape.begin(), shape.begin() + static_cast<int64_t>(draws_.Below(shape.size() + 1)));
    for (int64_t& size : shape) size = draws_.Below(4) == 0 ? 1 : size;
    return shape;
  }

  // Usually a scalar, a vector with an element for each dimension, or amounts of padding.
  Shape ShapeOfInts() {
    const auto rank = static_cast<int64_t>(base_.size());
    switch (draws_.Below(8)) {
      case 0:
      case 1:
        return {};
      case 2:
        return {rank, 2};
      case 3:
      case 4:
        return {rank};
      case 5:
        return {1 + static_cast<int64_t>(draws_.Below(4))};
      case 6:
        return base_.empty() ? Shape{1} : Shape{base_[0]};
      default:
        return draws_.Coin() ? base_ : DrawSizes(draws_, 2);
    }
  }

  int64_t DrawInt(Ints kind, int64_t i, const std::vector<int64_t>& permutation) {
    const auto at = static_cast<size_t>(i);
    switch (kind) {
      case Ints::kZeros:
        return 0;
      case Ints::kOnes:
        return 1;
      case Ints::kSmall:
        return static_cast<int64_t>(draws_.Below(3));
      case Ints::kSigned:
        return static_cast<int64_t>(draws_.Below(4)) - 2;
      case Ints::kPermutation:
        return permutation[at];
      case Ints::kShape:
        return at < base_.size() ? base_[at] : 2;
      case Ints::kIndices:
        return static_cast<int64_t>(draws_.Below(base_.empty() ? 2 : static_cast<uint64_t>(base_[0])));
    }
    return 0;
  }

  // Avoids equal and round numbers, where functions tend to have kinks.
  double DrawNumber() {
    const double unit = (static_cast<double>(draws_.Below(100'000)) + 0.37) / 100'000;
    switch (sign_) {
      case Sign::kPositive:
        return 0.3 + 1.4 * unit;
      case Sign::kBelowOne:
        return 1.8 * unit - 0.9;
      case Sign::kAny:
        return 3 * unit - 1.5;
      case Sign::kLarge:
        return 6 * unit - 3;
    }
    return unit;
  }

  Draws& draws_;
  const Shape base_;
  const Shapes shapes_;
  const Sign sign_;
  bool first_ = true;
};

// A tensor with a gradient is differentiated; others are constants.
void SetValue(Feed& feed, Tensor value, GradientProblem& problem) {
  feed.dtype = {value.dtype(), {}};
  feed.shape = {value.shape(), {}};
  if (HasGradient(value.dtype())) {
    if (value.num_elements() > 0) problem.request.wrt.push_back({feed.name.value, {}, -1, {}});
    problem.values.emplace(feed.name.value, std::move(value));
  } else {
    feed.source = Feed::Source::kValue;
    feed.value = std::move(value);
  }
}

// False if random values cannot be drawn for an input's type.
bool DrawInputs(Graph& graph, Draws& draws, GradientProblem& problem) {
  InputDrawer inputs(draws);
  for (Feed& feed : graph.feeds) {
    std::optional<Tensor> value = inputs.Draw(feed.dtype->value);
    if (!value || value->num_elements() > kMaxElements) return false;
    SetValue(feed, *std::move(value), problem);
  }
  return !problem.request.wrt.empty();
}

// The outputs that have gradients; none if the op rejects its inputs.
std::vector<GradientOf> Outputs(const LoadedGraph& ops, const std::shared_ptr<const Graph>& graph) {
  Resolution resolution;
  std::vector<GradientOf> outputs;
  if (ops.WithGraph(graph, {})->Plan({.threads = 1, .resolution = &resolution}) == nullptr) return outputs;
  const std::vector<std::string> names = ValueNames(resolution, *graph);
  const ResolvedNode& node = resolution.nodes[0];
  for (uint32_t i = 0; i < node.signature->out_types.size(); ++i) {
    const ResolvedValue& output = resolution.values[node.first_output + i];
    int64_t elements = 1;
    for (const ResolvedDim& dim : output.shape.dims) elements = dim.size < 0 ? elements : elements * dim.size;
    if (elements > kMaxElements) return {};
    if (HasGradient(output.dtype)) outputs.push_back({ParseReference(names[node.first_output + i]), std::nullopt});
  }
  return outputs;
}

class Borrower {
 public:
  Borrower(Engine& engine, const RegisteredOp& op, GradientProblem of_user)
      : engine_(engine), op_(op), of_user_(std::move(of_user)) {}

  std::optional<GradientProblem> Borrow() {
    const std::shared_ptr<LoadedGraph> loaded = engine_.LoadGraph(of_user_.graph);
    const std::optional<DerivedGradients> gradients = DifferentiateGraph(*loaded, of_user_.request);
    if (!gradients) return std::nullopt;
    for (size_t i = 0; i < gradients->nodes.size(); ++i) {
      const Node node = gradients->NodeAt(i, *loaded->graph());
      if (node.op.value != op_.def.name) continue;
      Graph graph = WithGradients(*loaded->graph(), of_user_.request, *gradients);
      return ProblemOf(node, InputsOf(node, std::move(graph)));
    }
    return std::nullopt;
  }

 private:
  // The input tensors of the node; none after an error.
  std::vector<Tensor> InputsOf(const Node& node, Graph graph) {
    graph.outputs.clear();
    for (const NodeInput& input : node.inputs) {
      for (const Reference& from : input.from) {
        GraphOutput& output = graph.outputs.emplace_back();
        output.name.value = fmt::format("input_{}", graph.outputs.size());
        output.from = from;
      }
    }
    Diagnostics ignored;
    const auto function =
        GraphFunction::Create(engine_, std::make_shared<const Graph>(std::move(graph)), of_user_.values, ignored);
    if (function == nullptr) return {};
    Result<std::vector<Tensor>> inputs = function->Run();
    return inputs.ok() ? *std::move(inputs) : std::vector<Tensor>();
  }

  std::optional<GradientProblem> ProblemOf(Node node, std::vector<Tensor> inputs) {
    if (inputs.empty()) return std::nullopt;
    GradientProblem problem;
    auto graph = std::make_shared<Graph>();
    graph->source = of_user_.graph->source;
    size_t next = 0;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      for (Reference& from : node.inputs[i].from) {
        Feed& feed = graph->feeds.emplace_back();
        const std::string& arg = op_.def.inputs[i].name;
        feed.name.value = node.inputs[i].list ? fmt::format("{}_{}", arg, next) : arg;
        SetValue(feed, std::move(inputs[next++]), problem);
        from = {feed.name.value, {}, -1, {}};
      }
    }
    node.name.value = op_.def.name;
    node.gradient_of.reset();
    graph->nodes.push_back(std::move(node));
    for (const spec::ArgDef& output : op_.def.outputs) {
      const bool single = op_.def.outputs.size() == 1;
      problem.request.of.push_back({{op_.def.name, single ? "" : output.name, -1, {}}, std::nullopt});
    }
    problem.graph = std::move(graph);
    return problem.request.wrt.empty() ? std::nullopt : std::optional(std::move(problem));
  }

  Engine& engine_;
  const RegisteredOp& op_;
  const GradientProblem of_user_;
};

}  // namespace

std::optional<GradientProblem> DrawProblem(const LoadedGraph& ops, const RegisteredOp& op, DType type, uint64_t seed) {
  Draws draws(seed);
  GradientProblem problem;
  static const auto nameless = std::make_shared<const SourceFile>();
  auto graph = std::make_shared<Graph>(DrawOpGraph(op, type, nameless, draws));
  if (!DrawInputs(*graph, draws, problem)) return std::nullopt;
  problem.request.of = Outputs(ops, graph);
  if (problem.request.of.empty()) return std::nullopt;
  problem.graph = std::move(graph);
  return problem;
}

bool UsesInGradient(const RegisteredOp& user, const RegisteredOp& op) {
  if (user.gradient.empty() || &user == &op) return false;
  const std::vector<std::string> used = GradientText(user).OpNames();
  return std::find(used.begin(), used.end(), op.def.name) != used.end();
}

std::optional<GradientProblem> BorrowProblem(const LoadedGraph& ops, const RegisteredOp& op, const RegisteredOp& user,
                                             DType type, uint64_t seed) {
  std::optional<GradientProblem> of_user = DrawProblem(ops, user, type, seed);
  return of_user ? Borrower(ops.engine(), op, *std::move(of_user)).Borrow() : std::nullopt;
}

}  // namespace opsrun::host
