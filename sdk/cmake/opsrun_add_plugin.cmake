# opsrun_add_plugin(name [SOURCES] a.cc ... [CUDA_SOURCES b.cu.cc ...] [OPS_FILE c.yaml] [DESTINATION dir] [EIGEN] [ABSL])
#
# Builds the plugin lib/opsrun/<name>.so, a module without a lib prefix that exports only its entry, and installs it to
# DESTINATION, by default lib/opsrun. OPS_FILE completes its ops: it is put beside it, as <name>.opsrun.yaml. If nvcc is found (also in /usr/local/cuda) and OPSRUN_CUDA is ON, CUDA_SOURCES are compiled for
# OPSRUN_CUDA_ARCHITECTURES, and all sources are compiled with GOOGLE_CUDA and EIGEN_USE_GPU. Otherwise, the plugin has
# only CPU kernels. EIGEN: all sources use Eigen's maps. ABSL: links abseil instead of using the SDK's small
# replacement.
# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)

get_filename_component(OPSRUN_SDK_DIR "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
set(OPSRUN_SDK_DIR "${OPSRUN_SDK_DIR}" CACHE INTERNAL "The SDK: share/opsrun/sdk, or sdk in the source")
option(OPSRUN_CUDA "Compile the GPU kernels of plugins, where nvcc is found" ON)
set(OPSRUN_CUDA_ARCHITECTURES "80;90" CACHE STRING "CUDA architectures of plugins; the last one also as PTX")
find_program(OPSRUN_NVCC nvcc HINTS ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
mark_as_advanced(OPSRUN_NVCC)

# Sets `result` to the list of flags for `purpose` in flags.txt.
function(opsrun_flags purpose result)
  set(SDK "${OPSRUN_SDK_DIR}")
  set(EIGEN "${OPSRUN_EIGEN_DIR}")
  if(OPSRUN_NVCC)
    get_filename_component(CUDA "${OPSRUN_NVCC}" REALPATH)
    get_filename_component(CUDA "${CUDA}/../.." ABSOLUTE)
  endif()
  file(STRINGS "${OPSRUN_SDK_DIR}/cmake/flags.txt" lines REGEX "^${purpose} ")
  list(TRANSFORM lines REPLACE "^${purpose} " "")
  string(CONFIGURE "${lines}" lines @ONLY)
  set(${result} "${lines}" PARENT_SCOPE)
endfunction()

function(opsrun_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "EIGEN;ABSL" "OPS_FILE;DESTINATION" "SOURCES;CUDA_SOURCES")
  if(NOT ARG_DESTINATION)
    set(ARG_DESTINATION lib/opsrun)
  endif()
  add_library(${name} MODULE ${ARG_UNPARSED_ARGUMENTS} ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib/opsrun")
  target_compile_features(${name} PRIVATE cxx_std_17)
  opsrun_flags(compile compile_flags)
  opsrun_flags(link link_flags)
  list(TRANSFORM compile_flags REPLACE "^-fvisibility-inlines-hidden$" "$<$<COMPILE_LANGUAGE:CXX>:\\0>")
  if(ARG_ABSL)
    find_package(absl REQUIRED)
    opsrun_flags(absl absl_flags)
    target_link_libraries(${name} PRIVATE absl::status absl::statusor absl::strings absl::str_format absl::time
      absl::synchronization absl::flat_hash_map absl::flat_hash_set absl::inlined_vector absl::span absl::optional)
  else()
    opsrun_flags(layer absl_flags)
  endif()
  target_compile_options(${name} PRIVATE ${compile_flags} ${absl_flags})
  # Linking with -ffast-math would change the floating-point mode of the whole process.
  target_link_options(${name} PRIVATE ${link_flags} -fno-fast-math)
  if(ARG_EIGEN)
    target_compile_definitions(${name} PRIVATE OPSRUN_EIGEN)
  endif()
  list(TRANSFORM ARG_CUDA_SOURCES PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/" REGEX "^[^/]"
    OUTPUT_VARIABLE cuda_sources)
  set_target_properties(${name} PROPERTIES OPSRUN_CUDA_SOURCES "${cuda_sources}")
  if(ARG_CUDA_SOURCES AND OPSRUN_CUDA AND OPSRUN_NVCC)
    opsrun_add_cuda(${name} ${ARG_CUDA_SOURCES})
  elseif(ARG_CUDA_SOURCES AND OPSRUN_CUDA)
    message(STATUS "${name}: no nvcc, so without ${ARG_CUDA_SOURCES}")
  endif()
  install(TARGETS ${name} LIBRARY DESTINATION ${ARG_DESTINATION})
  if(ARG_OPS_FILE)
    configure_file("${ARG_OPS_FILE}" "${CMAKE_BINARY_DIR}/lib/opsrun/${name}.opsrun.yaml" COPYONLY)
    install(FILES "${ARG_OPS_FILE}" DESTINATION ${ARG_DESTINATION} RENAME ${name}.opsrun.yaml)
  endif()
endfunction()

# Adds CUDA sources to a plugin. Uses custom commands, because a function cannot enable the language CUDA for its
# caller.
function(opsrun_add_cuda name)
  opsrun_flags(gpu gpu_flags)
  opsrun_flags(nvcc nvcc_flags)
  set(codes "")
  foreach(arch ${OPSRUN_CUDA_ARCHITECTURES})
    list(APPEND codes "-gencode=arch=compute_${arch},code=sm_${arch}")
  endforeach()
  list(GET OPSRUN_CUDA_ARCHITECTURES -1 arch)
  list(APPEND codes "-gencode=arch=compute_${arch},code=compute_${arch}")
  foreach(source ${ARGN})
    get_filename_component(source "${source}" ABSOLUTE)
    get_filename_component(stem "${source}" NAME)
    set(object "${CMAKE_CURRENT_BINARY_DIR}/${name}.dir/${stem}.o")
    # nvcc does not escape spaces in the target, so every build would compile the file again.
    string(REPLACE " " "\\ " target "${object}")
    add_custom_command(
      OUTPUT "${object}"
      COMMAND ${CMAKE_COMMAND} -E make_directory "${CMAKE_CURRENT_BINARY_DIR}/${name}.dir"
      COMMAND ${CMAKE_CUDA_COMPILER_LAUNCHER} "${OPSRUN_NVCC}" -x cu -O2 ${codes} ${nvcc_flags} -MD -MF "${object}.d" -MT "${target}" -c "${source}" -o "${object}"
      DEPENDS "${source}" DEPFILE "${object}.d" VERBATIM COMMENT "nvcc ${stem}")
    target_sources(${name} PRIVATE "${object}")
    set_source_files_properties("${object}" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  endforeach()
  target_compile_options(${name} PRIVATE ${gpu_flags})
  opsrun_flags(gpulink gpulink_flags)
  target_link_libraries(${name} PRIVATE ${gpulink_flags})
endfunction()
