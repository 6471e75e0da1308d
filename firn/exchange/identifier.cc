#include "firn/exchange/identifier.h"

#include <fmt/format.h>

#include <cctype>
#include <string_view>

namespace firn::exchange {
namespace {

// Words of C, C++ and SystemVerilog, and functions that exported programs call, each between spaces. The casts of C++
// are recognized by their ending.
constexpr std::string_view kWords =
    " NULL accept_on alias alignas alignof always always_comb always_ff always_latch and and_eq asm assert assign"
    " assume auto automatic before begin bind bins binsof bit bitand bitor bool break buf bufif0 bufif1 byte case"
    " casex casez catch cell chandle char checker class clocking cmos compl config const constexpr constraint"
    " context continue cover covergroup coverpoint cross deassign decltype default defparam delete design disable"
    " dist do double edge else end endcase endchecker endclass endclocking endconfig endfunction endgenerate"
    " endgroup endinterface endmodule endpackage endprimitive endprogram endproperty endsequence endspecify endtable"
    " endtask enum errno event eventually expect explicit export extends extern false final first_match float for"
    " force foreach forever fork forkjoin friend function generate genvar global goto highz0 highz1 if iff ifnone"
    " ignore_bins illegal_bins implements implies import incdir include initial inline inout input inside instance"
    " int integer interconnect interface intersect join join_any join_none large let liblist library local"
    " localparam logic long longint macromodule main matches max_align_t medium memchr memcmp memcpy memmove memset"
    " modport module mutable namespace nand negedge nettype new nexttime nmos noexcept nor noshowcancelled not"
    " not_eq notif0 notif1 null nullptr offsetof operator or or_eq output package packed parameter pmos posedge"
    " primitive printf priority private program property protected ptrdiff_t public pull0 pull1 pulldown pullup"
    " pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase randsequence rcmos real realtime ref reg"
    " register reject_on release repeat restrict return rnmos rpmos rtran rtranif0 rtranif1 s_always s_eventually"
    " s_nexttime s_until s_until_with scalared sequence short shortint shortreal showcancelled signed size_t sizeof"
    " small soft solve specify specparam static static_assert stderr stdin stdout string strlen strong strong0"
    " strong1 struct super supply0 supply1 switch sync_accept_on sync_reject_on table tagged task template this"
    " thread_local throughout throw time timeprecision timeunit tran tranif0 tranif1 tri tri0 tri1 triand trior"
    " trireg true try type typedef typeid typename union unique unique0 unsigned until until_with untyped use using"
    " uwire var vectored virtual void volatile wait wait_order wand wchar_t weak weak0 weak1 while wildcard wire"
    " with within wor xnor xor xor_eq ";

// Words that only newer standards have, and macros that some compilers define.
constexpr std::string_view kNewWords =
    " AVR MSP430 PPC PTRDIFF_MAX PTRDIFF_MIN PTRDIFF_WIDTH SIG_ATOMIC_MAX SIG_ATOMIC_MIN SIG_ATOMIC_WIDTH SIZE_MAX"
    " SIZE_WIDTH WCHAR_MAX WCHAR_MIN WCHAR_WIDTH WIN32 WIN64 WINNT WINT_MAX WINT_MIN WINT_WIDTH char16_t char32_t"
    " char8_t co_await co_return co_yield concept consteval constinit contract_assert i386 linux m68k mips nullptr_t"
    " powerpc requires sparc std sun synchronized typeof typeof_unqual unix vax ";

// Other functions of the C library, many of which compilers know without any header and hold declarations against.
constexpr std::string_view kFunctions =
    " abort abs aligned_alloc alloca atexit atof atoi atol atoll bcmp bcopy bsearch bzero calloc clearerr clock"
    " ctime dcgettext dgettext difftime div execl execle execlp execv execve execvp exit fclose feclearexcept"
    " fegetenv fegetexceptflag fegetround feholdexcept feof feraiseexcept ferror fesetenv fesetexceptflag fesetround"
    " fetestexcept feupdateenv fflush ffs ffsl ffsll fgetc fgetpos fgets fopen fork fprintf fprintf_unlocked fputc"
    " fputc_unlocked fputs fputs_unlocked fread free freopen fscanf fseek fsetpos ftell fwrite fwrite_unlocked"
    " gamma_r getc getchar getenv gets gettext gmtime imaxabs imaxdiv index isalnum isalpha isascii isblank iscntrl"
    " isdigit isgraph islower isprint ispunct isspace isupper iswalnum iswalpha iswblank iswcntrl iswdigit iswgraph"
    " iswlower iswprint iswpunct iswspace iswupper iswxdigit isxdigit labs ldiv lgamma_r llabs lldiv localeconv"
    " localtime longjmp malloc mempcpy mktime perror posix_memalign printf_unlocked putc putc_unlocked putchar"
    " putchar_unlocked puts puts_unlocked qsort raise rand realloc remove rename rewind rindex scanf setbuf setjmp"
    " setlocale setvbuf signal signbitd128 signbitd32 signbitd64 snprintf sprintf srand sscanf stpcpy stpncpy"
    " strcasecmp strcat strchr strcmp strcoll strcpy strcspn strdup strerror strfmon strftime strncasecmp strncat"
    " strncmp strncpy strndup strnlen strpbrk strrchr strspn strstr strtod strtof strtok strtol strtold strtoll"
    " strtoul strtoull strxfrm system tmpfile tmpnam toascii tolower toupper towlower towupper ungetc va_arg va_copy"
    " va_end va_start vfprintf vfscanf vprintf vscanf vsnprintf vsprintf vsscanf ";

// Functions on double, which have twins on float and long double: sin, sinf and sinl.
constexpr std::string_view kMath =
    " acos acosh asin asinh atan atan2 atanh cabs cacos cacosh carg casin casinh catan catanh cbrt ccos ccosh ceil"
    " cexp cimag clog clog10 conj copysign cos cosh cpow cproj creal csin csinh csqrt ctan ctanh drem erf erfc exp"
    " exp10 exp2 expm1 fabs fdim finite floor fma fmax fmin fmod frexp gamma hypot ilogb isinf isnan j0 j1 jn"
    " ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter nexttoward"
    " pow pow10 remainder remquo rint round roundeven scalb scalbln scalbn signbit significand sin sincos sinh"
    " sqrt tan tanh tgamma trunc y0 y1 yn ";

bool holds(std::string_view words, std::string_view word) {
  return words.find(fmt::format(" {} ", word)) != std::string_view::npos;
}

bool is_math(std::string_view word) {
  const bool may_be_twin = word.ends_with('f') || word.ends_with('l');
  return holds(kMath, word) || (may_be_twin && holds(kMath, word.substr(0, word.size() - 1)));
}

// As C reserves them for <stdint.h>: uint_fast8_t, INT64_C.
bool is_integer_type_or_macro(std::string_view word) {
  const auto begins_with = [&](std::string_view a, std::string_view b) {
    return word.starts_with(a) || word.starts_with(b);
  };
  if (word.ends_with("_t")) return begins_with("int", "uint");
  const bool ends =
      word.ends_with("_MAX") || word.ends_with("_MIN") || word.ends_with("_C") || word.ends_with("_WIDTH");
  return ends && begins_with("INT", "UINT");
}

// At the scope of a file, all names that begin with an underscore belong to C compilers and their libraries.
bool is_reserved(std::string_view word) {
  return word.starts_with('_') || !is_accepted_name(word) || holds(kNewWords, word) || holds(kFunctions, word) ||
         is_math(word);
}

}  // namespace

bool is_accepted_name(std::string_view word) {
  return !word.ends_with("_cast") && !holds(kWords, word) && !is_integer_type_or_macro(word);
}

std::string identifier(std::string text) {
  for (char& c : text)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  const bool begins_with_digit = text.empty() || std::isdigit(static_cast<unsigned char>(text.front()));
  return begins_with_digit || is_reserved(text) ? "circuit_" + text : text;
}

}  // namespace firn::exchange
