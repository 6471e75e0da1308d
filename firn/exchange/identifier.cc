#include "firn/exchange/identifier.h"

#include <cctype>
#include <string_view>

namespace firn::exchange {
namespace {

// Words of C, C++ and SystemVerilog, the name of a C program's first function, and names of C's own headers, each
// between spaces. The casts of C++ are recognized by their ending.
constexpr std::string_view kReserved =
    " accept_on alias alignas alignof always always_comb always_ff always_latch and and_eq asm assert assign"
    " assume auto automatic before begin bind bins binsof bit bitand bitor bool break buf bufif0 bufif1 byte"
    " case casex casez catch cell chandle char checker class clocking cmos compl config const constexpr"
    " constraint context continue cover covergroup coverpoint cross deassign decltype default defparam delete"
    " design disable dist do double edge else end endcase endchecker endclass endclocking endconfig"
    " endfunction endgenerate endgroup endinterface endmodule endpackage endprimitive endprogram endproperty"
    " endsequence endspecify endtable endtask enum event eventually expect explicit export extends extern"
    " false final first_match float for force foreach forever fork forkjoin friend function generate genvar"
    " global goto highz0 highz1 if iff ifnone ignore_bins illegal_bins implements implies import incdir"
    " include initial inline inout input inside instance int integer interconnect interface intersect join"
    " join_any join_none large let liblist library local localparam logic long longint macromodule main"
    " matches medium modport module mutable namespace nand negedge nettype new nexttime nmos noexcept nor"
    " noshowcancelled not not_eq notif0 notif1 null nullptr operator or or_eq output package packed parameter"
    " pmos posedge primitive priority private program property protected public pull0 pull1 pulldown pullup"
    " pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase randsequence rcmos real realtime ref reg"
    " register reject_on release repeat restrict return rnmos rpmos rtran rtranif0 rtranif1 s_always"
    " s_eventually s_nexttime s_until s_until_with scalared sequence short shortint shortreal showcancelled"
    " signed sizeof small soft solve specify specparam static static_assert string strong strong0 strong1"
    " struct super supply0 supply1 switch sync_accept_on sync_reject_on table tagged task template this"
    " thread_local throughout throw time timeprecision timeunit tran tranif0 tranif1 tri tri0 tri1 triand"
    " trior trireg true try type typedef typeid typename union unique unique0 unsigned until until_with"
    " untyped use using uwire var vectored virtual void volatile wait wait_order wand wchar_t weak weak0 weak1"
    " while wildcard wire with within wor xnor xor xor_eq"
    " int8_t int16_t int32_t int64_t intmax_t intptr_t uint8_t uint16_t uint32_t uint64_t uintmax_t uintptr_t"
    " max_align_t ptrdiff_t size_t INT32_MAX INT32_MIN INT64_MAX INT64_MIN NULL offsetof errno stdin stdout"
    " stderr memchr memcmp memcpy memmove memset strlen printf ";

bool is_reserved(const std::string& word) {
  return kReserved.find(" " + word + " ") != std::string_view::npos || word.ends_with("_cast");
}

}  // namespace

std::string identifier(std::string text) {
  for (char& c : text)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  const bool begins_with_digit = text.empty() || std::isdigit(static_cast<unsigned char>(text.front()));
  return begins_with_digit || is_reserved(text) ? "circuit_" + text : text;
}

}  // namespace firn::exchange
