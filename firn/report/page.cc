#include "firn/report/page.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>

#include "firn/base/error.h"
#include "firn/report/bundle.h"
#include "firn/report/json_text.h"

namespace firn::report {
namespace {

// The source expression by which a policy knows a script: its digest in base64.
std::string script_hash(std::string_view script) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  FIRN_CHECK(EVP_Digest(script.data(), script.size(), digest.data(), &length, EVP_sha256(), nullptr) == 1);
  std::array<unsigned char, 2 * EVP_MAX_MD_SIZE> base64{};
  const int written = EVP_EncodeBlock(base64.data(), digest.data(), static_cast<int>(length));
  return fmt::format("'sha256-{}'",
                     std::string_view(reinterpret_cast<const char*>(base64.data()), static_cast<std::size_t>(written)));
}

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
}

}  // namespace

std::string escape_json_for_html(std::string_view json) {
  std::string text(json);
  replace_all(text, "<", "\\u003c");
  replace_all(text, "\u2028", "\\u2028");
  replace_all(text, "\u2029", "\\u2029");
  return text;
}

std::string escape_html(std::string_view text) {
  std::string out(text);
  replace_all(out, "&", "&amp;");
  replace_all(out, "<", "&lt;");
  replace_all(out, ">", "&gt;");
  replace_all(out, "\"", "&quot;");
  return out;
}

void require_figures() {
  if (report_script().empty())
    throw Error(
        "this firn was built without the figures of reports: run scripts/setup where npm can reach its registry, then "
        "build again");
}

std::string html_page(const PageParts& parts) {
  FIRN_CHECK(parts.script.find("</script") == std::string_view::npos &&
             parts.style.find("</style") == std::string_view::npos);
  // Figures are styled by attributes and by a sheet in each drawing, hence 'unsafe-inline' for styles alone.
  const std::string policy = fmt::format(
      "default-src 'none'; script-src {}; style-src 'unsafe-inline'; img-src data: blob:; connect-src {}; base-uri "
      "'none'; form-action 'none'",
      script_hash(parts.script), parts.live ? "'self'" : "'none'");
  return fmt::format(
      "<!doctype html>\n"
      "<html lang=\"en\">\n"
      "<head>\n"
      "<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n"
      "<title>{}</title>\n"
      "<link rel=\"icon\" href=\"data:,\">\n"
      "<style>{}</style>\n"
      "</head>\n"
      "<body>\n"
      "<noscript>What this page shows is computed by a script; please allow it.</noscript>\n"
      "<main id=\"page\"></main>\n"
      "<script type=\"application/json\" id=\"data\">{}</script>\n"
      "<script>{}</script>\n"
      "</body>\n"
      "</html>\n",
      policy, escape_html(parts.title), parts.style, escape_json_for_html(parts.data), parts.script);
}

std::string page_of(const ReportRecord& report) {
  require_figures();
  return html_page({.title = report.title,
                    .script = report_script(),
                    .style = report_style(),
                    .data = to_json_text(report),
                    .live = report.live});
}

}  // namespace firn::report
