// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "host/base/display_text.h"
#include "host/graph/tensor_value.h"
#include "host/tensor/number_type.h"
#include "host/yaml/value.h"

namespace opsrun::host {
namespace {

// All normal numbers that we can draw are within this many standard deviations, since each comes from 52 bits.
constexpr double kMostDeviations = 9;

bool IsFloating(DType dtype) {
  return DTypeSize(dtype) != 0 && WithNumberType(dtype, []<typename T>(T) { return !std::is_integral_v<T>; });
}

// An element of an integer type, sign-extended.
uint64_t Bits(DType dtype, const char* bytes) {
  return WithNumberType(dtype, [&]<typename T>(T element) -> uint64_t {
    std::memcpy(&element, bytes, sizeof element);
    if constexpr (std::is_integral_v<T>) return static_cast<uint64_t>(static_cast<int64_t>(element));
    return 0;
  });
}

class RandomReader {
 public:
  RandomReader(const Value& feed, const Value& kind, DType dtype, Reporter& reporter)
      : feed_(feed), kind_(kind), dtype_(dtype), reporter_(reporter) {}

  std::optional<Tensor> Read(const Located<Shape>& shape) {
    const std::string kind = AsString(kind_).value_or("");
    if (kind != "uniform" && kind != "normal") {
      Refuse("F107", kind_.span, fmt::format("expected a random distribution, found {}", FoundText(kind_)),
             DidYouMean(kind, {"uniform", "normal"}, "kinds"));
      return std::nullopt;
    }
    const uint64_t seed = Seed();
    if (!CheckKeysOf(kind)) return std::nullopt;
    const bool read = kind == "normal" ? ReadNormal() : IsFloating(dtype_) ? ReadFloats() : ReadInts();
    if (!read || !ok_) return std::nullopt;
    std::optional<Tensor> tensor = MakeTensor(dtype_, shape.value, shape.span, reporter_);
    if (tensor) FillRandom(*tensor, seed, distribution_);
    return tensor;
  }

 private:
  bool Refuse(Code code, const Span& where, std::string message, std::string help) {
    return ok_ = reporter_.Refuse(code, where, std::move(message), std::move(help));
  }

  uint64_t Seed() {
    const Value* const value = feed_.Find("seed");
    if (value == nullptr) return 0;
    const std::optional<uint64_t> seed = AsUint(*value);
    if (!seed) {
      Refuse("F107", value->span, "'seed' must be a whole number from 0 to 2^64 - 1", "write a number such as seed: 1");
    }
    return seed.value_or(0);
  }

  // Checks that 'low' and 'high' are only given for uniform numbers, 'mean' and 'stddev' only for normal ones, and
  // neither for bools.
  bool CheckKeysOf(const std::string& kind) {
    const bool normal = kind == "normal";
    const bool bools = dtype_ == DType::kBool;
    if (normal && !IsFloating(dtype_)) {
      return Refuse("F107", kind_.span, fmt::format("'normal' does not support {}", DTypeName(dtype_)),
                    "use 'uniform', or a float or complex 'dtype'");
    }
    for (const Value::Entry& entry : feed_.entries) {
      const bool of_uniform = entry.key == "low" || entry.key == "high";
      const bool of_normal = entry.key == "mean" || entry.key == "stddev";
      if (of_uniform && bools) {
        Refuse("F107", entry.key_span,
               fmt::format("'{}' does not apply to bools: both values are equally likely", entry.key), "leave it out");
      } else if (normal ? of_uniform : of_normal) {
        Refuse("F107", entry.key_span, fmt::format("{} numbers have no '{}'", kind, entry.key),
               normal ? "use 'mean' and 'stddev'" : "use 'low' and 'high'");
      }
    }
    return ok_;
  }

  // A number that the data type can represent; nothing after an error.
  std::optional<double> Number(const char* key, double otherwise) {
    const Value* const value = feed_.Find(key);
    if (value == nullptr) return otherwise;
    const std::optional<double> number = AsFloat(*value);
    if (!number || !std::isfinite(*number)) {
      Refuse("F107", value->span, fmt::format("'{}' must be a finite number", key), "write a number such as 0.5");
      return std::nullopt;
    }
    return Element(*value) ? number : std::nullopt;
  }

  // The number as an element of the data type; nothing after an error.
  std::optional<std::array<char, 16>> Element(const Value& value) {
    std::array<char, 16> element{};
    const Status status = StoreNumber(value, dtype_, element.data());
    if (status.ok()) return element;
    Refuse("F107", value.span, status.message(), NumberHelp(value, dtype_));
    return std::nullopt;
  }

  bool ReadFloats() {
    const std::optional<double> low = Number("low", 0), high = Number("high", 1);
    if (!low || !high) return false;
    distribution_ = {Distribution::Kind::kUniform, *low, *high - *low};
    if (*low < *high && std::isfinite(*high - *low)) return true;
    return RefuseOrder(fmt::format("{}", *low), fmt::format("{}", *high), *low < *high);
  }

  bool RefuseOrder(const std::string& low, const std::string& high, bool too_far) {
    const Value* const where = feed_.Find("high") != nullptr ? feed_.Find("high") : feed_.Find("low");
    return Refuse("F107", where->span,
                  fmt::format("'low' is {} and 'high' is {}{}", low, high, too_far ? ", too far apart" : ""),
                  too_far              ? "their difference must fit float64"
                  : IsFloating(dtype_) ? "'low' must be smaller than 'high'"
                                       : "'low' must not be larger than 'high'");
  }

  // Both limits are included.
  bool ReadInts() {
    if (dtype_ == DType::kBool) {
      distribution_ = {Distribution::Kind::kInts, 0, 0, 0, 1};
      return true;
    }
    const Value* const high = feed_.Find("high");
    if (high == nullptr) {
      return Refuse("F107", kind_.span, fmt::format("random numbers of type {} need a 'high'", DTypeName(dtype_)),
                    "add the largest number that may occur, such as high: 9; the smallest is 'low', by default 0");
    }
    const std::optional<uint64_t> from = Integer("low"), to = Integer("high");
    if (!from || !to) return false;
    const bool is_unsigned = dtype_ == DType::kUInt64;
    const bool ordered = is_unsigned ? *from <= *to : static_cast<int64_t>(*from) <= static_cast<int64_t>(*to);
    if (!ordered) return RefuseOrder(feed_.Find("low") ? feed_.Find("low")->text : "0", high->text, false);
    distribution_ = {Distribution::Kind::kInts, 0, 0, *from, *to - *from};
    return true;
  }

  std::optional<uint64_t> Integer(const char* key) {
    const Value* const value = feed_.Find(key);
    if (value == nullptr) return 0;
    const std::optional<std::array<char, 16>> element = Element(*value);
    return element ? std::optional(Bits(dtype_, element->data())) : std::nullopt;
  }

  bool ReadNormal() {
    const std::optional<double> mean = Number("mean", 0), stddev = Number("stddev", 1);
    if (!mean || !stddev) return false;
    const Value* const spread = feed_.Find("stddev");
    if (*stddev < 0) {
      return Refuse("F107", spread->span, fmt::format("'stddev' is {}", *stddev), "it must not be negative");
    }
    const Value farthest = PlainValue(fmt::format("{}", std::abs(*mean) + kMostDeviations * *stddev));
    std::array<char, 16> element{};
    if (!StoreNumber(farthest, dtype_, element.data()).ok()) {
      return Refuse(
          "F107", (spread != nullptr ? *spread : *feed_.Find("mean")).span,
          fmt::format("normal numbers with mean {} and stddev {} do not fit {}", *mean, *stddev, DTypeName(dtype_)),
          "use smaller numbers, or another 'dtype'");
    }
    distribution_ = {Distribution::Kind::kNormal, *mean, *stddev};
    return true;
  }

  const Value& feed_;
  const Value& kind_;
  DType dtype_;
  Reporter& reporter_;
  Distribution distribution_;
  bool ok_ = true;
};

}  // namespace

std::optional<Tensor> ReadRandomValue(const Value& feed, const Value& kind, std::optional<DType> dtype,
                                      const Located<Shape>& shape, Reporter& reporter) {
  return RandomReader(feed, kind, dtype.value_or(DType::kFloat64), reporter).Read(shape);
}

}  // namespace opsrun::host
