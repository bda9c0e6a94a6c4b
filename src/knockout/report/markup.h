// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace knockout::report {

/// An attribute of an element. Numbers are rounded to a hundredth, which no eye can tell.
struct Attribute {
  Attribute(std::string_view name, std::string_view value) : name(name), value(value) {}
  Attribute(std::string_view name, double value);

  std::string_view name;
  std::string value;
};
using Attributes = std::initializer_list<Attribute>;

/// Writes HTML and SVG. Text and attributes are escaped, always; elements close themselves, so that
/// the result is balanced by construction.
///   Markup page;
///   {
///     const auto row = page.open("tr");
///     page.element("td", {{"class", "r"}}, "<1 %");
///   }
class Markup {
 public:
  /// Closes its element at the end of the scope.
  class Open {
   public:
    Open(Markup& page, std::string_view tag) : page_(&page), tag_(tag) {}
    Open(Open&& other) noexcept : page_(std::exchange(other.page_, nullptr)), tag_(other.tag_) {}
    Open& operator=(Open&&) = delete;
    ~Open();

   private:
    Markup* page_;
    std::string_view tag_;
  };

  [[nodiscard]] Open open(std::string_view tag, Attributes attributes = {});
  void element(std::string_view tag, Attributes attributes, std::string_view text);
  /// An element without content: <line/>, <meta/>.
  void empty(std::string_view tag, Attributes attributes);
  void text(std::string_view text);
  /// As it is. For our own constants only: the document type and the style.
  void verbatim(std::string_view markup) { out_ += markup; }
  void line_break() { out_ += '\n'; }  ///< In the source only, so that people can read it.

  const std::string& str() const { return out_; }

 private:
  void start(std::string_view tag, Attributes attributes);

  std::string out_;
};

/// A coordinate in SVG path data: at most two decimals, no zeros at the end.
std::string coordinate(double value);

}  // namespace knockout::report
