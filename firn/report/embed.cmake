# Writes a C++ source that holds a script and a style sheet as string literals.
# usage: cmake [-D SCRIPT=FILE -D STYLE=FILE] -D OUTPUT=FILE -P embed.cmake

# Literals are cut into pieces, because compilers need not take long ones. The bundler writes ASCII only.
function(literal result file)
  set(pieces "\"\"")
  if(file)
    file(READ "${file}" text)
    string(LENGTH "${text}" length)
    set(at 0)
    while(at LESS length)
      string(SUBSTRING "${text}" ${at} 16000 piece)
      string(APPEND pieces "\n    R\"firn(${piece})firn\"")
      math(EXPR at "${at} + 16000")
    endwhile()
  endif()
  set(${result} "${pieces}" PARENT_SCOPE)
endfunction()

literal(script "${SCRIPT}")
literal(style "${STYLE}")
file(WRITE "${OUTPUT}" "#include \"firn/report/bundle.h\"

namespace firn {

std::string_view report_script() {
  return ${script};
}

std::string_view report_style() {
  return ${style};
}

}  // namespace firn
")
