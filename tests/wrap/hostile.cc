// tests/wrap/hostile.cc: ops whose names and texts break careless generators of code. They have no kernels.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/op.h"

namespace opsrun {

// Words that C++ or Python have taken, and names that differ only after that.
REGISTER_OP("Template")
    .Attr("class: int = 1")
    .Attr("Class: int = 2")
    .Attr("default: bool")
    .Attr("lambda: list(string) = ['a', 'b']")
    .Attr("name: string = 'x'")
    .Attr("Attrs: int = 3")
    .Attr("value: float = inf")
    .Attr("a: int")
    .Attr("a_: int")
    .Attr("NULL: int = -9223372036854775808")
    .Input("this: float")
    .Input("int: N * T")
    .Input("in: float")
    .Input("in_: float")
    .Input("stop: float")
    .Input("op_: float")
    .Input("errno: float")
    .Input("linux: float")
    .Input("results: float")
    .Input("std: float")
    .Input("embed: float")
    .Attr("N: int >= 0")
    .Attr("T: type")
    .Output("struct: float")
    .Output("list: N * T")
    .Output("lambda_: float")
    .Output("count: float")
    .Output("index: float")
    .Output("true: float")
    .Output("std_: float")
    .Output("opsrun: float");

// Names of what generated code uses itself.
REGISTER_OP("Attrs").Attr("attrs: int = 1").Output("attrs_: float");
REGISTER_OP("Result").Output("result: float").Output("embed: float");
REGISTER_OP("Engine").Input("engine: float").Attr("engine_: int").Output("y: float").Output("z: float");
REGISTER_OP("View").Input("view: float");
REGISTER_OP("Tensor").Output("tensor: float");
REGISTER_OP("Op").Output("op: float");
REGISTER_OP("NULL").Output("null: float");
REGISTER_OP("Int").Attr("int: int = 0").Output("int_: float");
REGISTER_OP("Str").Attr("s: string = ''").Output("str: float");
REGISTER_OP("List").Attr("N: int").Input("bytes: N * float").Output("list: N * float").Output("int: float");
REGISTER_OP("Lambda").Input("x: float");
REGISTER_OP("Array").Output("value: float").Output("array: float");
REGISTER_OP("NamedTuple").Output("sequence: float").Output("tuple: float");
REGISTER_OP("Name>Space").Output("y: float");
REGISTER_OP("Name_Space").Output("y: float");
REGISTER_OP("NameSpace").Output("y: float");
REGISTER_OP("_Hidden").Output("y: float");

// Values of every kind.
REGISTER_OP("Defaults")
    .Attr(R"(text: string = 'a"b\\c??/\000\n\t*/ """ \\')")
    .Attr("bytes: string = '\\xff'")
    .Attr(R"(one_of: {'"""', 'back\\slash', '*/'} = '*/')")
    .Attr("texts: list(string) = ['', 'a', '\\000']")
    .Attr("small: float = 1e-30")
    .Attr("tenth: float = 0.1")
    .Attr("floats: list(float) = [1, -inf, nan, 2.5]")
    .Attr("ints: list(int) = [-9223372036854775808, 9223372036854775807]")
    .Attr("flags: list(bool) = [true, false]")
    .Attr("none: list(int) = []")
    .Attr("dtype: type = DT_HALF")
    .Attr("dtypes: list(type) = [DT_STRING, DT_BFLOAT16]")
    .Attr("shape: shape = { dim { size: 2 } dim { size: -1 } }")
    .Attr("scalar: shape = { }")
    .Attr("unknown: shape = { unknown_rank: true }")
    .Attr("shapes: list(shape) = [{ dim { size: 2 } }, { unknown_rank: true }, { }]")
    .Attr("tensor: tensor = { dtype: DT_INT32 tensor_shape { } int_val: 7 }")
    .Attr("func: func = { name: 'f' }")
    .Output("y: float");
REGISTER_OP("Required")
    .Attr("text: string")
    .Attr("texts: list(string)")
    .Attr("shape: shape")
    .Attr("shapes: list(shape)")
    .Attr("tensor: tensor")
    .Attr("tensors: list(tensor)")
    .Attr("func: func")
    .Attr("funcs: list(func)")
    .Attr("dtypes: list(type)")
    .Attr("floats: list(float)")
    .Attr("flags: list(bool)");

REGISTER_OP("Documented")
    .Attr("text: string = 'x'")
    .Input("x: float")
    .Output("y: float")
    .Output("z: float")
    .Doc(
        "*/ ends no comment, \"\"\" no text, and a backslash at the end goes on: \\\n"
        "\n"
        "This line ends with a trigraph \?\?/\n"
        "int main() { return 1; } \\\n"
        "\"quoted\"\n"
        "\ttab, \xE2\x80\xAE direction, \xE2\x80\xA8 line, \xC3\xA9 {braces} {} %s $x\n"
        "    laid out,   so\n"
        "\n"
        "x: */ \"\"\" \\\n"
        "y: a_word_that_is_much_longer_than_any_line_of_a_comment_or_of_a_text_may_be_"
        "a_word_that_is_much_longer_than_any_line_of_a_comment_or_of_a_text_may_be and more\n"
        "z: \xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9 many-hyphens-that-no-line-is-to-be-broken-at-in-any-of-both "
        "many-hyphens-that-no\n"
        "text: two  spaces,\n"
        "  another line \"");

}  // namespace opsrun
