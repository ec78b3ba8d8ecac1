// tests/fuzz/proto_target.cc: parses messages of compat/. The first byte selects the type.
// SPDX-License-Identifier: Apache-2.0
#include "tensorflow/core/framework/node_def.pb.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/tensor.pb.h"
#include "tests/fuzz/target.h"

namespace opsrun::fuzz {
namespace {
namespace protos {

// Serializing a parsed message is deterministic.
template <typename Message>
bool Read(std::string_view bytes, Message* message) {
  if (!message->ParseFromString(bytes)) return false;
  const std::string once = message->SerializeAsString();
  Message again;
  Require(again.ParseFromString(once), "what was written is read");
  Require(again.SerializeAsString() == once, "it is written as it was");
  Require(again.DebugString() == message->DebugString(), "it prints as it did");
  return true;
}

// A message of a few bytes may describe a large tensor, which would only use up memory.
bool IsSmall(const tensorflow::TensorProto& proto) {
  tensorflow::int64 elements = 1;
  for (const auto& dim : proto.tensor_shape().dim()) {
    if (__builtin_mul_overflow(elements, dim.size(), &elements)) return true;
    if (elements > 10000) return false;
  }
  return true;
}

void EatTensor(std::string_view bytes) {
  tensorflow::TensorProto proto, back;
  if (!Read(bytes, &proto) || !IsSmall(proto)) return;
  tensorflow::Tensor tensor;
  if (!tensor.FromProto(proto)) return;
  tensor.AsProtoTensorContent(&back);
  tensorflow::Tensor again;
  Require(again.FromProto(back), "a tensor comes back");
  Require(again.DebugString() == tensor.DebugString(), "with its elements");
}

void Eat(std::string_view bytes) {
  if (bytes.empty()) return;
  if ((bytes[0] & 1) != 0) return EatTensor(bytes.substr(1));
  tensorflow::NodeDef node;
  Read(bytes.substr(1), &node);
}

std::vector<std::string> Seeds() {
  std::vector<std::string> seeds;
  tensorflow::NodeDef node;
  node.set_name("n");
  node.add_input("a");
  tensorflow::SetAttrValue(std::vector<float>{1, 2}, &(*node.mutable_attr())["f"]);
  (*(*node.mutable_attr())["func"].mutable_func()->mutable_attr())["s"].set_s("text");
  for (const tensorflow::DataType type : {tensorflow::DT_FLOAT, tensorflow::DT_STRING, tensorflow::DT_COMPLEX64,
                                          tensorflow::DT_BOOL, tensorflow::DT_HALF, tensorflow::DT_FLOAT8_E5M2}) {
    tensorflow::Tensor tensor(type, tensorflow::TensorShape({3}));
    if (type != tensorflow::DT_STRING) memset(tensor.data(), 1, tensor.TotalBytes());
    tensorflow::TensorProto proto;
    tensor.AsProtoTensorContent(&proto);
    seeds.push_back("\1" + proto.SerializeAsString());
    tensor.AsProtoField((*node.mutable_attr())["t"].mutable_tensor());
    seeds.push_back("\1" + node.attr().at("t").tensor().SerializeAsString());
  }
  seeds.push_back(std::string(1, '\0') + node.SerializeAsString());
  return seeds;
}

std::vector<std::string> Words() {
  return {std::string("\x12\x00", 2),
          "\x2a\x04",
          "\x52\x02",
          "\x0a\x01",
          "\x22\x03",
          "\xff\xff\xff",
          "\x08\x07",
          std::string("\x12\x04\x12\x02\x08\x00", 6)};
}

}  // namespace protos
}  // namespace

const Target kProto = {"proto", protos::Eat, protos::Seeds, protos::Words};

}  // namespace opsrun::fuzz
