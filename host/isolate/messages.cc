// SPDX-License-Identifier: Apache-2.0
#include "host/isolate/messages.h"

namespace opsrun::host {
namespace {

constexpr uint64_t kMostRank = OPSRUN_MAX_RANK;

void WriteNumbers(WireWriter& out, const auto& numbers) {
  out.Each(numbers, [&](auto number) { out.Number(number); });
}

template <typename T>
void ReadNumbers(WireReader& in, std::vector<T>& numbers) {
  in.Each([&] { numbers.push_back(in.Number<T>()); });
}

void WriteType(WireWriter& out, DType dtype) {
  out.Number(static_cast<int32_t>(dtype));
}

DType ReadType(WireReader& in) {
  const DType dtype = DTypeFromNumber(in.Number<int64_t>());
  if (!IsDType(dtype)) in.Fail();
  return dtype;
}

Shape ReadShape(WireReader& in) {
  Shape shape;
  ReadNumbers(in, shape);
  if (shape.size() > kMostRank) in.Fail();
  return shape;
}

template <typename T, typename WriteOne>
void WriteOptional(WireWriter& out, const std::optional<T>& value, WriteOne write) {
  out.Number(value.has_value());
  if (value) write(*value);
}

template <typename T, typename ReadOne>
void ReadOptional(WireReader& in, std::optional<T>& value, ReadOne read) {
  if (in.Flag()) read(value.emplace());
}

void WriteOne(WireWriter& out, const WireDim& dim) {
  out.Number(dim.unknown);
  out.Number(dim.value);
}

void ReadOne(WireReader& in, WireDim& dim) {
  dim.unknown = in.Flag();
  dim.value = in.Number<int64_t>();
}

void WriteOne(WireWriter& out, const WireShape& shape);
void ReadOne(WireReader& in, WireShape& shape);
void WriteOne(WireWriter& out, const RunTensor& tensor);
void ReadOne(WireReader& in, RunTensor& tensor);

template <typename T>
void WriteAll(WireWriter& out, const std::vector<T>& all) {
  out.Each(all, [&](const T& one) { WriteOne(out, one); });
}

template <typename T>
void ReadAll(WireReader& in, std::vector<T>& all) {
  in.Each([&] { ReadOne(in, all.emplace_back()); });
}

void WriteTerms(WireWriter& out, const std::vector<std::optional<WireTerm>>& terms) {
  out.Each(terms, [&](const std::optional<WireTerm>& term) {
    WriteOptional(out, term, [&](const WireTerm& one) {
      out.Number(one.op);
      WriteOne(out, one.a);
      WriteOne(out, one.b);
    });
  });
}

void ReadTerms(WireReader& in, std::vector<std::optional<WireTerm>>& terms) {
  in.Each([&] {
    ReadOptional(in, terms.emplace_back(), [&](WireTerm& one) {
      one.op = in.Number<uint32_t>();
      ReadOne(in, one.a);
      ReadOne(in, one.b);
    });
  });
}

void WriteOne(WireWriter& out, const WireShape& shape) {
  out.Number(shape.rank_known);
  WriteAll(out, shape.dims);
}

// Elements of a tensor are as many as it has, so there is no limit to their number here.
void ReadOne(WireReader& in, WireShape& shape) {
  shape.rank_known = in.Flag();
  ReadAll(in, shape.dims);
}

void WriteTensor(WireWriter& out, const Tensor& tensor) {
  WriteType(out, tensor.dtype());
  WriteNumbers(out, tensor.shape());
  if (tensor.dtype() != DType::kString) return out.Text({static_cast<const char*>(tensor.data()), tensor.num_bytes()});
  out.Number(tensor.num_elements());
  for (int64_t i = 0; i < tensor.num_elements(); ++i) out.Text(tensor.string(i));
}

void ReadTensor(WireReader& in, Tensor& tensor) {
  const DType dtype = ReadType(in);
  const Shape shape = ReadShape(in);
  const std::optional<int64_t> count = NumElements(shape);
  if (!in.ok() || !count || !HasValues(dtype)) return static_cast<void>(in.Fail());
  if (dtype != DType::kString) {
    const std::string_view bytes = in.View();
    if (!in.ok() || bytes.size() != static_cast<uint64_t>(*count) * ElementBytes(dtype))
      return static_cast<void>(in.Fail());
    Result<Tensor> made = Tensor::CopyOf(dtype, shape, bytes.data());
    if (!made.ok()) return static_cast<void>(in.Fail());
    tensor = *std::move(made);
    return;
  }
  const std::vector<std::string> strings = in.Texts();
  if (strings.size() != static_cast<uint64_t>(*count)) return static_cast<void>(in.Fail());
  Result<Tensor> made = Tensor::Create(dtype, shape);
  if (!made.ok()) return static_cast<void>(in.Fail());
  tensor = *std::move(made);
  for (size_t i = 0; i < strings.size(); ++i) {
    if (!tensor.SetString(static_cast<int64_t>(i), strings[i]).ok()) in.Fail();
  }
}

void WriteOne(WireWriter& out, const RunTensor& tensor) {
  WriteType(out, tensor.dtype);
  WriteNumbers(out, tensor.shape);
  out.Number(tensor.address);
  out.Number(tensor.is_there);
  out.Texts(tensor.strings);
  WriteNumbers(out, tensor.tokens);
}

void ReadOne(WireReader& in, RunTensor& tensor) {
  tensor.dtype = ReadType(in);
  tensor.shape = ReadShape(in);
  tensor.address = in.Number();
  tensor.is_there = in.Flag();
  tensor.strings = in.Texts();
  ReadNumbers(in, tensor.tokens);
}

}  // namespace

bool CanBeTimes(const std::vector<RunNodeTime>& times, size_t nodes, int64_t begin, int64_t end) {
  std::vector<bool> found(nodes);
  for (const RunNodeTime& time : times) {
    const bool is_within = begin <= time.begin && time.begin <= time.end && time.end <= end;
    if (time.node >= nodes || found[time.node] || !is_within) return false;
    found[time.node] = true;
  }
  return true;
}

void WriteStatus(WireWriter& out, const Status& status) {
  out.Number(status.code());
  out.Text(status.message());
  out.Text(status.subject());
}

Status ReadStatus(WireReader& in) {
  const auto code = in.Number<int>();
  std::string message = in.Text(), subject = in.Text();
  if (!in.ok()) return Internal("the reply of the isolated process is damaged");
  return {KnownCode(code), std::move(message), std::move(subject)};
}

void Write(WireWriter& out, const OpenRequest& request) {
  out.Text(request.version);
  out.Text(request.plugin);
  out.Number(request.level);
  out.Number(request.threads);
  out.Number(request.memory);
  out.Number(request.sandbox);
}

void Read(WireReader& in, OpenRequest& request) {
  request.version = in.Text();
  request.plugin = in.Text();
  request.level = in.Number<uint32_t>();
  request.threads = in.Number();
  request.memory = in.Number();
  request.sandbox = in.Flag();
}

void Write(WireWriter& out, const std::vector<TensorFacts>& facts) {
  out.Each(facts, [&](const TensorFacts& each) {
    WriteType(out, each.dtype);
    WriteOptional(out, each.shape, [&](const Shape& shape) { WriteNumbers(out, shape); });
  });
}

void Read(WireReader& in, std::vector<TensorFacts>& facts) {
  in.Each([&] {
    TensorFacts& each = facts.emplace_back();
    each.dtype = ReadType(in);
    ReadOptional(in, each.shape, [&](Shape& shape) { shape = ReadShape(in); });
  });
}

void Write(WireWriter& out, const std::vector<PartError>& errors) {
  out.Each(errors, [&](const PartError& error) {
    out.Number(error.node);
    out.Number(error.code);
    out.Text(error.message);
    out.Text(error.subject);
    out.Texts(error.help);
    out.Texts(error.notes);
    out.Texts(error.inputs);
  });
}

void Read(WireReader& in, std::vector<PartError>& errors) {
  in.Each([&] {
    PartError& error = errors.emplace_back();
    error.node = in.Number();
    error.code = KnownCode(in.Number<int>());
    error.message = in.Text();
    error.subject = in.Text();
    error.help = in.Texts();
    error.notes = in.Texts();
    error.inputs = in.Texts();
  });
}

void Write(WireWriter& out, const InferRequest& request) {
  out.Each(request.inputs, [&](const InferInput& input) {
    WriteOne(out, input.shape);
    WriteOptional(out, input.elements, [&](const WireShape& elements) { WriteOne(out, elements); });
    WriteOptional(out, input.value, [&](const Tensor& value) { WriteTensor(out, value); });
  });
  WriteTerms(out, request.unknowns);
}

void Read(WireReader& in, InferRequest& request) {
  in.Each([&] {
    InferInput& input = request.inputs.emplace_back();
    ReadOne(in, input.shape);
    ReadOptional(in, input.elements, [&](WireShape& elements) { ReadOne(in, elements); });
    ReadOptional(in, input.value, [&](Tensor& value) { ReadTensor(in, value); });
  });
  ReadTerms(in, request.unknowns);
}

void Write(WireWriter& out, const InferReply& reply) {
  WriteAll(out, reply.outputs);
  out.Each(reply.elements, [&](const std::optional<WireShape>& elements) {
    WriteOptional(out, elements, [&](const WireShape& shape) { WriteOne(out, shape); });
  });
  WriteNumbers(out, reply.wanted);
  WriteAll(out, reply.equal_to);
  WriteTerms(out, reply.made);
  out.Number(reply.uses_values);
}

void Read(WireReader& in, InferReply& reply) {
  ReadAll(in, reply.outputs);
  in.Each([&] { ReadOptional(in, reply.elements.emplace_back(), [&](WireShape& shape) { ReadOne(in, shape); }); });
  ReadNumbers(in, reply.wanted);
  ReadAll(in, reply.equal_to);
  ReadTerms(in, reply.made);
  reply.uses_values = in.Flag();
}

void Write(WireWriter& out, const RunRequest& request) {
  WriteAll(out, request.feeds);
  out.Each(request.outputs, [&](const RunPlace& place) {
    out.Number(place.address);
    out.Number(place.bytes);
  });
  WriteNumbers(out, request.without);
  out.Number(request.timed);
  WriteNumbers(out, request.unused);
}

void Read(WireReader& in, RunRequest& request) {
  ReadAll(in, request.feeds);
  in.Each([&] {
    RunPlace& place = request.outputs.emplace_back();
    place.address = in.Number();
    place.bytes = in.Number();
  });
  ReadNumbers(in, request.without);
  request.timed = in.Flag();
  ReadNumbers(in, request.unused);
}

void Write(WireWriter& out, const RunReply& reply) {
  WriteAll(out, reply.outputs);
  Write(out, reply.errors);
  out.Each(reply.times, [&](const RunNodeTime& time) {
    out.Number(time.node);
    out.Number(time.begin);
    out.Number(time.end);
    out.Number(time.thread);
  });
}

void Read(WireReader& in, RunReply& reply) {
  ReadAll(in, reply.outputs);
  Read(in, reply.errors);
  in.Each([&] {
    RunNodeTime& time = reply.times.emplace_back();
    time.node = in.Number();
    time.begin = in.Number<int64_t>();
    time.end = in.Number<int64_t>();
    time.thread = in.Number();
  });
}

}  // namespace opsrun::host
