// host/cli/judge/sample.cc: nodes to judge, and fresh values for them.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>

#include "host/base/display_text.h"
#include "host/cli/gradcheck/gradcheck.h"
#include "host/cli/judge/judge.h"
#include "host/tensor/number_type.h"

namespace opsrun::host {
namespace {

constexpr int kTriesOfValues = 4;  // before fresh values count as accepted
constexpr int kTriesOfSizes = 20;
constexpr int64_t kLeastVaried = 8;  // sizes below decide what an op does more often than how much

bool IsInteger(DType dtype) {
  return WithNumberType(dtype, []<typename T>(T) { return std::is_integral_v<T>; });
}

Distribution AnyNumbers(uint64_t seed) {
  using Kind = Distribution::Kind;
  switch (seed % 5) {
    case 0:
      return {.kind = Kind::kUniform, .offset = -2, .scale = 4};
    case 1:
      return {.kind = Kind::kUniform, .offset = 0, .scale = 1};
    case 2:
      return {.kind = Kind::kNormal, .offset = 0, .scale = 1};
    case 3:
      return {.kind = Kind::kNormal, .offset = 0, .scale = 100};  // beyond what e^x can have as float32
    default:
      return {.kind = Kind::kNormal, .offset = 0.5, .scale = 8};
  }
}

struct Range {
  int64_t low = 0, high = 0;
};

Range RangeOf(const Tensor& tensor) {
  return WithNumberType(tensor.dtype(), [&]<typename T>(T) {
    Range range;
    if constexpr (std::is_integral_v<T>) {
      const T* const all = static_cast<const T*>(tensor.data());
      if (tensor.num_elements() == 0) return range;
      const auto [low, high] = std::minmax_element(all, all + tensor.num_elements());
      range = {static_cast<int64_t>(*low), static_cast<int64_t>(*high)};
    }
    return range;
  });
}

// Every third time larger than 16 bits, if the type is.
Distribution Integers(Fresh fresh, const Tensor& given, uint64_t seed) {
  const int64_t most = seed % 3 != 0                      ? 100
                       : ElementBytes(given.dtype()) >= 4 ? 1'000'000
                       : ElementBytes(given.dtype()) == 2 ? 30'000
                                                          : 127;
  Range range = fresh == Fresh::kNear ? RangeOf(given) : Range{-most, most};
  const bool is_unsigned = WithNumberType(given.dtype(), []<typename T>(T) { return std::is_unsigned_v<T>; });
  if (fresh == Fresh::kAny && given.dtype() == DType::kBool) range = {0, 1};
  if (fresh == Fresh::kAny && is_unsigned) range.low = 0;
  return {.kind = Distribution::Kind::kInts,
          .low = static_cast<uint64_t>(range.low),
          .range = static_cast<uint64_t>(range.high) - static_cast<uint64_t>(range.low)};
}

void Shuffle(Tensor& tensor, const Tensor& given, uint64_t seed) {
  const size_t bytes = ElementBytes(given.dtype());
  auto* const to = static_cast<char*>(tensor.mutable_data());
  const auto* const from = static_cast<const char*>(given.data());
  std::vector<size_t> order(static_cast<size_t>(given.num_elements()));
  std::iota(order.begin(), order.end(), size_t{0});
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[RandomBits(seed, i) % i]);
  for (size_t i = 0; i < order.size(); ++i) std::memcpy(to + i * bytes, from + order[i] * bytes, bytes);
}

std::vector<TensorType> TypesOf(std::span<const Tensor> tensors) {
  std::vector<TensorType> types;
  for (const Tensor& tensor : tensors) types.push_back({tensor.dtype(), tensor.shape()});
  return types;
}

std::string TextOfNode(const Problem& problem) {
  return WriteOpGraph(*problem.graph, fmt::format("{}.{}", problem.op->op().plugin->name, problem.op->op().def.name));
}

std::vector<std::string> ResultsOf(const Problem& problem) {
  std::vector<std::string> results;
  for (const std::string& output : TensorNames(problem.op->signature().out_args))
    results.push_back(fmt::format("{}.{}", problem.graph->nodes.front().name.value, output));
  return results;
}

// The largest error of rounding, relative to the number: half a unit in the last place.
double UnitOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return 0x1p-11;
    case DType::kBFloat16:
      return 0x1p-8;
    case DType::kFloat32:
    case DType::kComplex64:
      return 0x1p-24;
    case DType::kFloat64:
    case DType::kComplex128:
      return 0x1p-53;
    default:
      return 0x1p-3;
  }
}

}  // namespace

size_t Sample::bytes() const {
  size_t bytes = 0;
  for (const TensorType& type : candidate.feeds) bytes += type.bytes();
  for (const TensorType& type : candidate.outputs) bytes += type.bytes();
  return bytes;
}

Result<Tensor> MakeFresh(Fresh fresh, const Tensor& given, uint64_t seed) {
  if (fresh == Fresh::kKeep) return given;
  Result<Tensor> tensor = Tensor::Create(given.dtype(), given.shape());
  if (!tensor.ok()) return tensor;
  if (fresh == Fresh::kShuffle) {
    Shuffle(*tensor, given, seed);
  } else if (IsInteger(given.dtype())) {
    FillRandom(*tensor, seed, Integers(fresh, given, seed));
  } else if (fresh == Fresh::kNear) {
    FillRandom(*tensor, seed, {.kind = Distribution::Kind::kUniform, .offset = 0.5, .scale = 1});
  } else {
    FillRandom(*tensor, seed, AnyNumbers(seed));
  }
  return tensor;
}

Result<std::vector<Tensor>> CallHere(CallablePlan& plan, std::span<const Tensor> inputs) {
  std::vector<TensorRef> feeds;
  for (const Tensor& input : inputs) {
    feeds.push_back({const_cast<void*>(input.data()), input.dtype(), static_cast<int32_t>(input.shape().size()),
                     input.shape().data(), nullptr, kNoStream});
  }
  std::vector<CallOutput> outputs(plan.plan().outputs.size());
  if (const std::optional<RunFailure> failure = plan.Run(feeds, outputs, {})) return failure->status;
  std::vector<Tensor> results;
  for (const CallOutput& output : outputs) {
    Result<Tensor> result = Tensor::CopyOf(output.dtype, Shape(output.shape, output.shape + output.rank), output.data);
    if (!result.ok()) return result.status();
    results.push_back(*std::move(result));
  }
  return results;
}

std::vector<Tensor> Sample::ForReference(std::span<const Tensor> inputs) const {
  std::vector<Tensor> feeds;
  for (size_t call = 0; call < inputs.size(); call += std::max<size_t>(order.size(), 1)) {
    for (const size_t i : order) feeds.push_back(inputs[call + i]);
  }
  return feeds;
}

// The reference's own node, or the graph, whose feeds have the names of the op's inputs.
Status SampleMaker::FindReference(const Problem& problem, Sample& sample) const {
  PlanRequest& request = sample.reference;
  const spec::Signature& signature = problem.op->signature();
  if (sides_.graph == nullptr) {
    request = {TextOfNode(problem), "", ResultsOf(problem), TypesOf(problem.call.inputs)};
    for (size_t i = 0; i < request.feeds.size(); ++i) sample.order.push_back(i);
    return OkStatus();
  }
  request.graph = sides_.graph_text;
  const Graph& graph = *sides_.graph->graph();
  std::vector<std::string> names = TensorNames(signature.in_args);
  for (std::string& name : names) std::ranges::replace(name, '.', '_');
  for (const Feed& feed : graph.feeds) {
    if (feed.source != Feed::Source::kDeclared) continue;
    const auto at = std::ranges::find(names, feed.name.value);
    if (at == names.end())
      return InvalidArgument(fmt::format("feed '{}' of the graph has no input of the op with its name; inputs: {}",
                                         feed.name.value, QuotedNames(names)));
    sample.order.push_back(static_cast<size_t>(at - names.begin()));
    const Tensor& input = problem.call.inputs[sample.order.back()];
    request.feeds.push_back({input.dtype(), input.shape()});
  }
  if (request.feeds.size() != names.size())
    return InvalidArgument(fmt::format("the graph declares {}, but the op has {}",
                                       Several(request.feeds.size(), "feed"), Several(names.size(), "input")));
  for (const GraphOutput& output : graph.outputs) request.results.push_back(ReferenceText(output.from));
  return OkStatus();
}

Result<Sample> SampleMaker::Make(const Problem& problem, Sample::Origin origin) {
  Sample sample;
  sample.origin = origin;
  sample.text = problem.text;
  sample.given = problem.call.inputs;
  sample.outputs = TensorNames(problem.op->signature().out_args);
  const auto shared = [](DType dtype) { return DTypeSize(dtype) != 0; };
  for (const Tensor& input : sample.given) {
    if (!shared(input.dtype()))
      return Unimplemented(fmt::format("inputs of type {} cannot be shared", DTypeName(input.dtype())));
  }
  if (Status found = FindReference(problem, sample); !found.ok()) return found;
  const Result<std::shared_ptr<CallablePlan>> plan = MakePlan(*sides_.engine, sample.reference);
  if (!plan.ok()) return plan.status();
  const Result<std::vector<Tensor>> results = CallHere(**plan, sample.ForReference(sample.given));
  if (!results.ok()) return results.status();
  for (const Tensor& result : *results) {
    if (!shared(result.dtype()))
      return Unimplemented(fmt::format("outputs of type {} cannot be shared", DTypeName(result.dtype())));
  }
  if (results->size() != sample.outputs.size())
    return InvalidArgument(fmt::format("the graph has {}, but the op has {}", Several(results->size(), "output"),
                                       Several(sample.outputs.size(), "output")));
  sample.reference.outputs = TypesOf(*results);
  sample.candidate = sample.reference;
  if (sides_.graph != nullptr) {
    sample.candidate.graph = TextOfNode(problem);
    sample.candidate.results = ResultsOf(problem);
    sample.candidate.feeds = TypesOf(sample.given);
  }
  sample.candidate.op = fmt::format("{}.{}", sides_.candidate_plugin, sides_.op->def.name);
  if (Status found = FindFresh(*plan, sample); !found.ok()) return found;
  FindExact(sample);
  return sample;
}

// For each input, the freest values with which the reference has results of the same shapes.
Status SampleMaker::FindFresh(const std::shared_ptr<CallablePlan>& plan, Sample& sample) {
  sample.fresh.assign(sample.given.size(), Fresh::kKeep);
  const auto accepts = [&] {
    for (int i = 0; i < kTriesOfValues; ++i) {
      std::vector<Tensor> inputs;
      for (size_t k = 0; k < sample.given.size(); ++k) {
        Result<Tensor> input = MakeFresh(sample.fresh[k], sample.given[k], draws_.Below(~uint64_t{0}));
        if (!input.ok()) return false;
        inputs.push_back(*std::move(input));
      }
      const Result<std::vector<Tensor>> results = CallHere(*plan, sample.ForReference(inputs));
      if (!results.ok()) return false;
      for (size_t k = 0; k < results->size(); ++k) {
        if ((*results)[k].shape() != sample.reference.outputs[k].shape) return false;
      }
    }
    return true;
  };
  for (Fresh& fresh : sample.fresh) {
    for (const Fresh each : {Fresh::kAny, Fresh::kNear, Fresh::kShuffle, Fresh::kKeep}) {
      fresh = each;
      if (accepts()) break;
    }
  }
  return accepts() ? OkStatus() : FailedPrecondition("the reference does not compute the same node twice");
}

// The reference with float64 instead of the narrow type, if its op has such a kernel.
void SampleMaker::FindExact(Sample& sample) {
  DType narrow = DType::kInvalid;
  for (const TensorType& type : sample.reference.outputs) {
    if (HasGradient(type.dtype) && PreciseType(type.dtype) != type.dtype) narrow = type.dtype;
  }
  if (narrow == DType::kInvalid || IsComplex(narrow)) return;
  PlanRequest request = sample.reference;
  request.narrow = narrow;
  request.wide = PreciseType(narrow);
  request.outputs.clear();
  for (TensorType& type : request.feeds) {
    if (type.dtype == narrow) type.dtype = request.wide;
  }
  const Result<std::shared_ptr<CallablePlan>> plan = MakePlan(*sides_.engine, request);
  if (!plan.ok()) return;
  for (size_t i = 0; i < sample.reference.outputs.size(); ++i) {
    const PlanOutput& output = (*plan)->plan().outputs[i];
    const DType found = (*plan)->plan().values[output.value].dtype, was = sample.reference.outputs[i].dtype;
    if (found != (was == narrow ? request.wide : was)) return;
  }
  sample.exact = *plan;
  sample.narrow = narrow;
}

// Sizes that are equal stay equal, so that what fits together still does.
std::optional<Sample> SampleMaker::MakeOther(const Problem& problem, Sample::Origin origin) {
  for (int i = 0; i < kTriesOfSizes; ++i) {
    std::map<int64_t, int64_t> other;
    Problem near = problem;
    near.call.inputs.clear();
    bool changed = false;
    for (const Tensor& input : problem.call.inputs) {
      Shape shape = input.shape();
      for (int64_t& size : shape) {
        if (size < kLeastVaried) continue;
        const auto found = other.find(size);
        const int64_t most = origin == Sample::Origin::kNear ? size / 4 : size - 1;
        const int64_t drawn = size - static_cast<int64_t>(draws_.Below(static_cast<uint64_t>(most))) - 1;
        size = found == other.end() ? other.emplace(size, drawn).first->second : found->second;
        changed = true;
      }
      Result<Tensor> drawn = Tensor::Create(input.dtype(), shape);
      if (!drawn.ok()) return std::nullopt;
      if (shape == input.shape()) {
        drawn = input;
      } else if (IsInteger(input.dtype())) {
        FillRandom(*drawn, draws_.Below(~uint64_t{0}), Integers(Fresh::kNear, input, 0));
      } else {
        drawn = MakeFresh(Fresh::kNear, *drawn, draws_.Below(~uint64_t{0}));
      }
      near.call.inputs.push_back(*std::move(drawn));
    }
    if (!changed) return std::nullopt;
    auto graph = std::make_shared<Graph>(*problem.graph);
    for (size_t k = 0; k < near.call.inputs.size(); ++k) graph->feeds[k].shape = {near.call.inputs[k].shape(), {}};
    near.text = TextOf(*graph, near.call.inputs);
    near.graph = std::move(graph);
    Result<Sample> sample = Make(near, origin);
    if (sample.ok()) return *std::move(sample);
  }
  return std::nullopt;
}

void ErrorSpread::Add(const Tensor& found, const Tensor& exact) {
  constexpr size_t kMost = size_t{1} << 20;
  const std::vector<double> numbers = RealParts(found), expected = RealParts(exact);
  const double unit = 2 * UnitOf(found.dtype());
  double squares = 0;
  for (const double number : expected) squares += std::isfinite(number) ? number * number : 0;
  const double least = std::sqrt(squares / static_cast<double>(std::max<size_t>(expected.size(), 1))) * 0x1p-10;
  for (size_t i = 0; i < numbers.size() && errors.size() < kMost; ++i) {
    if (!std::isfinite(expected[i]) || !std::isfinite(numbers[i])) continue;
    errors.push_back(std::abs(numbers[i] - expected[i]) / (unit * std::max({std::abs(expected[i]), least, 1e-300})));
  }
}

double ErrorSpread::At(double quantile) {
  if (errors.empty()) return 0;
  std::ranges::sort(errors);
  return Quantile(errors, quantile);
}

}  // namespace opsrun::host
