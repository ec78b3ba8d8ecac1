// plugins/math_ops/prod_ops.h: the first and the second derivative of a product, and the kernels of both, for any
// device.
//
// The derivative of a product by one factor is the product of the others. Dividing the product by the factor fails if
// it is 0, so the products of the factors before and after it are multiplied.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "arithmetic.h"
#include "opsrun/check_shapes.h"
#include "reduce.h"
#include "segments.h"

namespace math_ops {

// The product of some factors.
template <typename W>
struct Multiplied {
  W product = W(1);

  template <typename T>
  constexpr void Include(const T* factors, const T* /*weights*/, int64 i) {
    product = Mul()(product, static_cast<W>(factors[i]));
  }
  static constexpr W OfOthers(const Multiplied& before, const Multiplied& after) {
    return Mul()(before.product, after.product);
  }
};

// The product of some factors, and the sum over i of weight i times the product of all factors except i.
template <typename W>
struct Weighted {
  W product = W(1), sum = W(0);

  template <typename T>
  constexpr void Include(const T* factors, const T* weights, int64 i) {
    const W factor = static_cast<W>(factors[i]);
    sum = Add()(Mul()(sum, factor), Mul()(product, static_cast<W>(weights[i])));
    product = Mul()(product, factor);
  }
  static constexpr W OfOthers(const Weighted& before, const Weighted& after) {
    return Add()(Mul()(before.sum, after.product), Mul()(before.product, after.sum));
  }
};

// The factors of products, their weights, and the derivatives: elements at the same offsets.
template <typename T>
struct Products {
  const T *weights, *in;  // no weights: NULL
  T* out;

  // Of a kernel's inputs: weights (optional), the numbers, and one more.
  Products(OpKernelContext* context, Tensor* output)
      : weights(context->num_inputs() == 2 ? nullptr : static_cast<const T*>(context->input(0).data())),
        in(static_cast<const T*>(context->input(context->num_inputs() - 2).data())),
        out(static_cast<T*>(output->data())) {}
};

// Writes the derivative of the product of the factors at(0), at(1), ..., at(count - 1) by each of them: with Multiplied
// the product of the others; with Weighted, for factor j, the sum over i != j of weight i times the product of all
// factors except i and j. before(i): memory for a state.
template <typename State, typename T, typename At, typename Before>
constexpr void DeriveProduct(const Products<T>& products, int64 count, const At& at, const Before& before) {
  State part;
  for (int64 i = 0; i < count; ++i) {
    before(i) = part;
    part.Include(products.in, products.weights, at(i));
  }
  part = State();
  for (int64 i = count; i-- > 0;) {
    products.out[at(i)] = static_cast<T>(State::OfOthers(before(i), part));
    part.Include(products.in, products.weights, at(i));
  }
}

// ProdOfOthers and ProdOfOthersGrad: all inputs but the last have the same shape; the last one holds the axes.
class ProdGradientKernel : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    const int axes = context->num_inputs() - 1;
    const Tensor& input = context->input(axes - 1);
    bool reduced[OPSRUN_MAX_RANK];
    OP_REQUIRES_OK(context, ReadAxes(context->input(axes), input.dims(), reduced));
    OP_REQUIRES_OK(context, CheckShape(context->input(0).shape(), "weights", input.shape(), "input"));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, input.shape(), &output));
    if (input.NumElements() > 0) OP_REQUIRES_OK(context, Run(context, reduced, output));
  }

 protected:
  // Requires: there are elements.
  virtual Status Run(OpKernelContext* context, const bool* reduced, Tensor* output) const = 0;
};

// SegmentProdOfOthers and SegmentProdOfOthersGrad: the inputs are weights (optional), data and segment_ids.
class SegmentProdGradientKernel : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    const int last = context->num_inputs() - 1;
    const Tensor &data = context->input(last - 1), &ids = context->input(last);
    OP_REQUIRES_OK(context, CheckUnsortedShapes(data.shape(), ids.shape()));
    OP_REQUIRES_OK(context, CheckShape(context->input(0).shape(), "weights", data.shape(), "data"));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, data.shape(), &output));
    if (data.NumElements() > 0) OP_REQUIRES_OK(context, Run(context, ids, output));
  }

 protected:
  // Writes the derivatives, and 0 for rows with negative ids. Requires: there are elements.
  virtual Status Run(OpKernelContext* context, const Tensor& ids, Tensor* output) const = 0;
};

// DeriveProduct on the CPU, at offsets from element `base`.
typedef void (*ProductLoop)(OpKernelContext* context, const int64* offsets, size_t count, int64 base, Tensor* output);
struct ProductLoops {
  template <typename T>
  static void Run(OpKernelContext* context, const int64* offsets, size_t count, int64 base, Tensor* output) {
    const Products<T> products(context, output);
    products.weights == nullptr ? Derive<Multiplied<Wide<T>>>(products, offsets, count, base)
                                : Derive<Weighted<Wide<T>>>(products, offsets, count, base);
  }

 private:
  template <typename State, typename T>
  static void Derive(const Products<T>& products, const int64* offsets, size_t count, int64 base) {
    std::vector<State> before(count);
    DeriveProduct<State>(
        products, static_cast<int64>(count), [offsets, base](int64 i) { return base + offsets[i]; },
        [&before](int64 i) -> State& { return before[static_cast<size_t>(i)]; });
  }
};

// A kernel on the CPU, which uses loop().
template <typename Kernel>
class WithProductLoop : public Kernel {
 public:
  explicit WithProductLoop(OpKernelConstruction* context)
      : Kernel(context), loop_(LoopFor<ProductLoops>(context->input_type(0), FloatsAndComplexes())) {}

 protected:
  ProductLoop loop() const { return loop_; }

 private:
  const ProductLoop loop_;
};

}  // namespace math_ops
