// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/number_multiples.h"

#include <array>

namespace knockout {
namespace {

struct Multiple {
  std::string_view letters;
  int power = 0;
};
constexpr std::array<Multiple, 31> kMultiples = {
    {{"K", 3},     {"k", 3},        {"M", 6},       {"m", 6},       {"mn", 6},   {"Mn", 6},
     {"Mio", 6},   {"mln", 6},      {"Mio.", 6},    {"B", 9},       {"b", 9},    {"bn", 9},
     {"Bn", 9},    {"Mrd", 9},      {"Mrd.", 9},    {"T", 12},      {"tn", 12},  {"Tsd", 3},
     {"Tsd.", 3},  {"thousand", 3}, {"million", 6}, {"billion", 9}, {"lakh", 5}, {"Lakh", 5},
     {"Lakhs", 5}, {"Lac", 5},      {"lac", 5},     {"Cr", 7},      {"Cr.", 7},  {"crore", 7},
     {"Crore", 7}}};

}  // namespace

int power_of_multiple(std::string_view suffix) {
  for (const Multiple& multiple : kMultiples) {
    if (multiple.letters == suffix) return multiple.power;
  }
  return 0;
}

bool is_doubtful_multiple(std::string_view suffix) {
  return suffix == "m" || suffix == "b" || suffix == "T";
}

}  // namespace knockout
