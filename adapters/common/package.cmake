# opsrun_adapter_package(target module): puts the extension module of opsrun.<module> into the wheel or, in a build of
# opsrun, into the Python package of the build folder, next to links to the package's sources.
# SPDX-License-Identifier: Apache-2.0
function(opsrun_adapter_package target module)
  if(SKBUILD)
    install(TARGETS ${target} LIBRARY DESTINATION .)
    return()
  endif()
  set(from ${CMAKE_CURRENT_SOURCE_DIR}/opsrun/${module})
  set(package ${CMAKE_BINARY_DIR}/python/opsrun/${module})
  file(MAKE_DIRECTORY ${package})
  set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${package} INSTALL_RPATH ${CMAKE_BINARY_DIR}/lib)
  file(GLOB files CONFIGURE_DEPENDS RELATIVE ${from} ${from}/*.py ${from}/*.pyi ${from}/py.typed)
  foreach(file ${files})
    file(CREATE_LINK ${from}/${file} ${package}/${file} SYMBOLIC)
  endforeach()
endfunction()
