# Writes a C++ source that holds a script and a style sheet as string literals, and before the script the licences of
# the packages that were bundled into it.
# usage: cmake [-D SCRIPT=FILE -D STYLE=FILE -D PACKAGES=FOLDER] -D OUTPUT=FILE -P embed.cmake

# Every licence once, as a comment that a bundler would have lost. Tools that are not bundled have no part in it.
function(licences result folder)
  file(GLOB files "${folder}/*/LICENSE*" "${folder}/@observablehq/*/LICENSE*")
  list(FILTER files EXCLUDE REGEX "/(esbuild|playwright-core)/")
  set(all "")
  foreach(file IN LISTS files)
    file(READ "${file}" text)
    string(REPLACE "©" "(c)" text "${text}")
    string(FIND "${all}" "${text}" known)
    if(known EQUAL -1)
      string(APPEND all "${text}\n")
    endif()
  endforeach()
  if(all MATCHES "[*]/")
    message(FATAL_ERROR "a licence in ${folder} would end the comment it stands in")
  endif()
  set(${result} "/*\n${all}*/\n" PARENT_SCOPE)
endfunction()

# The bundler writes ASCII only, so a raw literal takes its text as it is.
function(literal result file before)
  set(text "")
  if(file)
    file(READ "${file}" text)
  endif()
  set(${result} "R\"firn(${before}${text})firn\"" PARENT_SCOPE)
endfunction()

set(notices "")
if(PACKAGES)
  licences(notices "${PACKAGES}")
endif()
literal(script "${SCRIPT}" "${notices}")
literal(style "${STYLE}" "")
file(WRITE "${OUTPUT}" "#include \"firn/report/bundle.h\"

namespace firn::report {

std::string_view report_script() {
  return ${script};
}

std::string_view report_style() {
  return ${style};
}

}  // namespace firn::report
")
