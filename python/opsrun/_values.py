"""Data types, and conversion of Python values to arrays for ops.

A typed value, such as an array, keeps its type. A plain value, such as 2 or [0.5, 1], gets the type that other
arguments of the op require; otherwise int32 (int64 if needed), float32, complex128, bool or string.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from opsrun import _native
from opsrun._engine import engine

# Names as in graph files, with the numbers in c_api.h.
NUMBERS = {
    "float32": 1, "float64": 2, "int32": 3, "uint8": 4, "int16": 5, "int8": 6, "string": 7, "complex64": 8,
    "int64": 9, "bool": 10, "qint8": 11, "quint8": 12, "qint32": 13, "bfloat16": 14, "qint16": 15, "quint16": 16,
    "uint16": 17, "complex128": 18, "float16": 19, "resource": 20, "variant": 21, "uint32": 22, "uint64": 23,
    "float8_e5m2": 24, "float8_e4m3fn": 25, "float8_e4m3fnuz": 26, "float8_e4m3b11fnuz": 27, "float8_e5m2fnuz": 28,
}
NAMES = {number: name for name, number in NUMBERS.items()}
_OTHER_NAMES = {"float": "float32", "double": "float64", "half": "float16", "str": "string"}

# NumPy's types for quantized types.
QUANTIZED = {"qint8": "int8", "quint8": "uint8", "qint16": "int16", "quint16": "uint16", "qint32": "int32"}
STRING = NUMBERS["string"]

# Types whose elements are objects of a plugin. They have no arrays and no feeds.
OPAQUE = frozenset((NUMBERS["resource"], NUMBERS["variant"]))

# A number may be converted to the same or a larger kind: bool, integer, float, complex.
_KINDS = {"b": 0, "u": 1, "i": 1, "f": 2, "V": 2, "c": 3}


def number_of(dtype: Any) -> int:
    """The number of a data type: a name such as "float32", a NumPy dtype or type, or Python's bool, int and float.

    Raises TypeError for anything else.
    """
    if isinstance(dtype, str):
        name = dtype.removeprefix("DT_").lower() if dtype.startswith("DT_") else dtype
        number = NUMBERS.get(_OTHER_NAMES.get(name, name))
        if number is not None:
            return number
    elif dtype is str or dtype is bytes:
        return STRING
    elif dtype is float:
        return NUMBERS["float32"]
    elif dtype is int:
        return NUMBERS["int32"]
    try:
        number = 0 if dtype is None or dtype is type else _native.dtype_number(np.dtype(dtype))  # NumPy has types for both
    except TypeError:
        number = 0
    if number == 0:
        raise TypeError(f"{dtype!r} is not a data type of opsrun; use a NumPy dtype, or a name such as 'float32'")
    return number


def dtype_of(number: int) -> np.dtype[Any]:
    """NumPy's dtype. Raises ImportError if it needs the package ml_dtypes, and TypeError if NumPy has none."""
    if number == STRING:
        return np.dtype(object)
    return _native.numpy_dtype(number)


def kind_of(number: int) -> int:
    """0 for bool, 1 for integers, 2 for floats, 3 for complex numbers, -1 for other types."""
    if number == STRING or number not in NAMES or number in OPAQUE:
        return -1
    return _KINDS.get(dtype_of(number).kind, -1)


Array = np.ndarray[Any, np.dtype[Any]]
Shape = tuple[int | None, ...] | None  # None: of unknown rank


def shape_of(sizes: Any) -> Shape:
    """The shape for sizes as the library writes them, in which an unknown one is negative or a text."""
    return None if sizes is None else tuple(size if isinstance(size, int) and size >= 0 else None for size in sizes)


def is_typed(value: Any) -> bool:
    """True if the value has a data type."""
    if isinstance(value, (int, float, complex, bytes, str, list, tuple, dict, type)) and not isinstance(value, np.generic):
        return False
    return hasattr(value, "__dlpack__") or hasattr(value, "__array__") or hasattr(value, "__array_interface__") or (
        isinstance(value, memoryview) or _has_buffer(value))


def _has_buffer(value: Any) -> bool:
    """True for bytearray, array.array, arrays of ctypes and the like."""
    try:
        memoryview(value).release()
    except (BufferError, TypeError, ValueError):
        return False
    return True


_DEPTH = 64  # of lists; NumPy has no more dimensions


def has_typed(value: Any, depth: int = 0) -> bool:
    """True if a value, or an element of its lists, has a data type. Raises ValueError if lists contain themselves."""
    if isinstance(value, (list, tuple)):
        if depth == _DEPTH:
            raise ValueError(f"a list has more than {_DEPTH} levels, or contains itself")
        return any(has_typed(item, depth + 1) for item in value)
    return is_typed(value)


def _refuse_masks(value: Any, what: str) -> None:
    for item in value if isinstance(value, (list, tuple)) else ():
        _refuse_masks(item, f"a part of {what.removeprefix('a part of ')}")
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{what} is a masked array, and ops do not support masks; use .filled(...) or .data")


def plain_array(array: Array, what: str) -> Array:
    """The same elements, row-major, aligned and in native byte order; text as an array of bytes objects."""
    _refuse_masks(array, what)
    if array.dtype.kind in "OSUT":
        return _strings(array, what)
    if _native.dtype_number(array.dtype) == 0:
        raise TypeError(f"{what} is an array of {array.dtype}, which is not a data type of opsrun")
    if array.dtype.byteorder not in "=|" and not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if array.dtype.char in "qQ" and array.dtype.num != np.dtype(f"{array.dtype.kind}8").num:
        array = array.view(np.dtype(f"{array.dtype.kind}8"))
    return np.require(np.asarray(array), requirements=["C", "A"])


def _strings(array: Array, what: str) -> Array:
    result = np.empty(array.shape, object)
    flat = result.reshape(-1)
    for i, item in enumerate(array.reshape(-1).tolist()):
        if isinstance(item, str):
            item = _encoded(item, what)
        if not isinstance(item, bytes):
            raise TypeError(f"{what} is an array of objects; its element {i} is {type(item).__name__}, not bytes or str")
        flat[i] = item
    return result


def _encoded(text: str, what: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise ValueError(f"{what} holds {text!r}, which cannot be written as UTF-8") from None


def typed_array(value: Any, what: str) -> Array:
    """The array of a typed value, without copying if possible."""
    if isinstance(value, np.ndarray):
        return plain_array(value, what)
    if hasattr(value, "__dlpack__") and not isinstance(value, np.generic):
        on_gpu = _on_gpu(value, what)
        return plain_array(_from_dlpack(value, what), what) if on_gpu is None else on_gpu
    _refuse_masks(value, what)
    try:
        return plain_array(np.asarray(value), what)
    except ValueError as problem:
        raise ValueError(f"{what} cannot be read: {problem}") from problem


def _on_gpu(value: Any, what: str) -> Any:
    """The array on a GPU; None for one in the memory of the CPU."""
    kind = value.__dlpack_device__()[0] if hasattr(value, "__dlpack_device__") else 1
    if kind in (1, 3, 13):  # memory that the CPU can read
        return None
    if kind != 2:
        raise TypeError(f"{what} is neither in the memory of the CPU nor on a GPU that CUDA knows; copy it there first")
    if isinstance(getattr(value, "_native", None), _native.DeviceArray):
        return value
    if getattr(value, "requires_grad", False):
        raise TypeError(f"{what} requires a gradient, which opsrun cannot track; use .detach()")
    stream = engine().stream(value.__dlpack_device__()[1])
    try:
        capsule = value.__dlpack__(stream=stream, max_version=(1, 0))
    except TypeError:  # of before DLPack 1.0
        capsule = value.__dlpack__(stream=stream)
    try:
        return engine().device_array(capsule)
    except (TypeError, ValueError) as problem:
        raise type(problem)(f"{what} cannot be read: {problem}") from problem


def device_of(arrays: list[Any]) -> str:
    """The GPU of the first array that is on one, such as "gpu:0"; "" if there is none."""
    return next((array.device for array in arrays if not isinstance(array, np.ndarray)), "")


def _from_dlpack(value: Any, what: str) -> Array:
    try:
        return np.from_dlpack(value)
    except (AttributeError, BufferError, RuntimeError, TypeError, ValueError) as problem:
        if getattr(value, "requires_grad", False):
            raise TypeError(f"{what} requires a gradient, which opsrun cannot track; use .detach()") from problem
        for other in (_bits_of, np.asarray) if hasattr(value, "__array__") else (_bits_of,):  # np.asarray: for JAX
            try:
                return other(value)
            except (AttributeError, ImportError, RuntimeError, TypeError, ValueError):
                continue
        raise TypeError(f"{what} cannot be read: {problem}") from problem


def _bits_of(value: Any) -> Array:
    """The array of a PyTorch tensor whose type NumPy does not have, such as bfloat16."""
    name = str(value.dtype).rpartition(".")[2]
    size = value.element_size()
    bits = value.contiguous().view(getattr(__import__(type(value).__module__.partition(".")[0]), f"int{8 * size}"))
    return np.from_dlpack(bits).view(dtype_of(number_of(name)))


def _natural(value: Any, what: str) -> Array:
    if _all_texts(value) and not _is_empty(value):
        return _array_of_texts(value, what)
    try:
        array = np.asarray(value)
    except ValueError as problem:
        raise ValueError(f"{what} is not rectangular: its lists differ in length") from problem
    mixed = array.dtype.kind in "US" and not _all_texts(value)
    if mixed or (array.dtype.kind == "O" and not _only_texts(array)):
        found = next((type(item).__name__ for item in array.reshape(-1).tolist()
                      if not isinstance(item, (str, bytes, numbers.Number))), None)
        reason = f"it holds {found}" if found else "its numbers do not fit int64, or are mixed with strings"
        raise TypeError(f"{what} is neither numbers nor strings: {reason}")
    return array


def _array_of_texts(value: Any, what: str) -> Array:
    """An array of bytes objects. NumPy's own string types would drop trailing NULs."""
    shape: list[int] = []
    flat: list[Any] = [value]
    while any(isinstance(item, (list, tuple)) for item in flat):
        sizes = {len(item) if isinstance(item, (list, tuple)) else -1 for item in flat}
        if len(sizes) > 1:
            raise ValueError(f"{what} is not rectangular: its lists differ in length")
        shape.append(sizes.pop())
        flat = [leaf for item in flat for leaf in item]
    array = np.empty(len(flat), object)
    array[:] = flat
    return array.reshape(shape)


def _all_texts(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(_all_texts(item) for item in value)
    return isinstance(value, (str, bytes))


def _is_empty(value: Any) -> bool:
    """True if a list, including its nested lists, has no elements."""
    return isinstance(value, (list, tuple)) and all(_is_empty(item) for item in value)


def _only_texts(array: Array) -> bool:
    return all(isinstance(item, (str, bytes)) for item in array.reshape(-1).tolist())


def untyped_array(value: Any, wanted: int, allowed: list[int] | None, what: str) -> Array:
    """The array of a plain value. wanted: a data type, or 0; allowed: the data types that the op takes, None for
    any."""
    array = _natural(value, what)
    if array.dtype.kind == "b" and array.size and allowed is not None and number_of("bool") not in allowed:
        raise TypeError(f"{what} cannot be a bool: the op takes {', '.join(NAMES[each] for each in allowed)}")
    if array.dtype.kind in "OSUT":
        if wanted not in (0, STRING):
            raise TypeError(f"{what} must be {NAMES[wanted]}, not a string")
        return plain_array(array, what)
    if array.size == 0 and isinstance(value, (list, tuple)):
        return np.zeros(array.shape, dtype_of(wanted or _type_of_nothing(allowed)))
    if not wanted:
        wanted = _natural_type(array, allowed)
    return _converted(array, wanted, what)


def array_of(value: Any, wanted: int, what: str) -> Array:
    """The array of any value. A plain value gets the data type `wanted`, or its natural one if that is 0."""
    return typed_array(value, what) if has_typed(value) else untyped_array(value, wanted, None, what)


_PREFERRED = [number_of(name) for name in ("float32", "float64", "int32", "int64", "complex64", "complex128")]


def _type_of_nothing(allowed: list[int] | None) -> int:
    return next((each for each in [*_PREFERRED, *(allowed or [])] if allowed is None or each in allowed), _PREFERRED[0])


def _natural_type(array: Array, allowed: list[int] | None) -> int:
    kind = array.dtype.kind
    if kind in "iu":
        small = array.size == 0 or (array.min() >= -(2**31) and array.max() < 2**31)
        natural = [number_of("int32"), number_of("int64")] if small else [number_of(array.dtype)]
    else:
        natural = [{"b": 10, "f": 1, "c": 18}[kind]]
    if allowed is None:
        return natural[0]
    own = kind_of(natural[0])
    larger = [each for each in _PREFERRED if each in allowed and kind_of(each) >= own] if own else []
    return next((each for each in [*natural, *larger] if each in allowed), natural[0])


def common_type(values: list[tuple[Any, str]], allowed: list[int] | None) -> int:
    """A common data type for plain values, given with their descriptions: float32 for 1 and 0.5. 0 if there is none."""
    arrays = [array for array in (_natural(value, what) for value, what in values) if array.size]
    if not arrays or any(array.dtype.kind in "OSUT" for array in arrays):
        return 0
    return max((_natural_type(array, allowed) for array in arrays), key=lambda number: (kind_of(number), number))


def _converted(array: Array, wanted: int, what: str) -> Array:
    target = dtype_of(wanted)
    own = number_of(array.dtype) if array.dtype.kind != "u" or array.dtype.itemsize < 8 else 23
    target_kind = kind_of(wanted)
    if wanted == STRING or kind_of(own) > target_kind or (target_kind > 0 and kind_of(own) == 0):
        raise TypeError(f"{what} must be {NAMES[wanted]}, not {_kind_text(array)}")
    if target_kind == 1 and array.size:
        limits = np.iinfo(target)
        if int(array.min()) < limits.min or int(array.max()) > limits.max:
            raise OverflowError(f"{what} does not fit {NAMES[wanted]}")
    return array.astype(target)


def _kind_text(array: Array) -> str:
    words = {"b": "bool", "i": "an integer", "u": "an integer", "f": "a float", "c": "a complex number"}
    word = words[array.dtype.kind]
    return word if array.ndim == 0 else f"a list of {word.removeprefix('an ').removeprefix('a ')}s"
