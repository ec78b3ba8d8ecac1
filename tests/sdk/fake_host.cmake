# The library opsrun_fake_host, for the tests of the SDK and of the contract.
if(NOT TARGET opsrun_fake_host)
  add_library(opsrun_fake_host STATIC ${CMAKE_CURRENT_LIST_DIR}/fake_host.cc ${CMAKE_CURRENT_LIST_DIR}/fake_shape_call.cc)
  target_include_directories(opsrun_fake_host PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/sdk/include)
  target_link_libraries(opsrun_fake_host PUBLIC GTest::gtest)
endif()
