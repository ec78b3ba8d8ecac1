// opsrun_compat/tensor_format.h: the order of the dimensions of images and filters, and shapes in such formats.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/array_slice.h"
#include "opsrun/tensor.h"
#include "opsrun_compat/basics.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

enum TensorFormat {
  FORMAT_NHWC = 0,
  FORMAT_NCHW = 1,
  FORMAT_NCHW_VECT_C = 2,
  FORMAT_NHWC_VECT_W = 3,
  FORMAT_HWNC = 4,
  FORMAT_HWCN = 5
};

inline std::string ToString(TensorFormat format) {
  static constexpr const char* kNames[] = {"NHWC", "NCHW", "NCHW_VECT_C", "NHWC_VECT_W", "HWNC", "HWCN"};
  return kNames[format];
}

namespace internal {
template <typename Format>
bool FindFormat(std::initializer_list<Format> formats, std::string_view name, Format* format) {
  for (const Format known : formats) {
    if (name != ToString(known)) continue;
    *format = known;
    return true;
  }
  return false;
}
}  // namespace internal

// Also accepts NDHWC and NCDHW, for three spatial dimensions. False: the format is unknown; *format is unchanged.
inline bool FormatFromString(std::string_view text, TensorFormat* format) {
  if (text == "NDHWC") text = "NHWC";
  if (text == "NCDHW") text = "NCHW";
  return internal::FindFormat(
      {FORMAT_NHWC, FORMAT_NCHW, FORMAT_NCHW_VECT_C, FORMAT_NHWC_VECT_W, FORMAT_HWNC, FORMAT_HWCN}, text, format);
}

// The attrs, for REGISTER_OP.
inline std::string GetConvnetDataFormatAttrString() {
  return "data_format: { 'NHWC', 'NCHW' } = 'NHWC' ";
}
inline std::string GetConvnet3dDataFormatAttrString() {
  return "data_format: { 'NDHWC', 'NCDHW' } = 'NDHWC' ";
}
inline std::string GetConvnetDataFormat2D3DAttrString() {
  return "data_format: { 'NHWC', 'NCHW', 'NDHWC', 'NCDHW' } = 'NHWC' ";
}

// FilterTensorFormat: the order of the dimensions of a filter. O is the output channels, I the input channels.

enum FilterTensorFormat { FORMAT_HWIO = 0, FORMAT_OIHW = 1, FORMAT_OHWI = 2, FORMAT_OIHW_VECT_I = 3 };

inline std::string ToString(FilterTensorFormat format) {
  static constexpr const char* kNames[] = {"HWIO", "OIHW", "OHWI", "OIHW_VECT_I"};
  return kNames[format];
}
// Also accepts DHWIO and OIDHW, for three spatial dimensions. As in TensorFlow, no text means OHWI.
inline bool FilterFormatFromString(std::string_view text, FilterTensorFormat* format) {
  if (text == "DHWIO") text = "HWIO";
  if (text == "OIDHW") text = "OIHW";
  return internal::FindFormat({FORMAT_HWIO, FORMAT_OIHW, FORMAT_OIHW_VECT_I}, text, format);
}

inline std::string GetConvnetFilterFormatAttrString() {
  return "filter_format: { 'HWIO', 'OIHW' } = 'HWIO' ";
}
inline std::string GetConvnet3dFilterFormatAttrString() {
  return "filter_format: { 'DHWIO', 'OIDHW' } = 'DHWIO' ";
}

namespace internal {

// Formats with VECT split a dimension: its last factor, kPacked, is the last dimension of the tensor.
constexpr int64_t kPacked = 4;

// The order of the dimensions; S stands for those of space.
inline std::string_view OrderOf(TensorFormat format) {
  static constexpr std::string_view kOrders[] = {"NSC", "NCS", "NCS", "NSC", "SNC", "SCN"};
  return kOrders[format];
}
inline std::string_view OrderOf(FilterTensorFormat format) {
  static constexpr std::string_view kOrders[] = {"SIO", "OIS", "OSI", "OIS"};
  return kOrders[format];
}
inline bool IsPacked(TensorFormat format) {
  return format == FORMAT_NCHW_VECT_C || format == FORMAT_NHWC_VECT_W;
}
inline bool IsPacked(FilterTensorFormat format) {
  return format == FORMAT_OIHW_VECT_I;
}
template <typename Format>
int SpatialDims(int rank, Format format) {
  return rank - (IsPacked(format) ? 3 : 2);
}
template <typename Format>
int RankOf(int spatial, Format format) {
  return spatial + (IsPacked(format) ? 3 : 2);
}
// The index of the dimension with a letter of OrderOf; for S, that of the first one.
template <typename Format>
int IndexIn(int rank, Format format, char letter) {
  const size_t position = OrderOf(format).find(letter), space = OrderOf(format).find('S');
  return static_cast<int>(position) + (position > space ? SpatialDims(rank, format) - 1 : 0);
}
// The same for a letter of OrderOf, for H, W, or the digit of a dimension of space. Fails the running call for others.
template <typename Format>
int IndexOf(int spatial, Format format, char dimension) {
  const int rank = RankOf(spatial, format), space = IndexIn(rank, format, 'S');
  if (dimension >= '0' && dimension <= '2') return space + dimension - '0';
  if (dimension == 'H' || dimension == 'W') return space + spatial - (dimension == 'H' ? 2 : 1);
  if (dimension != 'S' && OrderOf(format).find(dimension) != std::string_view::npos) {
    return IndexIn(rank, format, dimension);
  }
  Fail(ErrorOf(error::INTERNAL, {"Format ", ToString(format), " has no dimension '", std::string(1, dimension), "'"}));
}
// The same for two spatial dimensions, or three if the rank implies it.
template <typename Format>
int IndexByRank(int rank, Format format, char dimension) {
  return IndexOf(SpatialDims(rank, format) == 3 ? 3 : 2, format, dimension);
}
// The sizes in the order of the format: of space, those with the letters a and b and, if packed, the last one.
template <typename Format, typename Space, typename T>
std::vector<T> InOrder(Format format, const Space& space, char a, T size_a, char b, T size_b, T packed) {
  const int spatial = static_cast<int>(space.size()), rank = RankOf(spatial, format);
  std::vector<T> sizes(static_cast<size_t>(rank), packed);
  const auto size = [&sizes](int i) -> T& { return sizes[static_cast<size_t>(i)]; };
  size(IndexIn(rank, format, a)) = size_a;
  size(IndexIn(rank, format, b)) = size_b;
  for (int i = 0; i < spatial; ++i) size(IndexIn(rank, format, 'S') + i) = space[static_cast<size_t>(i)];
  return sizes;
}
template <typename T>
const T& ElementAt(gtl::ArraySlice<T> values, int i) {
  if (i >= 0 && static_cast<size_t>(i) < values.size()) return values[static_cast<size_t>(i)];
  Fail(ErrorOf(error::INTERNAL, {"A list of ", values.size(), " numbers has none for dimension ", i}));
}

typedef std::vector<int64_t> Sizes;

// The dimension of which packed formats split a factor.
inline int SplitDim(int spatial, TensorFormat format) {
  return IndexOf(spatial, format, format == FORMAT_NCHW_VECT_C ? 'C' : 'W');
}
inline int SplitDim(int spatial, FilterTensorFormat format) {
  return IndexOf(spatial, format, 'I');
}

// The sizes of space of a shape in the format.
template <typename Format>
Sizes SpaceOf(const TensorShape& shape, Format format) {
  const int spatial = SpatialDims(shape.dims(), format), first = IndexIn(shape.dims(), format, 'S');
  Sizes space;
  for (int i = 0; i < spatial; ++i) space.push_back(shape.dim_size(first + i));
  if (spatial > 0 && IsPacked(format) && SplitDim(spatial, format) == first + spatial - 1) space.back() *= kPacked;
  return space;
}

// Moves the last factor of a dimension to the end if the format is packed.
template <typename Format>
Status Pack(int spatial, Format format, Sizes* sizes) {
  if (!IsPacked(format)) return Status();
  int64_t& size = (*sizes)[static_cast<size_t>(SplitDim(spatial, format))];
  if (size % kPacked != 0) return Invalid({"A packed dimension must be a multiple of ", kPacked, ", but is ", size});
  size /= kPacked;
  return Status();
}

}  // namespace internal

inline int GetTensorSpatialDims(int rank, TensorFormat format) {
  return internal::SpatialDims(rank, format);
}
inline int GetTensorDimsFromSpatialDims(int spatial, TensorFormat format) {
  return internal::RankOf(spatial, format);
}
inline int GetTensorBatchDimIndex(int rank, TensorFormat format) {
  return internal::IndexIn(rank, format, 'N');
}
inline int GetTensorFeatureDimIndex(int rank, TensorFormat format) {
  return internal::IndexIn(rank, format, 'C');
}
// The packed dimension of NCHW_VECT_C and of NHWC_VECT_W; for other formats, the last dimension.
inline int GetTensorInnerFeatureDimIndex(int rank, TensorFormat /*format*/) {
  return rank - 1;
}
inline int GetTensorInnerWidthDimIndex(int rank, TensorFormat /*format*/) {
  return rank - 1;
}
inline int GetTensorSpatialDimIndex(int rank, TensorFormat format, int i) {
  return internal::IndexIn(rank, format, 'S') + i;
}
// The index of N, C, H, W, or of the digit of a spatial dimension. Fails the running call for other letters.
template <int kSpatialDims>
int GetTensorDimIndex(TensorFormat format, char dimension) {
  return internal::IndexOf(kSpatialDims, format, dimension);
}
// For two spatial dimensions, or three if the rank implies it.
inline int GetTensorDimIndex(TensorFormat format, char dimension) {
  return internal::IndexOf(2, format, dimension);
}
inline int GetTensorDimIndex(TensorFormat format, char dimension, int rank) {
  return internal::IndexByRank(rank, format, dimension);
}

// From an array with a number per dimension, the one of a dimension. Fails the running call if there is none.
template <typename T>
T GetTensorDim(gtl::ArraySlice<T> values, TensorFormat format, char dimension) {
  return internal::ElementAt(values, GetTensorDimIndex(format, dimension, static_cast<int>(values.size())));
}
template <typename T>
T GetTensorDim(const std::vector<T>& values, TensorFormat format, char dimension) {
  return GetTensorDim(gtl::ArraySlice<T>(values), format, dimension);
}
inline int64 GetTensorDim(const TensorShape& shape, TensorFormat format, char dimension) {
  return shape.dim_size(GetTensorDimIndex(format, dimension, shape.dims()));
}
inline int64 GetTensorDim(const Tensor& tensor, TensorFormat format, char dimension) {
  return GetTensorDim(tensor.shape(), format, dimension);
}
// The zeros before and after a dimension; explicit_paddings has both for each dimension.
template <typename Paddings, typename Int64>
void GetExplicitPaddingForDim(const std::vector<Paddings>& explicit_paddings, TensorFormat format, char dimension,
                              Int64* before, Int64* after) {
  const int i = GetTensorDimIndex(format, dimension, static_cast<int>(explicit_paddings.size() / 2));
  *before = internal::ElementAt<Paddings>(explicit_paddings, 2 * i);
  *after = internal::ElementAt<Paddings>(explicit_paddings, 2 * i + 1);
}

inline int GetFilterTensorSpatialDims(int rank, FilterTensorFormat format) {
  return internal::SpatialDims(rank, format);
}
inline int GetFilterTensorDimsFromSpatialDims(int spatial, FilterTensorFormat format) {
  return internal::RankOf(spatial, format);
}
inline int GetFilterTensorSpatialDimIndex(int rank, FilterTensorFormat format, int i) {
  return internal::IndexIn(rank, format, 'S') + i;
}
inline int GetFilterTensorInputChannelsDimIndex(int rank, FilterTensorFormat format) {
  return internal::IndexIn(rank, format, 'I');
}
inline int GetFilterTensorOutputChannelsDimIndex(int rank, FilterTensorFormat format) {
  return internal::IndexIn(rank, format, 'O');
}
// The packed dimension of OIHW_VECT_I; for other formats, the last dimension.
inline int GetFilterTensorInnerInputChannelsDimIndex(int rank, FilterTensorFormat /*format*/) {
  return rank - 1;
}
// The index of O, I, H, W, or of the digit of a spatial dimension. Fails the running call for other letters.
template <int kSpatialDims>
int GetFilterDimIndex(FilterTensorFormat format, char dimension) {
  return internal::IndexOf(kSpatialDims, format, dimension);
}

// From an array with a number per dimension of a filter, the one of a dimension.
template <typename T>
T GetFilterDim(gtl::ArraySlice<T> values, FilterTensorFormat format, char dimension) {
  return internal::ElementAt(values, internal::IndexByRank(static_cast<int>(values.size()), format, dimension));
}
inline int64 GetFilterDim(const TensorShape& shape, FilterTensorFormat format, char dimension) {
  return GetFilterDim(gtl::ArraySlice<int64_t>(shape.data(), static_cast<size_t>(shape.dims())), format, dimension);
}
inline int64 GetFilterDim(const Tensor& tensor, FilterTensorFormat format, char dimension) {
  return GetFilterDim(tensor.shape(), format, dimension);
}

// Shapes in a format. Sizes of packed dimensions must be multiples of 4; otherwise the functions with a Status return
// INVALID_ARGUMENT, and the others fail the running call.

inline ReturnedStatus ShapeFromFormatWithStatus(TensorFormat format, int64_t n, gtl::ArraySlice<int64_t> space,
                                                int64_t c, TensorShape* shape) {
  internal::Sizes sizes = internal::InOrder(format, space, 'N', n, 'C', c, internal::kPacked);
  TF_RETURN_IF_ERROR(internal::Pack(static_cast<int>(space.size()), format, &sizes));
  return TensorShapeUtils::MakeShape(sizes, shape);
}
inline ReturnedStatus ShapeFromFormatWithStatus(TensorFormat format, int64 n, int64 h, int64 w, int64 c,
                                                TensorShape* shape) {
  return ShapeFromFormatWithStatus(format, n, internal::Sizes{h, w}, c, shape);
}
// The shape in another format.
inline ReturnedStatus ShapeFromFormatWithStatus(TensorFormat to, const TensorShape& shape, TensorFormat from,
                                                TensorShape* out) {
  const int64 packed = from == FORMAT_NCHW_VECT_C ? internal::kPacked : 1;
  if (from != to) {
    return ShapeFromFormatWithStatus(to, GetTensorDim(shape, from, 'N'), internal::SpaceOf(shape, from),
                                     GetTensorDim(shape, from, 'C') * packed, out);
  }
  *out = shape;
  return Status();
}

inline TensorShape ShapeFromFormat(TensorFormat format, int64_t n, gtl::ArraySlice<int64_t> space, int64_t c) {
  TensorShape shape;
  internal::FailUnlessOk(ShapeFromFormatWithStatus(format, n, space, c, &shape));
  return shape;
}
inline TensorShape ShapeFromFormat(TensorFormat format, int64 n, int64 h, int64 w, int64 c) {
  return ShapeFromFormat(format, n, internal::Sizes{h, w}, c);
}
inline TensorShape ShapeFromFormat(TensorFormat to, const TensorShape& shape, TensorFormat from) {
  TensorShape out;
  internal::FailUnlessOk(ShapeFromFormatWithStatus(to, shape, from, &out));
  return out;
}

inline TensorShape ShapeFromFilterTensorFormat(FilterTensorFormat format, gtl::ArraySlice<int64_t> space, int64_t in,
                                               int64_t out) {
  internal::Sizes sizes = internal::InOrder(format, space, 'I', in, 'O', out, internal::kPacked);
  internal::FailUnlessOk(internal::Pack(static_cast<int>(space.size()), format, &sizes));
  return TensorShape(sizes);
}
inline TensorShape ShapeFromFilterTensorFormat(FilterTensorFormat format, int64 h, int64 w, int64 in, int64 out) {
  return ShapeFromFilterTensorFormat(format, internal::Sizes{h, w}, in, out);
}
inline TensorShape ShapeFromFilterFormat(FilterTensorFormat to, const TensorShape& shape, FilterTensorFormat from) {
  if (from == to) return shape;
  const int64 packed = from == FORMAT_OIHW_VECT_I ? internal::kPacked : 1;
  return ShapeFromFilterTensorFormat(to, internal::SpaceOf(shape, from), GetFilterDim(shape, from, 'I') * packed,
                                     GetFilterDim(shape, from, 'O'));
}

}  // namespace OPSRUN_HIDDEN
