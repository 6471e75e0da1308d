# The one place that decides how Firn is compiled.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

set(FIRN_SANITIZE "" CACHE STRING "Sanitizers to build with, such as address,undefined")

add_library(firn_options INTERFACE)
target_compile_options(firn_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Woverloaded-virtual -Werror
  # GCC 12 sees overlapping copies in "literal" + std::string where there are none (its bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  # Types of a source's own are not what GCC takes them for when sources are compiled together.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${FIRN_UNITY}>>:-Wno-subobject-linkage>
  # Nor do names of one source shadow those of another; the preset clang, which compiles each source alone, still warns.
  $<$<AND:$<CXX_COMPILER_ID:Clang>,$<BOOL:${FIRN_UNITY}>>:-Wno-shadow>
  # Equal seeds must give equal bits: no fused operation but those written as MulAdd.
  -ffp-contract=off)

# Few targets, one choice for the whole build. On x86-64: the compiler's baseline, SSE4, AVX2 and AVX-512. Elsewhere the
# scalable vector units are left out, because kernels keep arrays of vectors; their fixed-size siblings do the work.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(disabled_targets "(HWY_SSSE3|HWY_AVX3_DL)")
else()
  set(disabled_targets "(HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128|HWY_RVV)")
endif()
target_compile_definitions(firn_options INTERFACE "HWY_DISABLED_TARGETS=${disabled_targets}")

# Against what a damaged file could do to a program. Relocations are read-only once it runs, which costs nothing. Canaries
# and checked copies, in code that reads bytes from outside, are for those who want them; sanitizers do better, and do not
# go together with them.
add_link_options(-Wl,-z,relro,-z,now)
set(FIRN_HARDENING "")
if(FIRN_HARDEN AND NOT FIRN_SANITIZE)
  set(FIRN_HARDENING -fstack-protector-strong $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE> $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
endif()

# For code that parses and prints and leaves the work to the library: a clean build should be short.
add_library(firn_cold_options INTERFACE)
target_compile_options(firn_cold_options INTERFACE $<$<CONFIG:Release>:-O1>)

if(FIRN_SANITIZE)
  add_compile_options(-fsanitize=${FIRN_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${FIRN_SANITIZE})
  # Instrumented code hides from GCC which member of a variant is alive; it then warns about the others.
  target_compile_options(firn_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endif()
