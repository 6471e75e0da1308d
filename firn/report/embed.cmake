# Writes a C++ source that holds the scripts and style sheets of pages as string literals, and before the script of
# reports the licences of the packages that were bundled into it; the other one has none.
# usage: cmake [-D FOLDER=FOLDER -D PACKAGES=FOLDER] -D OUTPUT=FILE -P embed.cmake      FOLDER has report.js and so on

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
function(literal result name before)
  set(text "")
  if(FOLDER)
    file(READ "${FOLDER}/${name}" text)
  endif()
  set(${result} "R\"firn(${before}${text})firn\"" PARENT_SCOPE)
endfunction()

set(notices "")
if(PACKAGES)
  licences(notices "${PACKAGES}")
endif()
literal(report_script report.js "${notices}")
literal(report_style report.css "")
literal(play_script play.js "")
literal(play_style play.css "")
file(WRITE "${OUTPUT}" "#include \"firn/report/bundle.h\"

namespace firn::report {

std::string_view report_script() {
  return ${report_script};
}

std::string_view report_style() {
  return ${report_style};
}

std::string_view play_script() {
  return ${play_script};
}

std::string_view play_style() {
  return ${play_style};
}

}  // namespace firn::report
")
