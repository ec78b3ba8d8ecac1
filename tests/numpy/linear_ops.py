"""linear_ops.py: the NumPy expressions of matrix products, convolutions and poolings in plugins/math_ops.

How a table is written: agree.py.

SPDX-License-Identifier: Apache-2.0
"""

import itertools

from numpy.lib.stride_tricks import sliding_window_view

from agree import *

MATMUL_TYPES = FLOATS + ["int32", "int64"] + COMPLEX
# Sums of many products, in an order that is not NumPy's.
SUMS = {"float16": 5e-3, "bfloat16": 2e-2, "float32": 2e-5, "float64": 1e-12, "complex64": 5e-5, "complex128": 1e-12}


def sizes(d, count):
    """Sizes of dimensions; one of them is 0 in case 1."""
    if d.number == 0:
        return [1] * count
    found = [d.integer(1, 90 if d.large else 9) for _ in range(count)]
    if d.number == 1:
        found[d.integer(0, count - 1)] = 0
    return found


def small(d, shape):
    """Sums of their products stay far from the limits of float16."""
    integers = d.type in ("int32", "int64")
    return d.values(shape, special=False) if integers else d.values(shape, low=-2, high=2)


def as_computed(function):
    """float16 is computed as float32 and rounded once."""
    def compute(*inputs, **attrs):
        wide = [i.astype(np.float32) if i.dtype == np.float16 else i for i in inputs]
        result = function(*wide, **attrs)
        return result.astype(np.float16) if any(i.dtype == np.float16 for i in inputs) else result
    return compute


# Matrix products
def swapped(shape, swap):
    return shape[:-2] + shape[:-3:-1] if swap else shape


def matmul_inputs(d):
    m, k, n = sizes(d, 3)
    attrs = {"transpose_a": d.some(), "transpose_b": d.some()}
    a = swapped((m, k), attrs["transpose_a"])
    b = swapped((k, n), attrs["transpose_b"])
    return [small(d, a), small(d, b)], attrs


def batch_inputs(broadcasts):
    def inputs(d):
        m, k, n = (min(size, 20) for size in sizes(d, 3))
        attrs = {"adj_x": d.some(), "adj_y": d.some()}
        batch = d.shape(max_rank=2) if not d.large else (7, 5)
        part = tuple(1 if d.some(0.3) else size for size in batch)[d.integer(0, len(batch)):]
        other = part if broadcasts else batch
        of_x, of_y = (batch, other) if d.some() else (other, batch)
        x, y = of_x + swapped((m, k), attrs["adj_x"]), of_y + swapped((k, n), attrs["adj_y"])
        return [small(d, x), small(d, y)], attrs
    return inputs


def turned(x, transpose):
    return x.T if transpose else x


def adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


@as_computed
def batch_matmul(x, y, adj_x, adj_y):
    return (adjoint(x) if adj_x else x) @ (adjoint(y) if adj_y else y)


family("products")
op("MatMul", as_computed(lambda a, b, transpose_a, transpose_b: turned(a, transpose_a) @ turned(b, transpose_b)),
   matmul_inputs, types=MATMUL_TYPES, tolerance=SUMS)
op("BatchMatMul", batch_matmul, batch_inputs(False), types=MATMUL_TYPES, tolerance=SUMS)
op("BatchMatMulV2", batch_matmul, batch_inputs(True), types=MATMUL_TYPES, tolerance=SUMS)


def edge_inputs(depths, *sides):
    """Matrices around the sizes of tiles on a GPU, and of what a thread reads at a time."""
    def inputs(d):
        m, k, n = d.choice(*sides), d.choice(*depths), d.choice(*sides)
        attrs = {"transpose_a": d.some(), "transpose_b": d.some()}
        return [small(d, swapped((m, k), attrs["transpose_a"])), small(d, swapped((k, n), attrs["transpose_b"]))], attrs
    return inputs


def many_inputs(d):
    """As many products, of matrices as large, as get the largest tiles."""
    m, k, n = d.choice(65, 68, 128), d.choice(3, 4, 8, 12), d.choice(65, 68, 128)
    attrs = {"adj_x": d.some(), "adj_y": d.some()}
    return [small(d, (256, *swapped((m, k), attrs["adj_x"]))), small(d, swapped((k, n), attrs["adj_y"]))], attrs


for edges, cases in ((edge_inputs((0, 1, 4, 7, 8, 9, 15, 16, 17, 40), 1, 4, 63, 64, 65, 68, 130), 6),
                     (edge_inputs((1023, 1024, 1027, 1540, 2000), 1, 4, 7, 64), 3)):
    op("MatMul", as_computed(lambda a, b, transpose_a, transpose_b: turned(a, transpose_a) @ turned(b, transpose_b)),
       edges, types=["float16", "float32", "float64", "int32", "int64"], cases=cases, large=False,
       tolerance={**SUMS, "float16": 5e-2, "float32": 2e-4})
op("BatchMatMulV2", batch_matmul, many_inputs, types=["float16", "float32"], cases=2, large=False, tolerance=SUMS)
fails("MatMul", "equal", [np.zeros((2, 3), np.float32), np.zeros((2, 3), np.float32)])
fails("BatchMatMulV2", "broadcast together", [np.zeros(s, np.float32) for s in ((2, 3, 3), (4, 3, 3))])


# Windows
class Windows:
    """The windows of images [batch, height, width, channels], with TensorFlow's rules for padding.

    ksize is of the last three dimensions; strides and dilations are of all four.
    """

    def __init__(self, shape, ksize, strides, padding, explicit_paddings=(), dilations=(1, 1, 1, 1)):
        self.shape, self.ksize, self.strides, self.dilations = shape, ksize, strides[1:], dilations[1:]
        self.count, self.pads = [], []
        for i, (size, stride) in enumerate(zip(shape[1:], self.strides)):
            extent = (ksize[i] - 1) * self.dilations[i] + 1
            if padding == "SAME":
                count = -(-size // stride)
                total = max((count - 1) * stride + extent - size, 0)
                pads = (total // 2, total - total // 2)
            else:
                pads = tuple(explicit_paddings[2 + 2 * i:4 + 2 * i]) if padding == "EXPLICIT" else (0, 0)
                count = (size + sum(pads) - extent + stride) // stride
            self.count.append(count)
            self.pads.append(pads)

    def pad(self, images, value=0):
        return np.pad(images, [(0, 0), *self.pads], constant_values=value)

    def crop(self, padded):
        inside = (slice(before, before + size) for (before, _), size in zip(self.pads, self.shape[1:]))
        return padded[(slice(None), *inside)]

    def taps(self, padded):
        """(place, the values at this place of all windows), a view for each place in the window."""
        for place in itertools.product(*map(range, self.ksize)):
            slices = (slice(k * d, k * d + (n - 1) * s + 1 if n else 0, s)
                      for k, d, n, s in zip(place, self.dilations, self.count, self.strides))
            yield place, padded[(slice(None), *slices)]


def padding_attrs(d, ksize):
    attrs = {"padding": d.choice("SAME", "VALID", "EXPLICIT"), "explicit_paddings": []}
    if attrs["padding"] == "EXPLICIT":
        attrs["explicit_paddings"] = [0, 0] + [d.integer(0, k - 1) for k in ksize for _ in range(2)] + [0, 0]
    return attrs


def image_inputs(d):
    """The shape of images that have a window, the size of the window, and attrs."""
    ksize = [1, 1] if d.number == 0 else [d.integer(1, 3), d.integer(1, 4)]
    attrs = {"strides": [1, d.integer(1, 3), d.integer(1, 3), 1], **padding_attrs(d, ksize)}
    batch, channels = sizes(d, 2)
    height, width = ksize[0] * 2 + d.integer(0, 40 if d.large else 5), ksize[1] * 2 + d.integer(0, 5)
    return (min(batch, 3), height, width, min(channels, 9)), ksize, attrs


def conv_inputs(*names, images=None, filters=None):
    """Of any images and windows, or of images of a shape, with windows of a size that do not skip any."""
    def inputs(d):
        shape, ksize, attrs = image_inputs(d)
        if images is not None:
            (shape, ksize), attrs = images, {"strides": [1, 1, 1, 1], "padding": "SAME", "explicit_paddings": []}
        attrs["dilations"] = [1, d.integer(1, 2), d.integer(1, 2), 1]
        attrs["explicit_paddings"] = [2 * p for p in attrs["explicit_paddings"]]
        kernel = (*ksize, shape[3], filters or d.choice(1, 2, 3, 4, 5, 8))
        convolved = (shape[0], *Windows(shape, [*ksize, 1], **attrs).count[:2], kernel[3])
        made = {"images": shape, "filter": kernel, "gradient": convolved}
        values = {"image_sizes": np.array(shape, np.int32), "filter_sizes": np.array(kernel, np.int32)}
        return [values[name] if name in values else small(d, made[name]) for name in names], attrs
    return inputs


@as_computed
def conv2d(images, kernel, **attrs):
    windows = Windows(images.shape, [*kernel.shape[:2], 1], **attrs)
    return sum(pixels @ kernel[y, x] for (y, x, _), pixels in windows.taps(windows.pad(images)))


def valid_conv2d(images, kernel):
    windows = sliding_window_view(images, kernel.shape[:2], axis=(1, 2))
    return np.einsum("nyxchw,hwcf->nyxf", windows, kernel)


@as_computed
def conv2d_backprop_input(sizes, kernel, gradient, **attrs):
    windows = Windows(tuple(sizes), [*kernel.shape[:2], 1], **attrs)
    padded = windows.pad(np.zeros(sizes, gradient.dtype))
    for (y, x, _), pixels in windows.taps(padded):
        pixels += gradient @ kernel[y, x].T
    return windows.crop(padded)


@as_computed
def conv2d_backprop_filter(images, sizes, gradient, **attrs):
    windows = Windows(images.shape, [*sizes[:2], 1], **attrs)
    kernel = np.zeros(sizes, images.dtype)
    for (y, x, _), pixels in windows.taps(windows.pad(images)):
        kernel[y, x] = np.tensordot(pixels, gradient, ([0, 1, 2], [0, 1, 2]))
    return kernel


CONV_TYPES = FLOATS + ["int32"]
family("convolutions")
op("Conv2D", valid_conv2d, lambda d: ([small(d, (2, 5, 6, 3)), small(d, (3, 2, 3, 4))],
                                      {"strides": [1, 1, 1, 1], "padding": "VALID"}), attrs=[], tolerance=SUMS)
LONG_SUMS = {**SUMS, "float32": 1e-4, "float16": 2e-2, "bfloat16": 5e-2}
# More rows than one part has, more windows than are copied at a time; more images than have parts of their own; pixels
# that are multiplied where they are.
PARTS = (((1, 50, 60, 3), [3, 3]), ((40, 6, 5, 2), [3, 3]), ((2, 5, 6, 7), [1, 1]), ((2, 9, 7, 8), [3, 2]))
for name, convolve, names, tolerance in (
        ("Conv2D", conv2d, ("images", "filter"), SUMS),
        ("Conv2DBackpropInput", conv2d_backprop_input, ("image_sizes", "filter", "gradient"), SUMS),
        ("Conv2DBackpropFilter", conv2d_backprop_filter, ("images", "filter_sizes", "gradient"), LONG_SUMS)):
    op(name, convolve, conv_inputs(*names), types=CONV_TYPES, tolerance=tolerance, cases=8)
    for images in PARTS:
        op(name, convolve, conv_inputs(*names, images=images), cases=2, large=False, tolerance=LONG_SUMS)

# The largest tiles on a GPU.
op("Conv2D", conv2d, conv_inputs("images", "filter", images=((1, 182, 182, 1), [1, 1]), filters=66), cases=1,
   large=False, tolerance=SUMS)
op("Conv2DBackpropInput", conv2d_backprop_input,
   conv_inputs("image_sizes", "filter", "gradient", images=((1, 182, 182, 66), [1, 1]), filters=1), cases=1,
   large=False, tolerance=SUMS)


# Poolings. Pixels are integers, so that several of a window are often the largest.
def pixels_of(d):
    shape, ksize, attrs = image_inputs(d)
    return shape, {"ksize": [1, *ksize, 1], **attrs}


def channels_of(d):
    """Windows of channels, each channel in one window."""
    window, windows = d.integer(2, 4), d.integer(1, 3)
    shape = (*(d.integer(1, 3) for _ in range(3)), window * windows)
    return shape, {"ksize": [1, 1, 1, window], "strides": [1, 1, 1, window], "padding": d.choice("SAME", "VALID")}


def pool_inputs(images_of, *names):
    def inputs(d):
        shape, attrs = images_of(d)
        pooled = (shape[0], *pool_windows(shape, **attrs).count)
        images = 1 + small_integers(d, shape)  # larger than the padding of unsigned images
        values = {"images": images, "pooled": max_pool(images, **attrs), "like_images": small_integers(d, shape),
                  "like_pooled": small_integers(d, pooled)}
        chosen = [values[name] for name in names]
        if d.type in CONVERTED:
            d.converted.extend(chosen)
        return chosen, attrs
    return inputs


def small_integers(d, shape):
    return d.random.integers(0, 9, shape).astype(numpy_type(d.type))


def pool_windows(shape, ksize, **attrs):
    return Windows(tuple(shape), ksize[1:], **attrs)


def least_of(dtype):
    return np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf


def of_windows(images, **attrs):
    """The windows, and their taps in one array."""
    windows = pool_windows(images.shape, **attrs)
    return windows, np.stack([pixels for _, pixels in windows.taps(windows.pad(images, least_of(images.dtype)))])


def max_pool(images, **attrs):
    return of_windows(images, **attrs)[1].max(axis=0)


def max_pool_grad(images, pooled, gradient, **attrs):
    windows, taps = of_windows(images, **attrs)
    padded, chosen = windows.pad(np.zeros(images.shape, gradient.dtype)), taps.argmax(axis=0)
    for i, (_, pixels) in enumerate(windows.taps(padded)):
        pixels += np.where(chosen == i, gradient, 0).astype(gradient.dtype)
    return windows.crop(padded)


def max_pool_grad_grad(images, pooled, gradient, **attrs):
    windows, taps = of_windows(images, **attrs)
    of_gradient = np.stack([pixels for _, pixels in windows.taps(windows.pad(gradient))])
    return np.take_along_axis(of_gradient, taps.argmax(axis=0)[None], 0)[0]


def mean_inputs(images_of, *names):
    def inputs(d):
        shape, attrs = images_of(d)
        attrs.pop("explicit_paddings", None)
        attrs["padding"] = d.choice("SAME", "VALID")
        made = {"images": shape, "like_pooled": (shape[0], *pool_windows(shape, **attrs).count)}
        return [np.array(shape, np.int32) if name == "sizes" else small(d, made[name]) for name in names], attrs
    return inputs


def counts(windows):
    """How many pixels each window has."""
    return sum(pixels for _, pixels in windows.taps(windows.pad(np.ones(windows.shape))))


@as_computed
def avg_pool(images, **attrs):
    windows = pool_windows(images.shape, **attrs)
    total = sum(pixels for _, pixels in windows.taps(windows.pad(images)))
    return (total / counts(windows)).astype(images.dtype)


@as_computed
def avg_pool_grad(sizes, gradient, **attrs):
    windows = pool_windows(sizes, **attrs)
    padded = windows.pad(np.zeros(sizes, gradient.dtype))
    for _, pixels in windows.taps(padded):
        pixels += (gradient / counts(windows)).astype(gradient.dtype)
    return windows.crop(padded)


POOL_TYPES = FLOATS + ["int8", "int16", "int32", "int64", "uint8", "uint16"]
family("poolings")
for images_of, mean_types in ((pixels_of, FLOATS), (channels_of, ["float32", "float64"])):
    op("MaxPool", max_pool, pool_inputs(images_of, "images"), types=POOL_TYPES, tolerance=EXACT)
    op("MaxPoolGrad", max_pool_grad, pool_inputs(images_of, "images", "pooled", "like_pooled"), types=POOL_TYPES,
       tolerance=EXACT)
    op("AvgPool", avg_pool, mean_inputs(images_of, "images"), types=mean_types, tolerance=SUMS)
    op("AvgPoolGrad", avg_pool_grad, mean_inputs(images_of, "sizes", "like_pooled"), types=mean_types, tolerance=SUMS)
op("MaxPoolGradGrad", max_pool_grad_grad, pool_inputs(pixels_of, "images", "pooled", "like_images"), types=POOL_TYPES,
   tolerance=EXACT)
