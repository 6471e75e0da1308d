# Everything comes from the system; scripts/setup installs it on Debian. Nothing is downloaded here.

find_package(hwy REQUIRED)
find_package(TBB REQUIRED)
find_package(fmt REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)
find_package(LibArchive REQUIRED)
find_package(PNG REQUIRED)
find_package(OpenSSL REQUIRED)
set(MPI_CXX_SKIP_MPICXX ON)       # only functions of C are called
find_package(MPI COMPONENTS CXX)  # optional: training over several processes
find_path(CADICAL_INCLUDE cadical.hpp REQUIRED)  # the library is linked by its name
find_path(XXHASH_INCLUDE xxhash.h REQUIRED)          # likewise
find_path(RANDOM123_INCLUDE Random123/philox.h REQUIRED)

# Third-party headers are included as system headers, so that our warnings are about our code.
add_library(firn_dependencies INTERFACE)
target_include_directories(firn_dependencies SYSTEM INTERFACE $<BUILD_INTERFACE:${RANDOM123_INCLUDE}>)
target_link_libraries(firn_dependencies INTERFACE
  hwy::hwy TBB::tbb fmt::fmt nlohmann_json::nlohmann_json
  ZLIB::ZLIB LibArchive::LibArchive PNG::PNG OpenSSL::Crypto cadical tomlplusplus xxhash)
if(MPI_CXX_FOUND)
  # Linked here, but only firn/base/ranks_mpi.cc is told where the header is.
  target_link_libraries(firn_dependencies INTERFACE "$<BUILD_INTERFACE:${MPI_CXX_LIBRARIES}>" $<INSTALL_INTERFACE:MPI::MPI_CXX>)
else()
  message(STATUS "No MPI was found: Firn is built for one process (libopenmpi-dev brings it)")
endif()
