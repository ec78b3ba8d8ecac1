// opsrun/embed_values.hpp: reports, errors, tensors and attrs of opsrun/embed.hpp, which includes this file and
// describes the rules for all of them.
//
// SPDX-License-Identifier: Apache-2.0
#ifndef OPSRUN_EMBED_VALUES_HPP_
#define OPSRUN_EMBED_VALUES_HPP_

#include <complex>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "opsrun/embed.h"

namespace opsrun::embed {

// Converts a text for the C interface, which borrows it.
inline opsrun_str Str(std::string_view text) {
  return {text.data(), text.size()};
}
// Converts a text of the C interface. It belongs to the object that returned it.
inline std::string_view Text(opsrun_str text) {
  return {text.data, static_cast<size_t>(text.size)};
}

// OPSRUN_DT_* of a C++ type. Arrays of types that C++ lacks, such as half and float8_e4m3fn, are passed as const void*
// and OPSRUN_DT_*.
template <typename T>
struct DTypeOf;
// clang-format off
template <> struct DTypeOf<float> { static constexpr int32_t value = OPSRUN_DT_FLOAT; };
template <> struct DTypeOf<double> { static constexpr int32_t value = OPSRUN_DT_DOUBLE; };
template <> struct DTypeOf<int8_t> { static constexpr int32_t value = OPSRUN_DT_INT8; };
template <> struct DTypeOf<int16_t> { static constexpr int32_t value = OPSRUN_DT_INT16; };
template <> struct DTypeOf<int32_t> { static constexpr int32_t value = OPSRUN_DT_INT32; };
template <> struct DTypeOf<int64_t> { static constexpr int32_t value = OPSRUN_DT_INT64; };
template <> struct DTypeOf<uint8_t> { static constexpr int32_t value = OPSRUN_DT_UINT8; };
template <> struct DTypeOf<uint16_t> { static constexpr int32_t value = OPSRUN_DT_UINT16; };
template <> struct DTypeOf<uint32_t> { static constexpr int32_t value = OPSRUN_DT_UINT32; };
template <> struct DTypeOf<uint64_t> { static constexpr int32_t value = OPSRUN_DT_UINT64; };
template <> struct DTypeOf<bool> { static constexpr int32_t value = OPSRUN_DT_BOOL; };
template <> struct DTypeOf<std::complex<float>> { static constexpr int32_t value = OPSRUN_DT_COMPLEX64; };
template <> struct DTypeOf<std::complex<double>> { static constexpr int32_t value = OPSRUN_DT_COMPLEX128; };
template <> struct DTypeOf<opsrun_str> { static constexpr int32_t value = OPSRUN_DT_STRING; };
// clang-format on

template <auto kEnd>
struct EndWith {
  template <typename T>
  void operator()(T* handle) const {
    kEnd(handle);
  }
};
// Owns a handle of the C interface.
template <typename T, auto kEnd>
using Handle = std::unique_ptr<T, EndWith<kEnd>>;

// ---- Reports and errors.

// Errors, warnings and other messages. Owns its messages and their texts.
class Report {
 public:
  Report() = default;  // nothing to say
  explicit Report(opsrun_report* report) : handle_(report) {}

  // [any] opsrun_report_count, opsrun_report_get; i must be below size().
  uint32_t size() const { return opsrun_report_count(get()); }
  bool empty() const { return size() == 0; }
  const opsrun_diagnostic& operator[](uint32_t i) const { return *opsrun_report_get(get(), i); }

  // [one] opsrun_report_text. The text lives as long as the report.
  std::string_view text(int32_t format = OPSRUN_FORMAT_HUMAN) const { return Text(opsrun_report_text(get(), format)); }

  opsrun_report* get() const { return handle_.get(); }

 private:
  Handle<opsrun_report, opsrun_report_free> handle_;
};

// The exception that failed calls throw. Copies share the report.
class Error : public std::runtime_error {
 public:
  Error(int32_t code, Report report)
      : std::runtime_error(report.empty() ? "opsrun failed with code " + std::to_string(code)
                                          : std::string(report.text())),
        code_(code),
        report_(std::make_shared<Report>(std::move(report))) {}

  // OPSRUN_INVALID_ARGUMENT and so on.
  int32_t code() const { return code_; }
  // Lives as long as this error or a copy of it. what() returns its text in OPSRUN_FORMAT_HUMAN.
  const Report& report() const { return *report_; }

 private:
  int32_t code_;
  std::shared_ptr<Report> report_;
};

namespace detail {

// Throws Error unless code is OPSRUN_OK. Otherwise sets *warnings to the report, unless warnings is NULL.
inline void Require(int32_t code, opsrun_report* reported = nullptr, Report* warnings = nullptr) {
  Report report(reported);
  if (code != OPSRUN_OK) throw Error(code, std::move(report));
  if (warnings != nullptr) *warnings = std::move(report);
}

// Calls make(args..., &handle, &report) and returns the handle as an Owner.
template <typename Owner, typename T, typename Make, typename... Args>
Owner MakeWith(Make make, Report* warnings, Args... args) {
  T* handle = nullptr;
  opsrun_report* report = nullptr;
  const int32_t code = make(args..., &handle, &report);
  Owner owner(handle);
  Require(code, report, warnings);
  return owner;
}

inline std::vector<opsrun_str> Strs(const std::vector<std::string>& texts) {
  std::vector<opsrun_str> strs;
  for (const std::string& text : texts) strs.push_back(Str(text));
  return strs;
}

}  // namespace detail

// ---- Tensors.

// Where the memory of a tensor is, and for a GPU a CUstream that uses it: see opsrun_in.stream and opsrun_out.stream.
struct Place {
  opsrun_device device = {OPSRUN_DEVICE_CPU, 0};
  void* stream = nullptr;
};
inline Place Gpu(int32_t number = 0, void* stream = nullptr) {
  return {{OPSRUN_DEVICE_CUDA, number}, stream};
}

// An input tensor: a view of memory that the caller must keep until the call returns. The view copies the shape and
// strides. The call does not copy the elements if they are dense and aligned: see opsrun_in.
class View {
 public:
  // Dense and row-major, with an element type that DTypeOf supports. Strings are opsrun_str: see Str.
  template <typename T>
  View(const T* data, std::vector<int64_t> shape) : View(data, DTypeOf<T>::value, std::move(shape)) {}

  // Any data type. strides count elements, one for each dimension; if empty, the tensor is dense and row-major.
  View(const void* data, int32_t dtype, std::vector<int64_t> shape, std::vector<int64_t> strides = {})
      : data_(const_cast<void*>(data)), dtype_(dtype), shape_(std::move(shape)), strides_(std::move(strides)) {
    if (!strides_.empty() && strides_.size() != shape_.size()) throw std::invalid_argument("as many strides as sizes");
  }

  // A tensor of DLPack, which is borrowed together with its shape. dtype: as in opsrun_in.
  explicit View(const opsrun_dltensor* tensor, int32_t dtype = 0) : tensor_(tensor), dtype_(dtype) {}

  // The same memory, which is there. Of a tensor of DLPack, which knows its device, only the stream is used.
  View At(const Place& place) const {
    View view = *this;
    view.place_ = place;
    return view;
  }

  // For the C interface. The pointers are valid until this view is changed or moved.
  opsrun_array array() const {
    return {data_,
            shape_.data(),
            strides_.empty() ? nullptr : strides_.data(),
            dtype_,
            static_cast<int32_t>(shape_.size()),
            place_.device};
  }
  // The same, for `array`, which must be a result of this->array().
  opsrun_in in(const opsrun_array& array) const {
    opsrun_in in{};
    in.tensor = tensor_;
    if (tensor_ == nullptr) in.array = &array;
    if (tensor_ != nullptr) in.dtype = dtype_;
    in.stream = place_.stream;
    return in;
  }
  const Place& place() const { return place_; }

 private:
  const opsrun_dltensor* tensor_ = nullptr;
  Place place_;
  void* data_ = nullptr;
  int32_t dtype_ = 0;
  std::vector<int64_t> shape_, strides_;
};

// Memory for a result: dense and row-major, with the data type and shape of the result. See opsrun_out.into.
class MutableView : public View {
 public:
  template <typename T>
  MutableView(T* data, std::vector<int64_t> shape) : View(data, std::move(shape)) {
    static_assert(!std::is_const_v<T>, "results are written to it");
  }
  MutableView(void* data, int32_t dtype, std::vector<int64_t> shape, const Place& place = {})
      : View(View(data, dtype, std::move(shape)).At(place)) {}
};

// A result, dense and row-major. Owns its memory, and may outlive the graph and the engine. Reading is [any].
class Tensor {
 public:
  // Takes over the result of a call in `out`.
  explicit Tensor(const opsrun_out& out) : out_(out) {}
  Tensor(Tensor&& other) noexcept : out_(std::exchange(other.out_, {})) {}
  Tensor& operator=(Tensor&& other) noexcept {
    std::swap(out_, other.out_);
    return *this;
  }
  ~Tensor() { opsrun_outs_free(&out_, 1); }

  int32_t dtype() const { return out_.array.dtype; }  // OPSRUN_DT_*
  std::vector<int64_t> shape() const { return {out_.array.shape, out_.array.shape + out_.array.rank}; }
  // The number of elements.
  size_t size() const {
    size_t n = 1;
    for (int32_t i = 0; i < out_.array.rank; ++i) n *= static_cast<size_t>(out_.array.shape[i]);
    return n;
  }
  // Where the elements are, and the stream that was given for them.
  Place place() const { return {out_.array.device, out_.stream}; }
  // size() elements, which live as long as this tensor. Strings are opsrun_str: Text converts one to a string_view.
  const void* data() const { return out_.array.data; }
  // The same as an array of T. Throws std::invalid_argument if the tensor has another data type.
  template <typename T>
  const T* data() const {
    if (dtype() != DTypeOf<T>::value) throw std::invalid_argument("the tensor is of another data type");
    return static_cast<const T*>(out_.array.data);
  }

  // For passing it to another call. Valid as long as this tensor.
  View view() const { return View(data(), dtype(), shape()).At(place()); }
  operator View() const { return view(); }

  // Passes the tensor to a consumer of DLPack, which ends it with tensor->deleter(tensor): [any]. Afterwards, this
  // object is in the moved-from state. Returns NULL for strings, and leaves this object unchanged.
  DLManagedTensorVersioned* release() { return out_.tensor == nullptr ? nullptr : std::exchange(out_, {}).tensor; }

 private:
  opsrun_out out_;
};

// What is known about a feed or an output before a run. Belongs to the object that returned it.
using TensorInfo = opsrun_tensor_info;

// ---- Attrs.

// A shape as the value of an attr: sizes, of which -1 is unknown, or an unknown rank.
struct PartialShape {
  PartialShape(std::vector<int64_t> of) : sizes(std::move(of)) {}
  PartialShape(std::initializer_list<int64_t> of) : sizes(of) {}
  static PartialShape UnknownRank() {
    PartialShape shape{};
    shape.rank_known = false;
    return shape;
  }

  std::vector<int64_t> sizes;
  bool rank_known = true;
};

// The name and value of an attr, which it owns. Copies share them.
class Attr {
 public:
  static Attr Int(std::string_view name, int64_t value) { return Number(name, OPSRUN_ATTR_INT, value); }
  static Attr Bool(std::string_view name, bool value) { return Number(name, OPSRUN_ATTR_BOOL, value ? 1 : 0); }
  static Attr Type(std::string_view name, int32_t dtype) { return Number(name, OPSRUN_ATTR_TYPE, dtype); }
  static Attr Float(std::string_view name, double value) {
    Attr attr(name, OPSRUN_ATTR_FLOAT);
    attr.attr_.v.f = value;
    return attr;
  }
  static Attr String(std::string_view name, std::string value) {
    Attr attr(name, OPSRUN_ATTR_STRING);
    attr.attr_.v.s = Str(attr.Keep(std::move(value)));
    return attr;
  }
  // The name of a function.
  static Attr Func(std::string_view name, std::string function) {
    Attr attr = String(name, std::move(function));
    attr.attr_.kind = OPSRUN_ATTR_FUNC;
    return attr;
  }
  static Attr Shape(std::string_view name, PartialShape value) {
    Attr attr = Shapes(name, {std::move(value)});
    attr.attr_.kind = OPSRUN_ATTR_SHAPE;
    return attr;
  }
  // The elements are borrowed: they must live as long as this object. Throws std::invalid_argument for a view of DLPack
  // or with strides.
  static Attr Tensor(std::string_view name, const View& value) {
    Attr attr = Tensors(name, {value});
    attr.attr_.kind = OPSRUN_ATTR_TENSOR;
    return attr;
  }

  static Attr Ints(std::string_view name, std::vector<int64_t> values) {
    return Numbers(name, OPSRUN_ATTR_INT, std::move(values));
  }
  static Attr Bools(std::string_view name, const std::vector<bool>& values) {
    return Numbers(name, OPSRUN_ATTR_BOOL, {values.begin(), values.end()});
  }
  static Attr Types(std::string_view name, std::vector<int64_t> dtypes) {
    return Numbers(name, OPSRUN_ATTR_TYPE, std::move(dtypes));
  }
  static Attr Floats(std::string_view name, std::vector<double> values) {
    Attr attr(name, OPSRUN_ATTR_FLOAT | OPSRUN_ATTR_LIST);
    attr.attr_.count = values.size();
    attr.attr_.v.floats = attr.Keep(std::move(values)).data();
    return attr;
  }
  static Attr Strings(std::string_view name, std::vector<std::string> values) {
    Attr attr(name, OPSRUN_ATTR_STRING | OPSRUN_ATTR_LIST);
    attr.attr_.count = values.size();
    attr.attr_.v.strs = attr.Keep(detail::Strs(attr.Keep(std::move(values)))).data();
    return attr;
  }
  static Attr Funcs(std::string_view name, std::vector<std::string> functions) {
    Attr attr = Strings(name, std::move(functions));
    attr.attr_.kind = OPSRUN_ATTR_FUNC | OPSRUN_ATTR_LIST;
    return attr;
  }
  static Attr Shapes(std::string_view name, std::vector<PartialShape> values) {
    Attr attr(name, OPSRUN_ATTR_SHAPE | OPSRUN_ATTR_LIST);
    std::vector<opsrun_partial> shapes;
    for (const PartialShape& each : attr.Keep(std::move(values))) {
      shapes.push_back({each.rank_known ? static_cast<int32_t>(each.sizes.size()) : -1, 0, each.sizes.data()});
    }
    attr.attr_.count = shapes.size();
    attr.attr_.v.shapes = attr.Keep(std::move(shapes)).data();
    return attr;
  }
  // As for Tensor.
  static Attr Tensors(std::string_view name, std::vector<View> values) {
    Attr attr(name, OPSRUN_ATTR_TENSOR | OPSRUN_ATTR_LIST);
    std::vector<const opsrun_tensor*> tensors;
    for (const View& each : attr.Keep(std::move(values))) tensors.push_back(&attr.KeepTensor(each.array()));
    attr.attr_.count = tensors.size();
    attr.attr_.v.tensors = attr.Keep(std::move(tensors)).data();
    return attr;
  }

  // Any other value of the C interface, which is borrowed: what it points to must live as long as this object.
  explicit Attr(const opsrun_attr& attr) : attr_(attr) {}

  const opsrun_attr& get() const { return attr_; }

 private:
  Attr(std::string_view name, uint32_t kind) {
    attr_.name = Str(Keep(std::string(name)));
    attr_.kind = kind;
    attr_.count = 1;
  }
  static Attr Number(std::string_view name, uint32_t kind, int64_t value) {
    Attr attr(name, kind);
    attr.attr_.v.i = value;
    return attr;
  }
  static Attr Numbers(std::string_view name, uint32_t kind, std::vector<int64_t> values) {
    Attr attr(name, kind | OPSRUN_ATTR_LIST);
    attr.attr_.count = values.size();
    attr.attr_.v.ints = attr.Keep(std::move(values)).data();
    return attr;
  }
  // Keeps what attr_ points to alive as long as a copy exists.
  template <typename T>
  const T& Keep(T value) {
    auto kept = std::make_shared<const T>(std::move(value));
    kept_.push_back(kept);
    return *kept;
  }
  const opsrun_tensor& KeepTensor(const opsrun_array& array) {
    if (array.dtype == 0 || array.strides != nullptr) throw std::invalid_argument("not a dense array of a data type");
    struct Kept {
      std::vector<int64_t> shape, strides;
      opsrun_tensor tensor{};
    };
    const auto kept = std::make_shared<Kept>();
    kept->shape.assign(array.shape, array.shape + array.rank);
    kept->strides.assign(kept->shape.size(), 1);
    for (size_t i = kept->shape.size(); i-- > 1;) kept->strides[i - 1] = kept->strides[i] * kept->shape[i];
    kept->tensor.data = array.data;
    kept->tensor.rank = array.rank;
    kept->tensor.shape = kept->shape.empty() ? nullptr : kept->shape.data();
    kept->tensor.strides = kept->strides.empty() ? nullptr : kept->strides.data();
    kept->tensor.flags = OPSRUN_TENSOR_CONST | OPSRUN_TENSOR_HOST;
    kept->tensor.dtype = array.dtype;
    kept_.push_back(kept);
    return kept->tensor;
  }

  opsrun_attr attr_{};
  std::vector<std::shared_ptr<const void>> kept_;
};

}  // namespace opsrun::embed

#endif  // OPSRUN_EMBED_VALUES_HPP_
