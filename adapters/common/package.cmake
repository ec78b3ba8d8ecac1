# What the packages of adapters have in common.
# SPDX-License-Identifier: Apache-2.0

# opsrun_adapter(python option): finds opsrun, and sets python to the interpreter that has the framework: pip's or, in a
# build of opsrun, the option's.
macro(opsrun_adapter python option)
  if(SKBUILD)
    find_package(Python 3.11 REQUIRED COMPONENTS Interpreter)
    find_package(opsrun REQUIRED)
    set(${python} ${Python_EXECUTABLE})
  else()
    set(${python} ${${option}})
  endif()
endmacro()

# opsrun_adapter_package(target module standard): adds the shared sources to the extension module of opsrun.<module>, and
# puts it into the wheel or, in a build of opsrun, into the Python package of the build folder.
function(opsrun_adapter_package target module standard)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/*.cc)
  target_sources(${target} PRIVATE ${sources})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../..)
  target_link_libraries(${target} PRIVATE opsrun::opsrun ${CMAKE_DL_LIBS})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME _native INSTALL_RPATH "$ORIGIN/../lib"
    CXX_STANDARD ${standard} CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF)
  if(SKBUILD)
    install(TARGETS ${target} LIBRARY DESTINATION .)
  else()
    set(package ${CMAKE_BINARY_DIR}/python/opsrun/${module})
    set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${package} INSTALL_RPATH ${CMAKE_BINARY_DIR}/lib)
    opsrun_link_package(${CMAKE_CURRENT_SOURCE_DIR}/opsrun/${module} ${package})
  endif()
endfunction()
