// opsrun_compat/metrics.h: metrics and annotations of sources: monitoring:: and profiler::.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/mutex.h"
#include "opsrun_compat/basics.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace monitoring {
namespace internal {

// A metric: one cell for each combination of labels. Metrics and their cells are never deleted.
template <typename Metric, typename Cell, int NumLabels>
class MetricOf {
 public:
  MetricOf() = default;
  MetricOf(const MetricOf&) = delete;

  // The arguments: a name, a description, and the names of the labels.
  template <typename... Texts>
  static Metric* New(const Texts&...) {
    static_assert(sizeof...(Texts) == NumLabels + 2, "expected a name, a description, and a name for each label");
    return new Metric;
  }
  template <typename... Labels>
  Cell* GetCell(const Labels&... labels) {
    static_assert(sizeof...(Labels) == NumLabels, "expected one text for each label");
    mutex_lock lock(mutex_);
    return &cells_[{std::string(labels)...}];
  }
  ReturnedStatus GetStatus() { return Status(); }

 private:
  mutex mutex_;
  std::map<std::array<std::string, NumLabels>, Cell> cells_;
};

// The name, the description and the names of the labels of a Sampler.
struct Texts {
  template <typename... More>
  Texts(const char* /*name*/, const char* /*description*/, const More&...) {}
};

}  // namespace internal

class CounterCell {
 public:
  void IncrementBy(int64_t step) { value_ += step; }
  int64_t value() const { return value_; }

 private:
  std::atomic<int64_t> value_{0};
};
template <int NumLabels>
class Counter : public internal::MetricOf<Counter<NumLabels>, CounterCell, NumLabels> {};

template <typename T>
class GaugeCell {
 public:
  void Set(const T& value) {
    mutex_lock lock(mutex_);
    value_ = value;
  }
  T value() const {
    mutex_lock lock(mutex_);
    return value_;
  }

 private:
  mutable mutex mutex_;
  T value_{};
};
template <typename T, int NumLabels>
class Gauge : public internal::MetricOf<Gauge<T, NumLabels>, GaugeCell<T>, NumLabels> {};

// The buckets of a sampler.
class Buckets {
 public:
  // Upper limits of scale, scale * growth_factor, scale * growth_factor^2 and so on.
  static std::unique_ptr<Buckets> Exponential(double scale, double growth_factor, int bucket_count) {
    std::vector<double> limits;
    for (int i = 0; i < bucket_count; ++i, scale *= growth_factor) limits.push_back(scale);
    return Explicit(limits);
  }
  static std::unique_ptr<Buckets> Explicit(std::vector<double> limits) {
    limits.push_back(HUGE_VAL);
    return std::unique_ptr<Buckets>(new Buckets(std::move(limits)));
  }
  static std::unique_ptr<Buckets> Explicit(std::initializer_list<double> limits) {
    return Explicit(std::vector<double>(limits));
  }
  const std::vector<double>& explicit_bounds() const { return limits_; }

 private:
  explicit Buckets(std::vector<double> limits) : limits_(std::move(limits)) {}
  std::vector<double> limits_;
};

// Samples are discarded, because they could not be read.
class SamplerCell {
 public:
  void Add(double /*sample*/) {}
};
template <int NumLabels>
class Sampler : public internal::MetricOf<Sampler<NumLabels>, SamplerCell, NumLabels> {
 public:
  static Sampler* New(const internal::Texts&, std::unique_ptr<Buckets>) { return new Sampler; }
};

// Adds the time until the end of the scope to a cell: in milliseconds, or in nanoseconds times `scale`.
template <typename Cell>
class Timed {
 public:
  explicit Timed(Cell* cell, double scale = 1e-6) : cell_(cell), scale_(scale) {}
  Timed(const Timed&) = delete;
  ~Timed() {
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin_;
    cell_->Add(scale_ * time.count());
  }

 private:
  Cell* cell_;
  double scale_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};
template <typename Cell>
Timed<Cell> MakeTimed(Cell* cell, double scale = 1e-6) {
  return Timed<Cell>(cell, scale);
}

}  // namespace monitoring

// profiler::TraceMe and similar classes, which do nothing; opsrun/trace.h has spans for opsrun run --trace.

namespace profiler {

enum TraceMeLevel { kCritical = 1, kInfo = 2, kVerbose = 3 };
inline int GetTFTraceMeLevel(bool is_expensive) {
  return is_expensive ? kCritical : kInfo;
}

class TraceMe {
 public:
  template <typename Name>
  explicit TraceMe(Name&& /*name*/, int /*level*/ = 1) {}
  ~TraceMe() {}
  void Stop() {}
  template <typename Metadata>
  void AppendMetadata(Metadata&&) {}
};

class ScopedAnnotation {
 public:
  template <typename Name>
  explicit ScopedAnnotation(Name&& /*name*/) {}
  ~ScopedAnnotation() {}
};

namespace internal {

struct TraceMeArg {
  template <typename Value>
  TraceMeArg(StringPiece /*key*/, const Value& /*value*/) {}
};

}  // namespace internal

// A name; the metadata is discarded: {{"id", step}, {"kind", kind}}.
inline std::string TraceMeEncode(std::string name, std::initializer_list<internal::TraceMeArg>) {
  return name;
}
inline std::string TraceMeEncode(std::initializer_list<internal::TraceMeArg>) {
  return "";
}
inline std::string TraceMeOp(StringPiece op, StringPiece type) {
  return strings::StrCat(op, ":", type);
}

}  // namespace profiler

}  // namespace OPSRUN_HIDDEN
