// plugins/string_to_number/string_to_number_ops.cc: StringToNumber and NumberToString.
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <limits>
#include <string>

#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"
#include "opsrun/plugin.h"
#include "opsrun/register_types.h"
#include "opsrun/shard.h"
#include "parse.h"

OPSRUN_PLUGIN("string_to_number", "0.1.0");
OPSRUN_PLUGIN_META("Apache-2.0", "", "Strings to numbers");

namespace string_to_number {
namespace {

using namespace opsrun;

constexpr int64 kNanosecondsPerElement = 50;

// "[1, 2]"; empty for a scalar.
std::string IndexText(const TensorShape& shape, int64 i) {
  std::string text;
  for (int d = shape.dims() - 1; d >= 0; --d) {
    text = std::to_string(i % shape.dim_size(d)) + (text.empty() ? "" : ", ") + text;
    i /= shape.dim_size(d);
  }
  return shape.dims() == 0 ? "" : "[" + text + "]";
}

void AppendShown(char c, std::string* shown) {
  constexpr char kHex[] = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x20 && byte < 0x7f) {
    *shown += c;
  } else {
    *shown += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
  }
}

// In quotes, on one line, and truncated if it is long.
std::string Quoted(std::string_view text) {
  constexpr size_t kLongest = 40;
  std::string shown = "'";
  for (const char c : text.substr(0, kLongest)) AppendShown(c, &shown);
  return shown + (text.size() > kLongest ? "...'" : "'");
}

template <typename T>
std::string_view Spell(T number, char (&room)[32]) {
  // The sign of a NaN is arbitrary.
  if constexpr (std::is_floating_point_v<T>) number = std::isnan(number) ? std::fabs(number) : number;
  const std::to_chars_result written = std::to_chars(room, room + sizeof(room), number);
  return {room, static_cast<size_t>(written.ptr - room)};
}
std::string_view Spell(bool flag, char (&)[32]) {
  return flag ? "true" : "false";
}

// Names element `i` of string_tensor, its text, and what is expected. Requires: why is not kOk.
template <typename T>
Status Refusal(const TensorShape& shape, int64 i, std::string_view text, Parsed why) {
  const std::string found = "string_tensor" + IndexText(shape, i) + " is " + Quoted(text);
  const std::string type = DataTypeName(DataTypeToEnum<T>::value);
  const char* const number =
      std::is_integral_v<T> ? "a whole number, such as 42 or -7" : "a number, such as 42, -7.5, 3e8, inf or nan";
  char least[32], most[32];
  return errors::InvalidArgument(found, why == Parsed::kTooLarge
                                            ? ", which is too large for " + type + ": it holds " +
                                                  std::string(Spell(std::numeric_limits<T>::lowest(), least)) + " to " +
                                                  std::string(Spell(std::numeric_limits<T>::max(), most))
                                            : ", but " + type + " needs " + number)
      .Blame("input:string_tensor");
}

// The smallest index that any thread reports.
class Smallest {
 public:
  void Tell(int64 i) {
    int64 known = least_.load(std::memory_order_relaxed);
    while (i < known && !least_.compare_exchange_weak(known, i, std::memory_order_relaxed)) {
    }
  }
  bool IsNone() const { return value() == kint64max; }
  int64 value() const { return least_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int64> least_{kint64max};
};

template <typename T>
class StringToNumberOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    const Tensor& strings = context->input(0);
    Tensor* numbers = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, strings.shape(), &numbers));
    const auto in = strings.flat<tstring>();
    auto out = numbers->flat<T>();
    Smallest wrong;
    Shard(context, in.size(), kNanosecondsPerElement, [&](int64 begin, int64 end) {
      for (int64 i = begin; i < end; ++i) {
        if (Parse(in(i), &out(i)) != Parsed::kOk) return wrong.Tell(i);
      }
    });
    if (wrong.IsNone()) return;
    const int64 i = wrong.value();
    context->SetStatus(Refusal<T>(strings.shape(), i, in(i), Parse(in(i), &out(i))));
  }
};

REGISTER_OP("StringToNumber")
    .Input("string_tensor: string")
    .Output("output: out_type")
    .Attr("out_type: {float, double, int32, int64} = DT_FLOAT")
    .SetShapeFn(shape_inference::UnchangedShape)
    .NotDifferentiable()
    .Doc(R"doc(
Reads numbers from strings.

A string may have spaces before and after its number, and nothing else. A number becomes the nearest value of the type;
one that is too large is refused. inf and nan are floats. Digits are decimal, with a point, whatever the locale.

string_tensor: Strings, in any shape.
output: Their numbers, in the same shape.
out_type: The type of the numbers. Integers have no point and no exponent. TensorFlow's op gives uint32 and uint64 as
    well.
)doc");

#define REGISTER_STRING_TO_NUMBER(T) \
  REGISTER_KERNEL_BUILDER(Name("StringToNumber").Device(DEVICE_CPU).TypeConstraint<T>("out_type"), StringToNumberOp<T>);
REGISTER_STRING_TO_NUMBER(float)
REGISTER_STRING_TO_NUMBER(double)
REGISTER_STRING_TO_NUMBER(int32)
REGISTER_STRING_TO_NUMBER(int64)

// [kernel]
template <typename T>
class NumberToStringOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    const Tensor& numbers = context->input(0);
    Tensor* strings = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, numbers.shape(), &strings));
    const auto in = numbers.flat<T>();
    auto out = strings->flat<tstring>();
    Shard(context, in.size(), kNanosecondsPerElement, [&](int64 begin, int64 end) {
      char room[32];
      for (int64 i = begin; i < end; ++i) out(i) = Spell(in(i), room);
    });
  }
};
// [/kernel]

REGISTER_OP("NumberToString")
    .Input("input: T")
    .Output("output: string")
    .Attr("T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64, float, double, bool}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .NotDifferentiable()
    .Doc(R"doc(
Writes numbers as strings.

Floats get as few digits as tell them from their neighbors, so that StringToNumber reads the same value again.

input: Numbers or bools, in any shape.
output: Their decimal digits, or true and false, in the same shape.
)doc");

#define REGISTER_NUMBER_TO_STRING(T) \
  REGISTER_KERNEL_BUILDER(Name("NumberToString").Device(DEVICE_CPU).TypeConstraint<T>("T"), NumberToStringOp<T>);
TF_CALL_INTEGRAL_TYPES(REGISTER_NUMBER_TO_STRING)
TF_CALL_float(REGISTER_NUMBER_TO_STRING) TF_CALL_double(REGISTER_NUMBER_TO_STRING)
    TF_CALL_bool(REGISTER_NUMBER_TO_STRING)

}  // namespace

}  // namespace string_to_number
