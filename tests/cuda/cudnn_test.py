"""cudnn_test.py: convolutions by cuDNN, without a card: the plugin opens a libcudnn.so.9 on the fake driver.

SPDX-License-Identifier: Apache-2.0
"""

import itertools

import fake_driver
from opened_library import FLOATS, OpenedLibrary, feed, on_gpu, run

OPS = {"cudnnConvolutionForward": "z", "cudnnConvolutionBackwardData": "dx", "cudnnConvolutionBackwardFilter": "dw"}


def sides(pair):
    return [1, *pair, 1]


def convolution(images, taps, dtype, outputs=("z", "dx", "dw"), strides=(1, 1), dilations=(1, 1), padding="SAME", filters=5,
                **others):
    """The parts of a graph with one convolution and its gradients. A list as padding: [top, bottom, left, right]."""
    attrs = {"strides": sides(strides), "dilations": sides(dilations), "padding": padding, **others}
    if isinstance(padding, list):
        attrs |= {"padding": "EXPLICIT", "explicit_paddings": [0, 0, *padding, 0, 0]}
    kernel = [*taps, images[3], filters]
    feeds = {"x": feed(images, dtype, 1), "w": feed(kernel, dtype, 2)}
    nodes = {"sizes_x": {"op": "Shape", "in": "x"}, "sizes_w": {"op": "Shape", "in": "w"},
             "z": {"op": "Conv2D", "in": ["x", "w"], "attrs": attrs},
             "dx": {"op": "Conv2DBackpropInput", "in": ["sizes_x", "w", "z"], "attrs": attrs},
             "dw": {"op": "Conv2DBackpropFilter", "in": ["x", "sizes_w", "z"], "attrs": attrs}}
    needed = {"sizes_x", "sizes_w", "z", *outputs}
    return feeds, {name: node for name, node in nodes.items() if name in needed}, list(outputs)


class Cudnn(OpenedLibrary, fake_driver.Test):
    NAME, FILE, VERSIONS, VERSION = "cuDNN", "libcudnn.so.", (9, 8), 90000
    SWITCH = "OPSRUN_CUDNN"
    SMALL = convolution((2, 5, 6, 3), (3, 3), "float32")

    def test_types(self):
        for dtype in FLOATS:
            self.assert_as_on_cpu(convolution((2, 4, 5, 2), (2, 3), dtype, padding="VALID", filters=2))
            self.assert_as_on_cpu(convolution((1, 3, 3, 1), (1, 1), dtype, filters=1))

    def test_strides_dilations_and_paddings(self):
        """SAME with even sizes and strides pads more at the end, by a row, a column or both."""
        for strides, dilations, padding in itertools.product([(1, 1), (2, 1), (2, 3)], [(1, 1), (2, 1)], ["SAME", "VALID"]):
            self.assert_as_on_cpu(convolution((2, 8, 9, 3), (3, 2), "float32", strides=strides, dilations=dilations,
                                              padding=padding))
        for dtype, padding in itertools.product(["float32", "float64"], [[2, 2, 0, 0], [0, 3, 1, 2], [1, 0, 2, 2]]):
            self.assert_as_on_cpu(convolution((2, 6, 5, 2), (3, 3), dtype, strides=(2, 2), padding=padding))

    def test_a_window_larger_than_the_image(self):
        self.assert_as_on_cpu(convolution((1, 2, 3, 2), (5, 7), "float32"))
        self.assert_as_on_cpu(convolution((1, 2, 3, 2), (4, 6), "float32"))

    def test_what_is_computed_without_it(self):
        """Integers, tensors of nothing, and ops that say so."""
        self.assert_as_on_cpu(convolution((2, 5, 6, 3), (3, 3), "int32"), uses=False)
        self.assert_as_on_cpu(convolution((0, 5, 6, 3), (3, 3), "float32"), uses=False)
        self.assert_as_on_cpu(convolution((1, 5, 6, 0), (3, 3), "float32"), uses=False)
        self.assert_as_on_cpu(convolution((2, 5, 6, 3), (3, 3), "float32", use_cudnn_on_gpu=False), uses=False)

    def test_what_is_refused_with_the_channels_last_is_computed_with_the_channels_first(self):
        path = self.graph(*convolution((2, 6, 6, 3), (3, 3), "bfloat16", strides=(2, 2)))
        status, found, errors = on_gpu(path, library=self.fake)
        self.assertEqual((status, found), (0, run(path)[1]), errors)
        self.assertIn("fails with CUDNN_STATUS_OF_THE_FAKE (3000), so another way is used", errors)

    def test_more_padding_at_the_beginning_than_at_the_end(self):
        """Then cuDNN would have more windows, unless strides skip them. The call that would fail is not made."""
        graph = convolution((1, 4, 4, 2), (3, 3), "float32", padding=[2, 0, 0, 0])
        for call in OPS:
            status, same, errors = self.outcome(f"{call}:5000", graph)
            self.assertEqual((status, same), (0, True), errors)

    def test_sizes_that_are_too_large_for_it(self):
        """Of an image with its padding, and of a window."""
        far = 1 << 30
        self.assert_as_on_cpu(convolution((1, 2, 2, 1), (2, 2), "float32", strides=(far, far), padding=[0, far, 0, far]))
        self.assert_as_on_cpu(convolution((1, 3, 3, 1), (5, 5), "float32", dilations=(far, far)))

    def test_each_op_calls_it(self):
        """Also where windows cover one more row and column at the end than at the beginning."""
        for (call, output), dtype, strides in itertools.product(OPS.items(), FLOATS, [(1, 1), (2, 2)]):
            path = self.graph(*convolution((2, 6, 6, 3), (3, 3), dtype, outputs=(output,), strides=strides))
            status, _, errors = on_gpu(path, library=self.fake, OPSRUN_FAKE_CUDNN=f"{call}:5000")
            self.assertNotEqual(status, 0)
            self.assertIn(f"{call} of libcudnn.so.9 fails with CUDNN_STATUS_OF_THE_FAKE (5000)", errors)

    def test_many_nodes_captured_and_on_several_lanes(self):
        attrs = {"strides": sides((1, 1)), "padding": "SAME"}
        nodes = {f"n{i}": {"op": "Conv2D", "in": [f"n{i - 1}" if i else "x", "w"], "attrs": attrs} for i in range(4)}
        nodes["sizes"] = {"op": "Shape", "in": "w"}
        nodes["dw"] = {"op": "Conv2DBackpropFilter", "in": ["x", "sizes", "n3"], "attrs": attrs}
        graph = {"x": feed((2, 3, 3, 2), "float64", 1), "w": feed((2, 2, 2, 2), "float64", 2)}, nodes, ["n3", "dw"]
        self.assert_as_on_cpu(graph, "--repeat", "12", "--concurrency", "3")
        self.assert_as_on_cpu(graph, "--repeat", "6", "--no-cuda-graph")

    def test_a_library_that_refuses_the_card_is_not_used(self):
        for failure in ["cudnnCreate:1001", "cudnnCreate:3007"]:
            status, same, errors = self.outcome(failure)
            self.assertEqual((status, same), (0, True), errors)
            self.assertIn("convolutions on the GPU are slower than with cuDNN", errors)
            self.assertIn("cudnnCreate of libcudnn.so.9 fails with CUDNN_STATUS_", errors)

    def test_what_is_refused_is_computed_without_it(self):
        for call in [*OPS, "cudnnSetFilter4dDescriptor", "cudnnGetConvolutionForwardWorkspaceSize",
                     "cudnnGetConvolutionBackwardDataWorkspaceSize", "cudnnGetConvolutionBackwardFilterWorkspaceSize"]:
            self.assert_is_refused(f"{call}:3000", convolution((2, 5, 6, 3), (3, 3), "float64"))
        for status in [3, 6, 9, 2000, 3002]:
            self.assert_is_refused(f"cudnnConvolutionForward:{status}", self.SMALL)

    def test_errors_have_the_name_of_the_call_and_of_the_status(self):
        for failure, text in [("cudnnCreate:4004", "RESOURCE_EXHAUSTED"), ("cudnnCreate:4004", "DEVICE_ALLOCATION_FAILED (4004)"),
                              ("cudnnConvolutionForward:2", "RESOURCE_EXHAUSTED"),
                              ("cudnnSetStream:1001", "cudnnSetStream of libcudnn.so.9 fails with CUDNN_STATUS_NOT_INITIALIZED"),
                              ("cudnnSetFilter4dDescriptor:4000", "cudnnSetFilter4dDescriptor of libcudnn.so.9 fails with"),
                              ("cudnnGetConvolutionForwardWorkspaceSize:5000", "(5000)")]:
            self.assert_fails(failure, text)
