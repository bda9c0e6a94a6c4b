// SPDX-License-Identifier: Apache-2.0
#include "knockout/report/markup.h"

#include <fmt/format.h>

#include <cmath>

#include "knockout/report/text.h"

namespace knockout::report {

std::string coordinate(double value) {
  const double rounded = std::round(100 * value) / 100;
  return fmt::format("{}", rounded == 0 ? 0.0 : rounded);  // no "-0"
}

Attribute::Attribute(std::string_view name, double value) : name(name), value(coordinate(value)) {}

Markup::Open::~Open() {
  if (page_ == nullptr) return;
  page_->out_ += "</";
  page_->out_ += tag_;
  page_->out_ += '>';
}

void Markup::start(std::string_view tag, Attributes attributes) {
  out_ += '<';
  out_ += tag;
  for (const Attribute& attribute : attributes) {
    out_ += ' ';
    out_ += attribute.name;
    out_ += "=\"";
    out_ += escape(attribute.value);
    out_ += '"';
  }
}

Markup::Open Markup::open(std::string_view tag, Attributes attributes) {
  start(tag, attributes);
  out_ += '>';
  return {*this, tag};
}

void Markup::element(std::string_view tag, Attributes attributes, std::string_view text) {
  const auto element = open(tag, attributes);
  this->text(text);
}

void Markup::empty(std::string_view tag, Attributes attributes) {
  start(tag, attributes);
  out_ += "/>";
}

void Markup::text(std::string_view text) { out_ += escape(text); }

}  // namespace knockout::report
