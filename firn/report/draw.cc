#include "firn/report/draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "firn/base/error.h"
#include "firn/report/page.h"

namespace firn::report {
namespace {

// What fits into a circle.
constexpr std::array<std::string_view, kGates> kSigns = {"0",   "and",  "a·b̄", "a",   "ā·b", "b",   "xor",  "or",
                                                         "nor", "xnor", "b̄",   "a+b̄", "ā",   "ā+b", "nand", "1"};
constexpr std::size_t kMostInLine = 48;  // nodes of a layer of a cone; more are counted, not drawn

class Drawing {
 public:
  Drawing(double width, double height, std::string_view title)
      : text_(fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
            "{1:.0f}\" font-family=\"DejaVu Sans, sans-serif\" font-size=\"11\">\n<title>{2}</title>\n"
            "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
            width, height, escape_html(title))) {}

  void line(double x1, double y1, double x2, double y2, std::string_view colour = "#9aa5b1") {
    text_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1, y1, x2,
                         y2, colour);
  }
  void circle(double x, double y, double radius, std::string_view fill) {
    text_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"{}\" stroke=\"#2f6fb3\"/>\n", x, y,
                         radius, fill);
  }
  void rect(double x, double y, double side, std::string_view fill, std::string_view stroke = "#9aa5b1") {
    text_ +=
        fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\" stroke=\"{}\"/>\n",
                    x, y, side, side, fill, stroke);
  }
  void label(double x, double y, std::string_view words, std::string_view anchor = "middle", double size = 11) {
    text_ +=
        fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"{}\" fill=\"#1c2430\">{}</text>\n",
                    x, y, anchor, size, escape_html(words));
  }
  std::string text() const { return text_ + "</svg>\n"; }

 private:
  std::string text_;
};

// Where the nodes of a unit stand: taps side by side, a gate over the middle of what it reads.
struct UnitLayout {
  std::vector<double> x;
  std::vector<std::size_t> level;

  explicit UnitLayout(const LayerDescription& wiring) {
    for (std::size_t t = 0; t < wiring.taps; ++t) x.push_back(static_cast<double>(t) + 0.5), level.push_back(0);
    for (std::size_t g = 0; g < wiring.gates; ++g) {
      const std::size_t a = wiring.operands[2 * g], b = wiring.operands[2 * g + 1];
      x.push_back((x[a] + x[b]) / 2);
      level.push_back(1 + std::max(level[a], level[b]));
    }
  }
  std::size_t levels() const { return *std::ranges::max_element(level); }
};

constexpr double kTap = 26, kRise = 38, kCell = 13, kMargin = 14;

// A filter with its upper left corner at (x0, y0).
void draw_unit(Drawing& out, const BooleanLayer& layer, std::size_t unit, const UnitLayout& layout, double x0,
               double y0) {
  const LayerDescription& wiring = layer.wiring;
  const double foot = y0 + 26 + kRise * static_cast<double>(layout.levels());
  const auto x = [&](std::size_t node) { return x0 + kTap * layout.x[node]; };
  const auto y = [&](std::size_t node) { return foot - kRise * static_cast<double>(layout.level[node]); };
  out.label(x0, y0, fmt::format("{} · {}", wiring.name, unit), "start");
  for (std::size_t g = 0; g < wiring.gates; ++g)
    for (std::size_t side = 0; side < 2; ++side) {
      const std::size_t from = wiring.operands[2 * g + side];
      out.line(x(from), y(from), x(wiring.taps + g), y(wiring.taps + g));
    }
  for (std::size_t t = 0; t < wiring.taps; ++t) {
    out.rect(x(t) - 9, y(t) - 9, 18, "#f1f4f8");
    out.label(x(t), y(t) + 4, fmt::format("{}", t + 1), "middle", 10);
    out.label(x(t), y(t) + 20, fmt::format("c{}", wiring.tap_channel[unit * wiring.taps + t]), "middle", 8);
  }
  for (std::size_t g = 0; g < wiring.gates; ++g) {
    const std::size_t node = wiring.taps + g;
    out.circle(x(node), y(node), 15, "#ffffff");
    const auto gate = static_cast<std::size_t>(layer.gates[unit * wiring.gates + g]);
    out.label(x(node), y(node) + 3.5, kSigns[gate], "middle", 9.5);
  }
}

// The window of a filter, with the numbers of its leaves at their places.
void draw_window(Drawing& out, const LayerDescription& wiring, std::size_t unit, double x0, double y0) {
  std::map<std::size_t, std::string> leaves;
  for (std::size_t t = 0; t < wiring.taps; ++t) {
    std::string& words = leaves[wiring.tap_place.empty() ? 0 : wiring.tap_place[unit * wiring.taps + t]];
    words += (words.empty() ? "" : ",") + std::to_string(t + 1);
  }
  for (std::size_t place = 0; place < wiring.window.size(); ++place) {
    const double x = x0 + 2 * kCell * static_cast<double>(place % wiring.window.width);
    const double y = y0 + 2 * kCell * static_cast<double>(place / wiring.window.width);
    const auto found = leaves.find(place);
    out.rect(x, y, 2 * kCell, found == leaves.end() ? "#ffffff" : "#cfe2f6");
    if (found != leaves.end())
      out.label(x + kCell, y + kCell + 3, found->second, "middle", found->second.size() > 3 ? 7 : 9.5);
  }
}

// Taps of a unit on which its output can depend: gates may ignore an operand.
std::vector<std::size_t> seen_taps(const BooleanLayer& layer, std::size_t unit) {
  const LayerDescription& wiring = layer.wiring;
  std::vector<bool> seen(wiring.nodes());
  seen.back() = true;
  for (std::size_t g = wiring.gates; g-- > 0;) {
    if (!seen[wiring.taps + g]) continue;
    const Gate gate = layer.gates[unit * wiring.gates + g];
    if (depends_on_a(gate)) seen[wiring.operands[2 * g]] = true;
    if (depends_on_b(gate)) seen[wiring.operands[2 * g + 1]] = true;
  }
  std::vector<std::size_t> taps;
  for (std::size_t t = 0; t < wiring.taps; ++t)
    if (seen[t]) taps.push_back(t);
  return taps;
}

// Input features of a layer that an output of it can depend on.
std::set<std::uint32_t> read_by(const BooleanLayer& layer, std::uint32_t output) {
  const LayerDescription& wiring = layer.wiring;
  const std::size_t unit = output / wiring.unit_outputs(), number = output % wiring.unit_outputs();
  std::set<std::uint32_t> features;
  for (const std::size_t tap : seen_taps(layer, unit))
    for (std::size_t position = 0; position < wiring.pool.size(); ++position)
      if (const std::uint32_t feature = wiring.feature(unit, tap, number, position); feature != kOutside)
        features.insert(feature);
  return features;
}

// Features on which an output depends, of every layer from the last one to the input: [0] is the output itself.
std::vector<std::set<std::uint32_t>> cone_of(const BooleanNetwork& network, std::size_t output) {
  if (output >= network.outputs())
    throw Error(fmt::format("there is no output {}; the circuit has {}, counted from 0", output, network.outputs()));
  std::vector<std::set<std::uint32_t>> lines = {{static_cast<std::uint32_t>(output)}};
  for (std::size_t l = network.layers.size(); l-- > 0;) {
    std::set<std::uint32_t> below;
    for (const std::uint32_t feature : lines.back()) below.merge(read_by(network.layers[l], feature));
    lines.push_back(std::move(below));
  }
  return lines;
}

}  // namespace

std::string draw_filters(const BooleanNetwork& network, std::size_t number, std::size_t most) {
  FIRN_CHECK(number < network.layers.size());
  const BooleanLayer& layer = network.layers[number];
  const LayerDescription& wiring = layer.wiring;
  if (wiring.gates == 0)
    throw Error(fmt::format("the layer {} has no gates of its own to draw; choose another", wiring.name));
  const UnitLayout layout(wiring);
  const std::size_t count = std::min(most, wiring.units()), columns = std::min<std::size_t>(count, 3);
  const double window = wiring.window.size() > 1 ? 2 * kCell * static_cast<double>(wiring.window.width) + 14 : 0;
  const double width = std::max(kTap * static_cast<double>(wiring.taps) + window, 90.0) + 18;
  const double height = std::max(26 + kRise * static_cast<double>(layout.levels()) + 40,
                                 window > 0 ? 2 * kCell * static_cast<double>(wiring.window.height) + 34 : 0);
  const std::size_t lines = (count + columns - 1) / columns;
  Drawing out(2 * kMargin + width * static_cast<double>(columns),
              2 * kMargin + 22 + height * static_cast<double>(lines), fmt::format("filters of {}", wiring.name));
  out.label(kMargin, kMargin + 6,
            fmt::format(
                "{}: {} of {} units. Squares are inputs (c: channel), circles gates; the grid shows where inputs lie.",
                wiring.name, count, wiring.units()),
            "start", 11);
  for (std::size_t unit = 0; unit < count; ++unit) {
    const double x = kMargin + width * static_cast<double>(unit % columns);
    const double y = kMargin + 34 + height * static_cast<double>(unit / columns);
    draw_unit(out, layer, unit, layout, x, y);
    if (window > 0) draw_window(out, wiring, unit, x + kTap * static_cast<double>(wiring.taps) + 8, y + 8);
  }
  return out.text();
}

std::string draw_cone(const BooleanNetwork& network, std::size_t output) {
  const std::vector<std::set<std::uint32_t>> lines = cone_of(network, output);
  const double width = 1000, rise = 84, left = 120;
  Drawing out(width, rise * static_cast<double>(lines.size()) + 20, fmt::format("cone of output {}", output));
  std::vector<std::map<std::uint32_t, double>> place(lines.size());  // x of the nodes that are drawn
  for (std::size_t d = 0; d < lines.size(); ++d) {
    const std::size_t shown = std::min(lines[d].size(), kMostInLine);
    std::size_t i = 0;
    for (const std::uint32_t feature : lines[d]) {
      if (i == shown) break;
      place[d][feature] = left + (width - left - 20) * (static_cast<double>(i++) + 0.5) / static_cast<double>(shown);
    }
  }
  const auto y = [&](std::size_t d) { return 40 + rise * static_cast<double>(d); };
  for (std::size_t d = 0; d + 1 < lines.size(); ++d) {
    const BooleanLayer& layer = network.layers[network.layers.size() - 1 - d];
    for (const auto& [feature, x] : place[d])
      for (const std::uint32_t below : read_by(layer, feature))
        if (const auto found = place[d + 1].find(below); found != place[d + 1].end())
          out.line(x, y(d), found->second, y(d + 1), "#c3ccd6");
  }
  for (std::size_t d = 0; d < lines.size(); ++d) {
    const bool is_input = d + 1 == lines.size();
    const std::string name = is_input ? "input bits" : network.layers[network.layers.size() - 1 - d].wiring.name;
    out.label(10, y(d) + 4, name, "start", 12);
    out.label(10, y(d) + 18,
              fmt::format("{}{}", lines[d].size(),
                          lines[d].size() > kMostInLine ? fmt::format(", {} drawn", kMostInLine) : ""),
              "start", 9);
    for (const auto& [feature, x] : place[d]) {
      if (is_input)
        out.rect(x - 5, y(d) - 5, 10, "#cfe2f6");
      else
        out.circle(x, y(d), 6, "#ffffff");
      if (lines[d].size() <= 16) out.label(x, y(d) + 20, std::to_string(feature), "middle", 9);
    }
  }
  return out.text();
}

std::string draw_view(const BooleanNetwork& network, std::size_t output) {
  const std::set<std::uint32_t> bits = cone_of(network, output).back();
  const auto& [channels, height, width] = network.input;
  const double cell = std::clamp(420.0 / static_cast<double>(std::max(height, width)), 4.0, 30.0);
  Drawing out(std::max(cell * static_cast<double>(width), 240.0) + 2 * kMargin,
              cell * static_cast<double>(height) + 2 * kMargin + 20, fmt::format("what output {} can see", output));
  out.label(kMargin, kMargin + 6,
            fmt::format("output {} can see {} of {} bits", output, bits.size(), network.input.size()), "start");
  for (std::size_t place = 0; place < height * width; ++place) {
    std::size_t seen = 0;
    for (std::size_t c = 0; c < channels; ++c)
      seen += bits.contains(static_cast<std::uint32_t>(c * height * width + place));
    const double share = static_cast<double>(seen) / static_cast<double>(channels);
    const auto tone = [&](double from, double to) { return static_cast<int>(from + (to - from) * share); };
    const std::string fill =
        seen == 0 ? "#f4f6f9" : fmt::format("#{:02x}{:02x}{:02x}", tone(190, 29), tone(214, 84), tone(240, 150));
    out.rect(kMargin + cell * static_cast<double>(place % width),
             kMargin + 16 + cell * static_cast<double>(place / width), cell, fill, "#e3e8ee");
  }
  return out.text();
}

std::string draw(const BooleanNetwork& network, const DrawSettings& settings) {
  if (settings.cone.has_value() + settings.view.has_value() + !settings.layer.empty() > 1)
    throw Error("a layer, a cone and a view are different pictures; choose one");
  if (settings.cone) return draw_cone(network, *settings.cone);
  if (settings.view) return draw_view(network, *settings.view);
  if (settings.layer.empty()) return draw_filters(network, 0, settings.most);
  std::vector<std::string> names;
  for (const BooleanLayer& layer : network.layers) names.push_back(layer.wiring.name);
  const auto found = std::ranges::find(names, settings.layer);
  if (found == names.end())
    throw Error(fmt::format("there is no layer {}; choose {}", settings.layer, fmt::join(names, ", ")));
  return draw_filters(network, static_cast<std::size_t>(found - names.begin()), settings.most);
}

}  // namespace firn::report
