// plugins/math_ops/prod_ops.h: the first and the second derivative of a product.
//
// The derivative of a product by one factor is the product of the others. Dividing the product by the factor fails if
// it is 0, so the products of the factors before and after it are multiplied.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "arithmetic.h"

namespace math_ops {

// The factors of one product: elements of a tensor at some offsets.
template <typename T>
struct Factors {
  const T* in;
  const int64* offsets;
  size_t count;

  size_t size() const { return count; }
  Wide<T> operator[](size_t i) const { return static_cast<Wide<T>>(in[offsets[i]]); }
};

// out[i] = the product of all factors except factor i.
template <typename T>
void MultiplyOthers(const Factors<T>& factors, T* out) {
  std::vector<Wide<T>> before(factors.size());
  Wide<T> product(1);
  for (size_t i = 0; i < factors.size(); ++i) {
    before[i] = product;
    product = Mul()(product, factors[i]);
  }
  product = Wide<T>(1);
  for (size_t i = factors.size(); i-- > 0;) {
    out[factors.offsets[i]] = static_cast<T>(Mul()(before[i], product));
    product = Mul()(product, factors[i]);
  }
}

// The product of some factors, and the sum over i of weight i times the product of all factors except i.
template <typename W>
struct Weighted {
  W product = W(1), sum = W(0);

  void Include(W factor, W weight) {
    sum = Add()(Mul()(sum, factor), Mul()(product, weight));
    product = Mul()(product, factor);
  }
};

// out[j] = the sum over i != j of weight i times the product of all factors except i and j.
template <typename T>
void WeighOthers(const Factors<T>& factors, const Factors<T>& weights, T* out) {
  std::vector<Weighted<Wide<T>>> before(factors.size());
  Weighted<Wide<T>> part;
  for (size_t i = 0; i < factors.size(); ++i) {
    before[i] = part;
    part.Include(factors[i], weights[i]);
  }
  part = {};
  for (size_t i = factors.size(); i-- > 0;) {
    const auto left = Mul()(before[i].sum, part.product), right = Mul()(before[i].product, part.sum);
    out[factors.offsets[i]] = static_cast<T>(Add()(left, right));
    part.Include(factors[i], weights[i]);
  }
}

// out[j] = the derivative of the product of in[offsets[0]], in[offsets[1]], ... by in[offsets[j]]; with weights, the
// sum over i of weight i times the derivative of that by element i. `out` and `weights` have the same offsets as `in`.
template <typename T>
void DeriveProduct(const T* weights, const T* in, const int64* offsets, size_t count, T* out) {
  const Factors<T> factors = {in, offsets, count};
  weights == nullptr ? MultiplyOthers(factors, out) : WeighOthers(factors, {weights, offsets, count}, out);
}

// DeriveProduct on tensors, whose offsets start at element `base`. The inputs of the kernel are weights (optional), the
// numbers, and one more.
typedef void (*ProductLoop)(OpKernelContext* context, const int64* offsets, size_t count, int64 base, Tensor* output);
struct ProductLoops {
  template <typename T>
  static void Run(OpKernelContext* context, const int64* offsets, size_t count, int64 base, Tensor* output) {
    const int numbers = context->num_inputs() - 2;
    const auto at_base = [&](int i) { return static_cast<const T*>(context->input(i).data()) + base; };
    DeriveProduct(numbers == 0 ? nullptr : at_base(0), at_base(numbers), offsets, count,
                  static_cast<T*>(output->data()) + base);
  }
};

class ProductKernel : public OpKernel {
 public:
  explicit ProductKernel(OpKernelConstruction* context)
      : OpKernel(context), loop_(LoopFor<ProductLoops>(context->input_type(0), FloatsAndComplexes())) {}

 protected:
  const ProductLoop loop_;
};

}  // namespace math_ops
