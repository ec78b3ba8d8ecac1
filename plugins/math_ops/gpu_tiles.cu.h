// plugins/math_ops/gpu_tiles.cu.h: matrix products on a GPU, tile by tile. The factors are matrices in memory, or of
// elements that are found elsewhere, such as the pixels under windows.
//
// A block of threads computes a tile of the product, a few depths at a time, from tiles of both factors in shared
// memory. The next ones are on the way to registers while these are multiplied. Accesses are of 16 bytes where memory
// is aligned. float16 and bfloat16 are multiplied and added as float. Each sum is computed in the order of the depth,
// or of parts of it that depend on the sizes alone, so it is the same in every run and on every card.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu_elementwise.cu.h"

namespace math_ops {

// The type in which T is multiplied and added.
template <typename T>
using Multiplied =
    typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::common_type<Wide<T>>>::type;

// How many neighbors of a factor a thread reads at once: 16 bytes as they are multiplied.
template <typename T>
constexpr int kNeighbors = 16 / static_cast<int>(sizeof(Multiplied<T>));

// `products` products of [rows, depth] and [depth, columns], each in parts of the depth with results of their own.
struct ProductSize {
  int64 rows, depth, columns;
  int64 products = 1;
  GpuPlaces<2> matrices = {};  // where the left and right ones of each product begin
  int64 part = 0, parts = 1;   // `part` of the depth

  __host__ __device__ int64 across(int side) const { return (columns + side - 1) / side; }
  __host__ __device__ int64 tiles(int side) const { return (rows + side - 1) / side * across(side); }
  __host__ __device__ int64 elements() const { return products * rows * columns; }
};

// The sums of one thread, in a tile of the product with kSide rows and columns.
template <typename W, int kTheSide>
class ProductTile {
 public:
  typedef W Sum;
  static constexpr int kSide = kTheSide, kVector = 16 / static_cast<int>(sizeof(W)), kOfSide = kSide / kVector;
  static constexpr int kDepth = kGpuThreads / kOfSide;  // so each thread loads one vector of each factor

  // A tile of a factor: [depth, side that it shares with the product]. Due to the last vector, threads that store
  // neighbors of the depth rarely meet in a bank.
  typedef GpuPack<W, kVector> Factor[kDepth][kOfSide + 1];

  // Adds the product of both tiles.
  __device__ void Add(const Factor& left, const Factor& right) {
    // More at once would not leave registers for the next tiles.
    [[maybe_unused]] constexpr int kAtOnce = kOwn * kVector > 4 ? 2 : 4;
#pragma unroll kAtOnce
    for (int k = 0; k < kDepth; ++k) {
      GpuPack<W, kVector> rows[kOwn], columns[kOwn];
      for (int v = 0; v < kOwn; ++v) rows[v] = left[k][row_ + v * kThreads];
      for (int v = 0; v < kOwn; ++v) columns[v] = right[k][column_ + v * kThreads];
      for (int r = 0; r < kOwn * kVector; ++r) {
        for (int c = 0; c < kOwn * kVector; ++c) {
          sums_[r][c] += rows[r / kVector].elements[r % kVector] * columns[c / kVector].elements[c % kVector];
        }
      }
    }
  }

  // Writes the elements inside of a matrix of rows * columns. (i, j) is the tile's first element there.
  template <typename Out>
  __device__ void Write(int64 i, int64 j, int64 rows, int64 columns, Out* matrix) const {
    typedef GpuPack<Out, kVector> Vector;
    const int64 own_i = i + row_ * kVector, own_j = j + column_ * kVector;
    Out* const to = matrix + own_i * columns + own_j;
    if (i + kSide <= rows && j + kSide <= columns && columns % kVector == 0 &&
        reinterpret_cast<uintptr_t>(matrix) % sizeof(Vector) == 0) {
      for (int r = 0; r < kOwn * kVector; ++r) {
        for (int v = 0; v < kOwn; ++v) {
          Vector vector;
          for (int c = 0; c < kVector; ++c) vector.elements[c] = static_cast<Out>(sums_[r][v * kVector + c]);
          *reinterpret_cast<Vector*>(to + Place(r) * columns + Place(v * kVector)) = vector;
        }
      }
      return;
    }
    for (int r = 0; r < kOwn * kVector; ++r) {
      for (int c = 0; c < kOwn * kVector; ++c) {
        if (own_i + Place(r) >= rows || own_j + Place(c) >= columns) continue;
        to[Place(r) * columns + Place(c)] = static_cast<Out>(sums_[r][c]);
      }
    }
  }

 private:
  static constexpr int kThreads = 16;              // along each side; a warp has 4 x 8 of them
  static constexpr int kOwn = kOfSide / kThreads;  // vectors
  // How far the thread's element k along a side is from its first one.
  __device__ static constexpr int Place(int k) {
    return k / kVector * kThreads * kVector + k % kVector;
  }
  const int warp_ = static_cast<int>(threadIdx.x) / 32, lane_ = static_cast<int>(threadIdx.x) % 32;
  const int row_ = warp_ / 2 * 4 + lane_ / 8, column_ = warp_ % 2 * 8 + lane_ % 8;
  W sums_[kOwn * kVector][kOwn * kVector] = {};
};

// A factor of type T, in the kernel's parameters:
//
//   Place: a place along the side that it shares with the product, and along the depth
//   PlaceAt(data, i, k), NextDepth(&place, n), NextNeighbor(&place): make a place, and move it; it may be too far
//   Find(place): the element; NULL: it is 0
//   AlongSide(): whether neighbors in memory are along the side; otherwise they are along the depth
//   has_vectors: kNeighbors<T> neighbors, from a multiple of it on, are aligned in memory

// Matrices in memory.
template <typename T>
struct MatrixFactor {
  typedef T Type;
  typedef const T* Place;
  const T* data;
  int64 side_step, depth_step;  // one of them is 1
  bool conjugated;              // complex elements
  bool has_vectors;

  // inner: the length of the rows in memory.
  MatrixFactor(const T* data, bool along_side, int64 inner, bool conjugated = false)
      : data(data),
        side_step(along_side ? 1 : inner),
        depth_step(along_side ? inner : 1),
        conjugated(conjugated),
        has_vectors(inner % kNeighbors<T> == 0 && IsAlignedFor<T, kNeighbors<T>>(data)) {}

  __device__ Place PlaceAt(const T* matrix, int64 i, int64 k) const { return matrix + i * side_step + k * depth_step; }
  __device__ void NextDepth(Place* place, int n) const { *place += n * depth_step; }
  __device__ void NextNeighbor(Place* place) const { ++*place; }
  __device__ const T* Find(Place place) const { return place; }
  __device__ bool AlongSide() const { return side_step == 1; }
};

// What one thread copies of a factor to shared memory: a vector of each tile.
template <typename Tile, typename Factor>
class FactorLoads {
 public:
  typedef typename Factor::Type T;
  typedef GpuPack<T, Tile::kVector> Vector;
  typedef GpuPack<uint32_t, sizeof(Vector) / 4> Words;

  // Of tiles from depth `begin` on, in a matrix that begins at `data`. sides: how many there are from side i on.
  __device__ FactorLoads(const Factor& factor, const T* data, int64 i, int64 sides, int64 begin) {
    const int thread = static_cast<int>(threadIdx.x);
    const int side = factor.AlongSide() ? thread % Tile::kOfSide * kVector : thread / kOfDepth;
    const int depth = factor.AlongSide() ? thread / Tile::kOfSide : thread % kOfDepth * kVector;
    slot_ = depth * kPitch + side;
    sides_ = side < sides ? static_cast<int>(sides < Tile::kSide ? sides : Tile::kSide) - side : 0;
    own_depth_ = side < sides ? depth : INT32_MAX;
    place_ = factor.PlaceAt(data, i + side, begin + depth);
  }

  // Reads the vector of the next tile, which has so many depths; elements outside are 0. It is not converted yet, since
  // a thread waits for what it reads when it first needs it, which should be in Store.
  __device__ Words Load(const Factor& factor, int64 depths) {
    Words words = {};
    if (depths > own_depth_) {
      if (factor.has_vectors) {
        const T* const from = factor.Find(place_);
        if (from != nullptr) words = *reinterpret_cast<const Words*>(from);
      } else {
        const int left = depths - own_depth_ < kVector ? static_cast<int>(depths) - own_depth_ : kVector;
        const Vector vector = LoadElements(factor, factor.AlongSide() ? sides_ : left);
        std::memcpy(&words, &vector, sizeof words);
      }
    }
    factor.NextDepth(&place_, Tile::kDepth);
    return words;
  }

  __device__ void Store(const Factor& factor, const Words& words, typename Tile::Factor& tile) const {
    typedef typename Tile::Sum W;
    Vector vector;
    std::memcpy(&vector, &words, sizeof vector);
    GpuPack<W, kVector> wide;
    for (int e = 0; e < kVector; ++e) wide.elements[e] = static_cast<W>(vector.elements[e]);
    if constexpr (kIsComplex<W>) {
      for (W& z : wide.elements) z = W(z.real(), factor.conjugated ? -z.imag() : z.imag());
    }
    W* const to = tile[0]->elements + slot_;
    if (factor.AlongSide()) {
      *reinterpret_cast<GpuPack<W, kVector>*>(to) = wide;
    } else {
      for (int e = 0; e < kVector; ++e) to[e * kPitch] = wide.elements[e];
    }
  }

 private:
  static constexpr int kVector = Tile::kVector, kOfDepth = Tile::kDepth / kVector, kPitch = Tile::kSide + kVector;

  __device__ Vector LoadElements(const Factor& factor, int n) const {
    typename Factor::Place place = place_;
    Vector vector;
    for (int e = 0; e < kVector; ++e) {
      const T* const from = e < n ? factor.Find(place) : nullptr;
      vector.elements[e] = from == nullptr ? T() : *from;
      factor.NextNeighbor(&place);
    }
    return vector;
  }

  // Of the thread's vector: where it is in a tile in shared memory, how many sides there are from its first one on, and
  // its first depth, or INT32_MAX if it is beyond the sides.
  int slot_, sides_, own_depth_;
  typename Factor::Place place_;
};

// sums: where the products of parts are written, one part after the other, or NULL: there is one.
template <typename Tile, typename Left, typename Right, typename Out>
__global__ void __launch_bounds__(kGpuThreads, 2)
    MultiplyFactors(ProductSize size, Left left, Right right, Out* out, typename Tile::Sum* sums) {
  typedef typename Tile::Sum W;
  constexpr int kSide = Tile::kSide, kDepth = Tile::kDepth;
  __shared__ typename Tile::Factor lefts[2], rights[2];
  const int64 of_product = size.tiles(kSide), of_part = of_product * size.products;
  const int64 t = int64{blockIdx.y} * gridDim.x + blockIdx.x;
  if (t >= of_part * size.parts) return;
  const int64 part = t / of_part, product = t % of_part / of_product, begin = part * size.part;
  const int down = static_cast<int>(t % of_product / size.across(kSide));  // tiles
  const int across = static_cast<int>(t % of_product % size.across(kSide));
  const int64 i = int64{down} * kSide, j = int64{across} * kSide, first = product * size.rows * size.columns;
  void* const to = sums == nullptr ? static_cast<void*>(out + first) : sums + (part * size.elements() + first);
  int64 at[2];
  size.matrices.Find(product, at);
  FactorLoads<Tile, Left> of_left(left, left.data + at[0], i, size.rows - i, begin);
  FactorLoads<Tile, Right> of_right(right, right.data + at[1], j, size.columns - j, begin);
  Tile tile;
  int step = 0;  // each step multiplies what the one before it has stored
  for (int64 rest = begin + size.part < size.depth ? size.part : size.depth - begin; rest > -kDepth; rest -= kDepth) {
    const auto next_left = of_left.Load(left, rest);
    const auto next_right = of_right.Load(right, rest);
    if (step > 0) tile.Add(lefts[step % 2], rights[step % 2]);
    ++step;
    of_left.Store(left, next_left, lefts[step % 2]);
    of_right.Store(right, next_right, rights[step % 2]);
    __syncthreads();  // of two buffers, the one that is written was read before the last barrier
  }
  if (sizeof(Out) != sizeof(W) && sums == nullptr) {
    tile.Write(i, j, size.rows, size.columns, static_cast<Out*>(to));
  } else {
    tile.Write(i, j, size.rows, size.columns, static_cast<W*>(to));
  }
}

template <typename W, typename T>
__global__ void __launch_bounds__(kGpuThreads) AddProducts(int64 n, int64 parts, const W* in, T* out) {
  for (int64 i : GpuGridRangeX(n)) {
    W sum = in[i];
    for (int64 part = 1; part < parts; ++part) sum += in[part * n + i];
    out[i] = static_cast<T>(sum);
  }
}

template <int kSide, typename Left, typename Right, typename T>
Status LaunchTiles(OpKernelContext* context, ProductSize size, const Left& left, const Right& right, T* out) {
  typedef Multiplied<T> W;
  typedef ProductTile<W, kSide> Tile;
  constexpr int64 kBusy = 256, kLeastDepth = 512;
  const int64 tiles = size.tiles(kSide) * size.products;
  const int64 parts = std::clamp<int64>(kBusy / tiles, 1, std::max<int64>(size.depth / kLeastDepth, 1));
  size.part = ((size.depth + parts - 1) / parts + Tile::kDepth - 1) / Tile::kDepth * Tile::kDepth;
  size.parts = parts == 1 ? 1 : (size.depth + size.part - 1) / size.part;
  Tensor temporary;
  W* sums = nullptr;
  if (size.parts > 1) {
    const int64 bytes = size.parts * size.elements() * static_cast<int64>(sizeof(W));
    TF_RETURN_IF_ERROR(context->allocate_temp(DT_UINT8, TensorShape({bytes}), &temporary));
    sums = static_cast<W*>(temporary.data());
  }
  const int64 blocks = tiles * size.parts, wide = std::min<int64>(blocks, 1 << 30);
  const dim3 grid(static_cast<unsigned>(wide), static_cast<unsigned>((blocks + wide - 1) / wide));
  TF_RETURN_IF_ERROR(GpuLaunchKernel(MultiplyFactors<Tile, Left, Right, T>, grid, kGpuThreads, 0, GetGpuStream(context),
                                     size, left, right, out, sums));
  if (size.parts == 1) return Status();
  return GpuLaunchKernel(AddProducts<W, T>, GpuBlocks(size.elements()), kGpuThreads, 0, GetGpuStream(context),
                         size.elements(), size.parts, sums, out);
}

// Multiplies in large tiles, or in small ones, and in parts of the depth, if there are too few to keep a card busy.
template <typename Left, typename Right, typename T>
Status MultiplyOnGpu(OpKernelContext* context, const ProductSize& size, const Left& left, const Right& right, T* out) {
  constexpr int kLarge = 128, kSmall = 64;
  constexpr int64 kEnough = 256;
  if constexpr (std::is_same_v<Multiplied<T>, float>) {  // sums of other types would need too many registers
    const bool is_large = size.rows > kSmall && size.columns > kSmall;
    if (is_large && size.tiles(kLarge) * size.products >= kEnough) {
      return LaunchTiles<kLarge>(context, size, left, right, out);
    }
  }
  return LaunchTiles<kSmall>(context, size, left, right, out);
}

}  // namespace math_ops
