// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <type_traits>

#include "knockout/report/charts.h"
#include "knockout/report/document.h"
#include "knockout/report/markup.h"
#include "knockout/report/style.h"
#include "knockout/report/text.h"

namespace knockout::report {
namespace {

constexpr std::size_t kLongTable = 40;  ///< Rows; a fold with more is not printed.

/// Says to the browser what we promise: no scripts, nothing from anywhere else.
constexpr std::string_view kContentPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

class PageWriter {
 public:
  std::string write(const Document& document);

 private:
  void write_head(const Document& document);
  void write_contents(const std::vector<Section>& sections);
  void write_section(const Section& section, std::size_t number);
  void write_provenance(const Provenance& provenance);
  void write_paragraphs(std::string_view text, std::string_view css_class);
  void write_table(const Table& table);
  template <typename Chart>
  void write_chart(const Chart& chart, double width);

  void write_block(const Text& text) { write_paragraphs(text.text, ""); }
  void write_block(const Table& table);
  void write_block(const Row& row);
  template <typename Chart>
  void write_block(const Chart& chart) {
    write_chart(chart, kWideCanvas);
  }

  Markup page_;
  std::size_t charts_ = 0;
};

void PageWriter::write_paragraphs(std::string_view text, std::string_view css_class) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find("\n\n"), text.size());
    const std::string_view paragraph = text.substr(0, end);
    if (paragraph.find_first_not_of(" \t\r\n") != std::string_view::npos) {
      page_.line_break();
      if (css_class.empty()) {
        page_.element("p", {}, paragraph);
      } else {
        page_.element("p", {{"class", css_class}}, paragraph);
      }
    }
    text.remove_prefix(std::min(end + 2, text.size()));
  }
}

void PageWriter::write_table(const Table& table) {
  const auto alignment = [&](std::size_t column) {
    if (column < table.alignment.size()) return table.alignment[column] == 'r' ? "r" : "l";
    return column == 0 ? "l" : "r";
  };
  const std::set<std::pair<std::size_t, std::size_t>> best(table.best.begin(), table.best.end());
  const auto element = page_.open("table");
  if (!table.caption.empty()) page_.element("caption", {}, table.caption);
  if (!table.header.empty()) {
    const auto head = page_.open("thead");
    const auto row = page_.open("tr");
    for (std::size_t i = 0; i < table.header.size(); ++i) {
      page_.element("th", {{"scope", "col"}, {"class", alignment(i)}}, table.header[i]);
    }
  }
  const auto body = page_.open("tbody");
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    page_.line_break();
    const auto row = page_.open("tr");
    for (std::size_t i = 0; i < table.rows[r].size(); ++i) {
      const auto cell = page_.open("td", {{"class", alignment(i)}});
      if (best.contains({r, i})) {
        page_.element("strong", {}, table.rows[r][i]);
      } else {
        page_.text(table.rows[r][i]);
      }
    }
  }
}

void PageWriter::write_block(const Table& table) {
  page_.line_break();
  const auto block = page_.open("div", {{"class", "block"}});
  {
    const auto scroll = page_.open("div", {{"class", "scroll"}});
    write_table(table);
  }
  write_paragraphs(table.note, "note");
}

template <typename Chart>
void PageWriter::write_chart(const Chart& chart, double width) {
  page_.line_break();
  const auto figure = page_.open("figure");
  if (!chart.title.empty()) page_.element("figcaption", {}, chart.title);
  Notes notes;
  {
    const auto scroll = page_.open("div", {{"class", "scroll"}});
    notes = draw(page_, chart, {width, fmt::format("chart{}", ++charts_)});
  }
  for (const std::string& note : notes) page_.element("p", {{"class", "note"}}, note);
  const Table numbers = numbers_of(chart);
  page_.line_break();
  const auto details =
      page_.open("details", {{"class", numbers.rows.size() > kLongTable ? "long" : "short"}});
  page_.element("summary", {},
                fmt::format("The numbers of this chart ({})", plural(numbers.rows.size(), "row")));
  const auto scroll = page_.open("div", {{"class", "scroll"}});
  write_table(numbers);
}

void PageWriter::write_block(const Row& row) {
  page_.line_break();
  const auto block = page_.open("div", {{"class", "row"}});
  const double width = row.charts.size() > 1 ? kNarrowCanvas : kWideCanvas;
  for (const auto& one : row.charts) {
    std::visit([&](const auto& chart) { write_chart(chart, width); }, one);
  }
}

void PageWriter::write_section(const Section& section, std::size_t number) {
  page_.line_break();
  const auto element = page_.open("section", {{"id", fmt::format("section{}", number)}});
  page_.element("h2", {}, section.heading);
  for (const Block& block : section.blocks) {
    std::visit([&](const auto& content) { write_block(content); }, block);
  }
}

void PageWriter::write_contents(const std::vector<Section>& sections) {
  if (sections.size() < 2) return;
  page_.line_break();
  const auto nav = page_.open("nav", {{"aria-label", "Contents"}});
  const auto list = page_.open("ol");
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const auto item = page_.open("li");
    page_.element("a", {{"href", fmt::format("#section{}", i + 1)}}, sections[i].heading);
  }
}

void PageWriter::write_provenance(const Provenance& provenance) {
  page_.line_break();
  const auto footer = page_.open("footer");
  page_.element("h2", {}, "How this was made");
  const auto list = page_.open("dl");
  const auto add = [&](std::string_view term, std::string_view text, bool code = false) {
    if (text.empty()) return;
    page_.line_break();
    page_.element("dt", {}, term);
    const auto definition = page_.open("dd");
    if (code) {
      page_.element("code", {}, text);
    } else {
      page_.text(text);
    }
  };
  add("Command", provenance.command, true);
  add("Version", provenance.version);
  add("Seed", provenance.seed);
  for (const Provenance::Data& data : provenance.data) {
    add("Data",
        data.description.empty() ? data.path : fmt::format("{} ({})", data.path, data.description));
    add("SHA-256", data.sha256, true);
  }
  add("Date", provenance.date);
  if (provenance.seconds > 0) add("Time taken", duration_text(provenance.seconds));
}

void PageWriter::write_head(const Document& document) {
  const auto head = page_.open("head");
  page_.empty("meta", {{"charset", "utf-8"}});
  page_.empty("meta", {{"http-equiv", "Content-Security-Policy"}, {"content", kContentPolicy}});
  page_.empty("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
  page_.empty("meta", {{"name", "color-scheme"}, {"content", "light dark"}});
  page_.empty("link", {{"rel", "icon"}, {"href", "data:,"}});  // or a server is asked for one
  page_.element("title", {}, document.title);
  const auto style = page_.open("style");
  page_.verbatim(kStyle);
}

std::string PageWriter::write(const Document& document) {
  page_.verbatim("<!DOCTYPE html>\n");
  {
    const auto html = page_.open("html", {{"lang", "en"}});
    write_head(document);
    page_.line_break();
    const auto body = page_.open("body");
    {
      const auto header = page_.open("header");
      page_.element("h1", {}, document.title);
      if (!document.summary.empty()) {
        const auto summary = page_.open("div", {{"class", "summary"}});
        write_paragraphs(document.summary, "");
      }
      write_contents(document.sections);
    }
    {
      const auto main = page_.open("main");
      for (std::size_t i = 0; i < document.sections.size(); ++i) {
        write_section(document.sections[i], i + 1);
      }
    }
    write_provenance(document.provenance);
  }
  page_.line_break();
  return page_.str();
}

}  // namespace

std::string to_html(const Document& document) { return PageWriter().write(document); }

}  // namespace knockout::report
