"""One process: TensorFlow and opsrun with one plugin file, many threads, and models that are saved.

SPDX-License-Identifier: Apache-2.0
"""
import concurrent.futures
import subprocess
import sys
import tempfile

from support import TestCase, np, ours, path_of, tf, theirs

RESTORE = """
import sys
import opsrun.tf
import tensorflow as tf
opsrun.tf.load_op_library(sys.argv[1])
print(tf.saved_model.load(sys.argv[2]).serve(tf.constant([5., 4., 3.])).numpy().tolist())
"""


class Process(TestCase):
    def test_opsrun_and_tensorflow_in_turns(self):
        for i in range(50):
            x = np.arange(i + 1)
            mine, other = (each.zero_out.zero_out(x, preserve_index=i) for each in (ours, theirs))
            self.assertEqual(mine.tolist(), other.numpy().tolist())

    def test_many_threads(self):
        x = np.arange(3000, dtype=np.int32)
        functions = [each.adapter_ops.threads for each in (ours, theirs)] + [tf.function(theirs.adapter_ops.threads)]
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for result in pool.map(lambda i: functions[i % 3](x), range(200)):
                np.testing.assert_array_equal(result, x + 1)

    def test_functions_for_other_threads(self):
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            self.assertEqual({int(each) for each in pool.map(lambda _: theirs.host_ops.count_later(n=100), range(50))}, {100})

    def test_a_kernel_of_each_node_has_its_own_state(self):
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            x = tf.compat.v1.placeholder(tf.float32, [])
            first, second = theirs.adapter_ops.previous(x), theirs.adapter_ops.previous(x * 10)
            self.assertEqual(session.run([first, second], {x: 1}), [1, 10])
            self.assertEqual(session.run([first, second], {x: 2}), [1, 10])
            self.assertEqual(session.run([first, second], {x: 3}), [2, 20])

    def test_a_device_that_is_not_there(self):
        with tf.device("/GPU:0"):
            self.assertEqual(theirs.zero_out.zero_out([5, 4]).numpy().tolist(), [5, 0])
            self.assertEqual(tf.function(lambda x: theirs.zero_out.zero_out(x) + 1)(tf.constant([5, 4])).numpy().tolist(), [6, 1])
        with tf.Graph().as_default(), tf.device("/GPU:0"):
            y = theirs.zero_out.zero_out(tf.constant([5, 4]))
            with tf.compat.v1.Session(config=tf.compat.v1.ConfigProto(allow_soft_placement=True)) as session:
                self.assertEqual(session.run(y).tolist(), [5, 0])
            with tf.compat.v1.Session() as session, self.assertRaisesRegex(tf.errors.InvalidArgumentError, "zero_out>ZeroOut.*GPU:0"):
                session.run(y)

    def test_a_version_of_tensorflow_that_the_package_is_not_built_for(self):
        code = "import tensorflow; tensorflow.__version__ = '2.99.1'; import opsrun.tf"
        done = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, check=False)
        mine = ".".join(tf.__version__.split(".")[:2])
        self.assertRegex(done.stderr.splitlines()[-1], rf"^ImportError: opsrun.tf was built for TensorFlow .*{mine}\b.*, "
                         r"but this is 2\.99\.1: build it again, with pip install")

    def test_a_model_that_is_saved(self):
        model = tf.Module()
        model.serve = tf.function(lambda x: theirs.zero_out.zero_out(x, preserve_index=1), input_signature=[tf.TensorSpec([None])])
        with tempfile.TemporaryDirectory() as folder:
            tf.saved_model.save(model, folder)
            done = subprocess.run([sys.executable, "-B", "-c", RESTORE, path_of("zero_out"), folder], capture_output=True,
                                  text=True, check=True)
        self.assertEqual(done.stdout, "[0.0, 4.0, 0.0]\n")
