"""linear_ops.py: the NumPy expressions of matrix products, convolutions and poolings in plugins/math_ops.

How a table is written: agree.py.

SPDX-License-Identifier: Apache-2.0
"""

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
fails("MatMul", "equal", [np.zeros((2, 3), np.float32), np.zeros((2, 3), np.float32)])
fails("BatchMatMulV2", "broadcast together", [np.zeros(s, np.float32) for s in ((2, 3, 3), (4, 3, 3))])


# Windows
class Windows:
    """The windows of images [batch, height, width, channels], with TensorFlow's rules for padding."""

    def __init__(self, shape, ksize, strides, padding, explicit_paddings=(), dilations=(1, 1, 1, 1)):
        self.shape, self.ksize, self.strides, self.dilations = shape, ksize, strides[1:3], dilations[1:3]
        extents = [(k - 1) * d + 1 for k, d in zip(ksize, self.dilations)]
        self.count, self.pads = [], []
        for i in range(2):
            size, stride = shape[i + 1], self.strides[i]
            if padding == "SAME":
                count = -(-size // stride)
                total = max((count - 1) * stride + extents[i] - size, 0)
                pads = (total // 2, total - total // 2)
            else:
                pads = tuple(explicit_paddings[2 + 2 * i:4 + 2 * i]) if padding == "EXPLICIT" else (0, 0)
                count = (size + sum(pads) - extents[i] + stride) // stride
            self.count.append(count)
            self.pads.append(pads)

    def pad(self, images, value=0):
        return np.pad(images, [(0, 0), *self.pads, (0, 0)], constant_values=value)

    def crop(self, padded):
        (top, _), (left, _) = self.pads
        return padded[:, top:top + self.shape[1], left:left + self.shape[2]]

    def taps(self, padded):
        """(y, x, the pixels at this place of all windows), a view for each place in the window."""
        for y in range(self.ksize[0]):
            for x in range(self.ksize[1]):
                slices = [slice(k * d, k * d + (n - 1) * s + 1 if n else 0, s) for k, d, n, s in
                          zip((y, x), self.dilations, self.count, self.strides)]
                yield y, x, padded[:, slices[0], slices[1]]


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


def conv_inputs(*names, images=None):
    """Of any images and windows, or of images of a shape, with windows of a size that do not skip any."""
    def inputs(d):
        shape, ksize, attrs = image_inputs(d)
        if images is not None:
            (shape, ksize), attrs = images, {"strides": [1, 1, 1, 1], "padding": "SAME", "explicit_paddings": []}
        attrs["dilations"] = [1, d.integer(1, 2), d.integer(1, 2), 1]
        attrs["explicit_paddings"] = [2 * p for p in attrs["explicit_paddings"]]
        kernel = (*ksize, shape[3], d.integer(1, 5))
        convolved = (shape[0], *Windows(shape, ksize, **attrs).count, kernel[3])
        made = {"images": shape, "filter": kernel, "gradient": convolved}
        values = {"image_sizes": np.array(shape, np.int32), "filter_sizes": np.array(kernel, np.int32)}
        return [values[name] if name in values else small(d, made[name]) for name in names], attrs
    return inputs


@as_computed
def conv2d(images, kernel, **attrs):
    windows = Windows(images.shape, kernel.shape[:2], **attrs)
    padded = windows.pad(images)
    return sum(pixels @ kernel[y, x] for y, x, pixels in windows.taps(padded))


def valid_conv2d(images, kernel):
    windows = sliding_window_view(images, kernel.shape[:2], axis=(1, 2))
    return np.einsum("nyxchw,hwcf->nyxf", windows, kernel)


@as_computed
def conv2d_backprop_input(sizes, kernel, gradient, **attrs):
    windows = Windows(tuple(sizes), kernel.shape[:2], **attrs)
    padded = windows.pad(np.zeros(sizes, gradient.dtype))
    for y, x, pixels in windows.taps(padded):
        pixels += gradient @ kernel[y, x].T
    return windows.crop(padded)


@as_computed
def conv2d_backprop_filter(images, sizes, gradient, **attrs):
    windows = Windows(images.shape, tuple(sizes[:2]), **attrs)
    kernel = np.zeros(sizes, images.dtype)
    for y, x, pixels in windows.taps(windows.pad(images)):
        kernel[y, x] = np.tensordot(pixels, gradient, ([0, 1, 2], [0, 1, 2]))
    return kernel


CONV_TYPES = FLOATS + ["int32"]
family("convolutions")
op("Conv2D", valid_conv2d, lambda d: ([small(d, (2, 5, 6, 3)), small(d, (3, 2, 3, 4))],
                                      {"strides": [1, 1, 1, 1], "padding": "VALID"}), attrs=[], tolerance=SUMS)
LONG_SUMS = {**SUMS, "float32": 1e-4, "float16": 2e-2, "bfloat16": 5e-2}
# More rows than one part has, more windows than are copied at a time; more images than have parts of their own; pixels
# that are multiplied where they are.
PARTS = (((1, 50, 60, 3), [3, 3]), ((40, 6, 5, 2), [3, 3]), ((2, 5, 6, 7), [1, 1]))
for name, convolve, names, tolerance in (
        ("Conv2D", conv2d, ("images", "filter"), SUMS),
        ("Conv2DBackpropInput", conv2d_backprop_input, ("image_sizes", "filter", "gradient"), SUMS),
        ("Conv2DBackpropFilter", conv2d_backprop_filter, ("images", "filter_sizes", "gradient"), LONG_SUMS)):
    op(name, convolve, conv_inputs(*names), types=CONV_TYPES, tolerance=tolerance, cases=8)
    for images in PARTS:
        op(name, convolve, conv_inputs(*names, images=images), cases=2, large=False, tolerance=LONG_SUMS)


# Poolings. Pixels are integers, so that several of a window are often the largest.
def pool_inputs(*names):
    def inputs(d):
        shape, ksize, attrs = image_inputs(d)
        attrs["ksize"] = [1, *ksize, 1]
        windows = Windows(shape, ksize, attrs["strides"], attrs["padding"], attrs["explicit_paddings"])
        pooled = (shape[0], *windows.count, shape[3])
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


def pool_windows(images, ksize, strides, padding, explicit_paddings):
    return Windows(images.shape, ksize[1:3], strides, padding, explicit_paddings)


def least_of(dtype):
    return np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf


def max_pool(images, **attrs):
    windows = pool_windows(images, **attrs)
    padded = windows.pad(images, least_of(images.dtype))
    return np.stack([pixels for _, _, pixels in windows.taps(padded)]).max(axis=0)


def first_largest(images, **attrs):
    """The windows, and which of their taps is the first of the largest."""
    windows = pool_windows(images, **attrs)
    padded = windows.pad(images, least_of(images.dtype))
    return windows, np.stack([pixels for _, _, pixels in windows.taps(padded)]).argmax(axis=0)


def max_pool_grad(images, pooled, gradient, **attrs):
    windows, chosen = first_largest(images, **attrs)
    padded = windows.pad(np.zeros(images.shape, gradient.dtype))
    for i, (_, _, pixels) in enumerate(windows.taps(padded)):
        pixels += np.where(chosen == i, gradient, 0).astype(gradient.dtype)
    return windows.crop(padded)


def max_pool_grad_grad(images, pooled, gradient, **attrs):
    windows, chosen = first_largest(images, **attrs)
    taps = [pixels for _, _, pixels in windows.taps(windows.pad(gradient))]
    return sum(np.where(chosen == i, pixels, 0) for i, pixels in enumerate(taps)).astype(gradient.dtype)


POOL_TYPES = FLOATS + ["int8", "int16", "int32", "int64", "uint8", "uint16"]
family("poolings")
op("MaxPool", max_pool, pool_inputs("images"), types=POOL_TYPES, tolerance=EXACT)
op("MaxPoolGrad", max_pool_grad, pool_inputs("images", "pooled", "like_pooled"), types=POOL_TYPES, tolerance=EXACT)
op("MaxPoolGradGrad", max_pool_grad_grad, pool_inputs("images", "pooled", "like_images"), types=POOL_TYPES,
   tolerance=EXACT)


# Poolings over channels: those of images whose pixels are the channels of one pixel.
def channel_inputs(*names):
    def inputs(d):
        window, windows = d.random.integers(2, 5), d.random.integers(1, 4)
        shape = (*(int(size) for size in d.random.integers(1, 4, 3)), int(window * windows))
        ksize = [1, 1, 1, int(window)]
        images = small_integers(d, shape)
        chosen = {"images": images, "pooled": grouped(images, ksize).max(-1), "sizes": np.array(shape, np.int32),
                  "like_pooled": small_integers(d, (*shape[:3], int(windows)))}
        values = [chosen[name] for name in names]
        if d.type in CONVERTED:
            d.converted.extend(value for value in values if value.dtype != np.int32)
        return values, {"ksize": ksize, "strides": ksize, "padding": d.choice("SAME", "VALID")}
    return inputs


def grouped(images, ksize):
    """The windows of channels, along a last dimension of their own."""
    return images.reshape(*images.shape[:3], -1, ksize[3])


def max_of_channels_grad(images, pooled, gradient, ksize, strides, padding):
    windows = grouped(images, ksize)
    chosen = np.arange(ksize[3]) == windows.argmax(-1)[..., None]
    return np.where(chosen, gradient[..., None], 0).astype(gradient.dtype).reshape(images.shape)


op("MaxPool", lambda images, ksize, strides, padding: grouped(images, ksize).max(-1), channel_inputs("images"),
   types=POOL_TYPES, tolerance=EXACT)
op("MaxPoolGrad", max_of_channels_grad, channel_inputs("images", "pooled", "like_pooled"), types=POOL_TYPES, tolerance=EXACT)
op("AvgPool", lambda images, ksize, strides, padding: grouped(images, ksize).mean(-1).astype(images.dtype),
   channel_inputs("images"), types=["float32", "float64"], tolerance=SUMS)
op("AvgPoolGrad", lambda sizes, gradient, ksize, strides, padding:
   np.repeat(gradient / ksize[3], ksize[3], -1).astype(gradient.dtype), channel_inputs("sizes", "like_pooled"),
   types=["float32", "float64"], tolerance=SUMS)


def mean_inputs(*names):
    def inputs(d):
        shape, ksize, attrs = image_inputs(d)
        del attrs["explicit_paddings"]
        attrs["padding"] = d.choice("SAME", "VALID")
        attrs["ksize"] = [1, *ksize, 1]
        windows = Windows(shape, ksize, attrs["strides"], attrs["padding"])
        made = {"images": shape, "like_pooled": (shape[0], *windows.count, shape[3])}
        return [np.array(shape, np.int32) if name == "sizes" else small(d, made[name]) for name in names], attrs
    return inputs


def counts(windows):
    """How many pixels each window has."""
    return sum(pixels for _, _, pixels in windows.taps(windows.pad(np.ones(windows.shape))))


@as_computed
def avg_pool(images, ksize, strides, padding):
    windows = Windows(images.shape, ksize[1:3], strides, padding)
    total = sum(pixels for _, _, pixels in windows.taps(windows.pad(images)))
    return (total / counts(windows)).astype(images.dtype)


@as_computed
def avg_pool_grad(sizes, gradient, ksize, strides, padding):
    windows = Windows(tuple(sizes), ksize[1:3], strides, padding)
    padded = windows.pad(np.zeros(sizes, gradient.dtype))
    for _, _, pixels in windows.taps(padded):
        pixels += (gradient / counts(windows)).astype(gradient.dtype)
    return windows.crop(padded)


op("AvgPool", avg_pool, mean_inputs("images"), types=FLOATS, tolerance=SUMS)
op("AvgPoolGrad", avg_pool_grad, mean_inputs("sizes", "like_pooled"), types=FLOATS, tolerance=SUMS)
