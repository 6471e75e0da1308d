cmake_minimum_required(VERSION 3.25)
project(client LANGUAGES CXX)

find_package(firn 0.1 REQUIRED)
add_executable(client client.cc)
target_compile_features(client PRIVATE cxx_std_20)
target_link_libraries(client PRIVATE firn::firn)
