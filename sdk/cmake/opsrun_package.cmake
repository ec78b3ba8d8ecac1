# opsrun_package(name): the target `package` makes a .deb, where there is dpkg, and a .tar.gz of what the project installs.
# name: its plugin, a target of opsrun_add_plugin(). Call it last.
#
# Name, version, license, home page and summary are what the notes of the built plugin say. Packages are the same, bit for
# bit, wherever and whenever they are made: times are SOURCE_DATE_EPOCH, or 0, and files belong to root. The plugin is as
# reproducible as its build: it must not contain the paths of its sources (-ffile-prefix-map).
# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)
find_program(OPSRUN_DPKG dpkg)
find_program(OPSRUN_SHLIBDEPS dpkg-shlibdeps)
find_program(OPSRUN_FILE file)
mark_as_advanced(OPSRUN_DPKG OPSRUN_SHLIBDEPS OPSRUN_FILE)

# A macro, because CPack's variables are those of the caller.
macro(opsrun_package name)
  set(CPACK_GENERATOR TGZ)
  set(CPACK_POST_BUILD_SCRIPTS "${OPSRUN_SDK_DIR}/cmake/opsrun_package_again.cmake")
  if(OPSRUN_DPKG)
    list(APPEND CPACK_GENERATOR DEB)
  endif()
  if(OPSRUN_SHLIBDEPS AND OPSRUN_FILE)
    set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  endif()
  set(CPACK_PROJECT_CONFIG_FILE "${OPSRUN_SDK_DIR}/cmake/opsrun_package_notes.cmake")
  set(CPACK_OPSRUN_PLUGIN "${CMAKE_BINARY_DIR}/lib/opsrun/${name}.so")
  set(CPACK_OPSRUN_PROGRAM "${OPSRUN_PREFIX}/bin/opsrun")
  set(CPACK_OPSRUN_MACHINE "${CMAKE_SYSTEM_PROCESSOR}")
  set(CPACK_OPSRUN_AR "${CMAKE_AR}")
  # What 'opsrun sign' has written, if it was used.
  install(FILES "${CPACK_OPSRUN_PLUGIN}.minisig" "${CMAKE_BINARY_DIR}/lib/opsrun/${name}.opsrun.yaml.minisig"
    DESTINATION lib/opsrun OPTIONAL)
  include(CPack)
endmacro()
