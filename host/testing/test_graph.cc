// host/testing/test_graph.cc: plans and runs a small graph in memory as the program does.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/testing/test_graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/environment.h"
#include "host/tensor/number_type.h"
#include "host/testing/made_graph.h"

namespace opsrun::test {

// Each member uses those above it, even during destruction.
struct TestGraph::Impl {
  explicit Impl(PluginFiles the_files) : files(std::move(the_files)) {
    if (const char* const device = host::Environment("OPSRUN_TEST_DEVICE")) options.device = device;
    options.isolate = host::Environment("OPSRUN_TEST_ISOLATE") != nullptr;
  }

  void Restart();
  Outcome Run();
  std::string WhyNoOutputs(const GraphParts* of) const;
  std::string WhyNoOutput(const GraphParts* of, size_t node, int i) const;
  host::Result<host::Tensor> Output(const GraphParts* of, size_t node, int i) const;
  const void* Seen(const std::vector<std::string>& names, int i) const;

  const PluginFiles files;
  host::MemorySeen seen;
  host::PluginSetOptions options;
  host::PluginSet plugins;  // has an engine after the first run
  std::shared_ptr<GraphParts> parts = std::make_shared<GraphParts>();
  std::unique_ptr<host::PlannedTest> planned;
  bool ran = false;  // the last run succeeded
};

void TestGraph::Impl::Restart() {
  planned.reset();
  { const host::PluginSet ended = std::move(plugins); }  // an assignment would end the engine before what uses it
  plugins = {};
  parts->planned = false;
}

Outcome TestGraph::Impl::Run() {
  ran = false;
  if (plugins.engine == nullptr) {
    options.seen = &seen;
    plugins = host::OpenPluginFiles(files, options);
  }
  if (!plugins.trouble.empty()) return {false, plugins.trouble};
  if (!parts->mistake.empty()) return {false, parts->mistake};
  if (!parts->planned) {
    planned.reset();
    seen.clear();
    host::Result<std::unique_ptr<host::PlannedTest>> made = host::PlannedTest::Make(*parts, plugins);
    if (!made.ok()) return {false, made.status().message()};
    planned = *std::move(made);
    parts->planned = true;
  }
  std::string failure = planned->Run(*parts);
  ran = failure.empty();
  return {ran, std::move(failure)};
}

std::string TestGraph::Impl::WhyNoOutputs(const GraphParts* of) const {
  if (of != parts.get()) return "the node is of an earlier graph: Op() forgets the nodes before it";
  if (ran && parts->planned) return "";
  return "there are no outputs: the graph has not run since it was changed, or the run failed";
}

std::string TestGraph::Impl::WhyNoOutput(const GraphParts* of, size_t node, int i) const {
  std::string why_not = WhyNoOutputs(of);
  if (!why_not.empty()) return why_not;
  const std::vector<int>& outputs = planned->made().outputs[node];
  const std::string name = parts->nodes[node].name;
  if (i < 0 || static_cast<size_t>(i) >= outputs.size()) {
    return fmt::format("there is no output {}: node '{}' gives {}", i, name, outputs.size());
  }
  return outputs[static_cast<size_t>(i)] >= 0 ? "" : fmt::format("output {} of node '{}' is a handle", i, name);
}

host::Result<host::Tensor> TestGraph::Impl::Output(const GraphParts* of, size_t node, int i) const {
  std::string why_not = WhyNoOutput(of, node, i);
  if (!why_not.empty()) return host::InvalidArgument(std::move(why_not));
  return planned->Output(planned->made().outputs[node][static_cast<size_t>(i)]);
}

const void* TestGraph::Impl::Seen(const std::vector<std::string>& names, int i) const {
  const bool named = i >= 0 && static_cast<size_t>(i) < names.size();
  const auto found = named ? seen.find(names[static_cast<size_t>(i)]) : seen.end();
  return found == seen.end() ? nullptr : found->second;
}

TestGraph::TestGraph(const PluginFiles& files) : impl_(std::make_unique<Impl>(files)) {}
TestGraph::~TestGraph() = default;

Node TestGraph::Add(const std::string& op, const std::string& name) {
  GraphParts& parts = *impl_->parts;
  NodePart& part = parts.nodes.emplace_back();
  const size_t index = parts.nodes.size() - 1;
  part.op = op;
  part.name = !name.empty() ? name : index == 0 ? "node" : fmt::format("node_{}", index + 1);
  parts.planned = false;
  return {impl_->parts, index};
}

void TestGraph::Clear() {
  impl_->planned.reset();
  impl_->parts = std::make_shared<GraphParts>();
}

// Threads are a property of the engine, so the next run creates a new one.
void TestGraph::SetThreads(int threads) {
  constexpr int kMost = 256;
  impl_->options.threads = std::clamp(threads, 1, kMost);
  impl_->Restart();
}

void TestGraph::SetDevice(const std::string& device) {
  impl_->options.device = device;
  impl_->Restart();
}

void TestGraph::CutLoops() {
  impl_->options.cut_loops = true;
  impl_->Restart();
}

Outcome TestGraph::Run() {
  return impl_->Run();
}

int TestGraph::NumOutputs(const Node& node) const {
  const bool ran = impl_->WhyNoOutputs(node.parts_.get()).empty();
  return ran ? static_cast<int>(impl_->planned->made().outputs[node.index_].size()) : 0;
}

Array TestGraph::Output(const Node& node, int i) const {
  const host::Result<host::Tensor> tensor = impl_->Output(node.parts_.get(), node.index_, i);
  return tensor.ok() ? host::ToArray(*tensor) : Array();
}

std::string TestGraph::WhyNot(const Node& node, int i, const Array& expected, Tolerance tolerance) const {
  const host::Result<host::Tensor> found = impl_->Output(node.parts_.get(), node.index_, i);
  if (!found.ok()) return found.status().message();
  const host::Result<host::Tensor> wanted = host::ToTensor(expected);
  if (!wanted.ok()) return "what is expected: " + wanted.status().message();
  const std::string name = fmt::format("output {} of node '{}'", i, node.parts_->nodes[node.index_].name);
  return host::DifferenceText(name, *found, *wanted, {tolerance.rtol, tolerance.atol, true});
}

bool TestGraph::Forwarded(const Node& node, int i, int j) const {
  if (!impl_->WhyNoOutput(node.parts_.get(), node.index_, i).empty()) return false;
  const host::MadeGraph& made = impl_->planned->made();
  const void* const output = impl_->Seen(made.readers[node.index_], i);
  return output != nullptr && output == impl_->Seen(made.late[node.index_], j);
}

// Returns the node's description for changes, after which the graph must be planned again.
NodePart& Node::Part() {
  parts_->planned = false;
  return parts_->nodes[index_];
}

bool Node::IsNeighbor(const Node& other) {
  if (other.parts_ == parts_) return true;
  if (parts_->mistake.empty()) {
    parts_->mistake = fmt::format("node '{}' is given a node of another graph: Op() begins a new one", Part().name);
  }
  return false;
}

Node& Node::Input(const Array& array) {
  Part().inputs.emplace_back().arrays = {array};
  return *this;
}

Node& Node::Inputs(const std::vector<Array>& arrays) {
  InputPart& part = Part().inputs.emplace_back();
  part.arrays = arrays;
  part.list = true;
  return *this;
}

Node& Node::Input(const Node& from, const std::string& output) {
  if (!IsNeighbor(from)) return *this;
  InputPart& part = Part().inputs.emplace_back();
  part.source = InputPart::Source::kNode;
  part.node = from.index_;
  part.output = output;
  return *this;
}

Node& Node::InputHandle(const std::string& type, const std::string& name) {
  InputPart& part = Part().inputs.emplace_back();
  part.source = InputPart::Source::kHandle;
  part.handle_type = type;
  part.handle_name = name;
  return *this;
}

Node& Node::Know(Known known) {
  for (InputPart& part : Part().inputs) {
    if (!part.said) part.known = known;
    part.said = true;
  }
  return *this;
}
Node& Node::Fed() {
  return Know(Known::kShape);
}
Node& Node::FedShapeless() {
  return Know(Known::kNothing);
}
Node& Node::Late() {
  return Know(Known::kNotEvenMemory);
}

Node& Node::Attr(const std::string& name, const AttrValue& value) {
  Part().attrs.insert_or_assign(name, value);
  return *this;
}

Node& Node::Label(const std::string& label) {
  Part().label = label;
  return *this;
}

Node& Node::After(const Node& other) {
  if (IsNeighbor(other)) Part().after.push_back(other.index_);
  return *this;
}

Node& Node::Replace(int i, const Array& array) {
  int rest = i;
  for (InputPart& part : parts_->nodes[index_].inputs) {
    const int count = part.source == InputPart::Source::kArrays ? static_cast<int>(part.arrays.size()) : 1;
    if (part.source == InputPart::Source::kArrays && rest >= 0 && rest < count) {
      part.arrays[static_cast<size_t>(rest)] = array;
      if (part.known == Known::kValue) parts_->planned = false;
      return *this;
    }
    rest -= count;
  }
  parts_->mistake = fmt::format("input {} of node '{}' is not an array that could be replaced", i, Part().name);
  return *this;
}

std::string TypeName(int32_t dtype) {
  return host::DTypeName(host::DTypeFromNumber(dtype));
}

Half::Half(double number) : bits_(host::HalfFromDouble(number)) {}
Half::operator float() const {
  return host::HalfToFloat(bits_);
}
Half Half::FromBits(uint16_t bits) {
  Half half;
  half.bits_ = bits;
  return half;
}

BFloat16::BFloat16(double number) : bits_(host::BFloat16FromDouble(number)) {}
BFloat16::operator float() const {
  return host::BFloat16ToFloat(bits_);
}
BFloat16 BFloat16::FromBits(uint16_t bits) {
  BFloat16 number;
  number.bits_ = bits;
  return number;
}

template <int32_t kType>
Float8<kType>::Float8(double number)
    : bits_(host::WithNumberType(host::DTypeFromNumber(kType), [&]<typename T>(T) -> uint8_t {
        if constexpr (sizeof(T) == 1 && host::kIsSmallFloat<T>) return T(number).bits;
        return 0;
      })) {}
template <int32_t kType>
Float8<kType>::operator float() const {
  return host::WithNumberType(host::DTypeFromNumber(kType), [&]<typename T>(T element) -> float {
    if constexpr (sizeof(T) == 1 && host::kIsSmallFloat<T>) {
      element.bits = bits_;
      return static_cast<float>(double{element});
    }
    return 0;
  });
}
template <int32_t kType>
Float8<kType> Float8<kType>::FromBits(uint8_t bits) {
  Float8 number;
  number.bits_ = bits;
  return number;
}
template class Float8<OPSRUN_DT_FLOAT8_E5M2>;
template class Float8<OPSRUN_DT_FLOAT8_E4M3FN>;
template class Float8<OPSRUN_DT_FLOAT8_E4M3FNUZ>;
template class Float8<OPSRUN_DT_FLOAT8_E4M3B11FNUZ>;
template class Float8<OPSRUN_DT_FLOAT8_E5M2FNUZ>;

// For an invalid shape, returns an array that tests reject when they use it.
Array Array::Zeros(int32_t dtype, Shape shape) {
  const host::Result<host::Tensor> zeros = host::Tensor::Create(host::DTypeFromNumber(dtype), shape);
  return zeros.ok() ? host::ToArray(*zeros) : Array{dtype, std::move(shape), {}, {}};
}

}  // namespace opsrun::test
