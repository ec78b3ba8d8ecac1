# Matrix products and the ops built on them: MatMul, Conv2D, MaxPool, AvgPool.
# SPDX-License-Identifier: Apache-2.0

# Sources that are compiled for several instruction sets.
include(isa_sets.cmake)
math_ops_instruction_sets(set_objects set_tables
  SOURCES isa_table.cc isa_simple_loops.cc isa_unary_loops.cc)
list(JOIN set_tables "," set_tables)
set_source_files_properties(isa_kernels.cc PROPERTIES COMPILE_DEFINITIONS "MATH_OPS_SETS=${set_tables}")
set(set_sources isa_cpu.cc isa_kernels.cc ${set_objects})

set(linear_op_sources matmul_ops.cc image_attrs.cc conv2d_ops.cc)
target_sources(math_ops PRIVATE ${set_sources} ${linear_op_sources} matmul.cc conv2d.cc pooling.cc max_pool.cc
  gpu_multiplier.cc gpu_blas.cc gpu_blas_library.cc)
target_link_libraries(math_ops PRIVATE ${CMAKE_DL_LIBS})
if(OPSRUN_UNITY)
  set_source_files_properties(${linear_op_sources} PROPERTIES UNITY_GROUP linear)
endif()

if(OPSRUN_TESTS)
  opsrun_add_plugin_test(isa_test SOURCES isa_test.cc ${set_sources})
  math_ops_test_instruction_sets(${set_objects})
  opsrun_add_plugin_test(linear_ops_test PLUGINS math_ops
    SOURCES images_test.cc matmul_test.cc)
endif()
