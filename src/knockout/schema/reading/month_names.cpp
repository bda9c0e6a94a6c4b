// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/month_names.h"

#include <string>
#include <unordered_map>
#include <unordered_set>

namespace knockout {
namespace {

constexpr std::size_t kLongestName = 16;

/// With the capitals of Latin-1 (É, Ä, Û), which are two bytes in UTF-8.
std::string lower_latin(std::string_view word) {
  std::string lower(word);
  for (std::size_t i = 0; i < lower.size(); ++i) {
    const auto byte = static_cast<unsigned char>(lower[i]);
    const bool after_c3 = i > 0 && static_cast<unsigned char>(lower[i - 1]) == 0xC3;
    const bool capital = (byte >= 'A' && byte <= 'Z') || (after_c3 && byte >= 0x80 && byte <= 0x9E);
    if (capital) lower[i] = static_cast<char>(byte + 0x20);
  }
  return lower;
}

const std::unordered_map<std::string, int>& months() {
  static const std::unordered_map<std::string, int> names = {
      {"january", 1},   {"jan", 1},       {"januar", 1},     {"jänner", 1},    {"jän", 1},
      {"janvier", 1},   {"janv", 1},      {"enero", 1},      {"ene", 1},       {"gennaio", 1},
      {"gen", 1},       {"januari", 1},   {"february", 2},   {"feb", 2},       {"februar", 2},
      {"februari", 2},  {"février", 2},   {"fevrier", 2},    {"févr", 2},      {"fevr", 2},
      {"fév", 2},       {"fev", 2},       {"febrero", 2},    {"febbraio", 2},  {"march", 3},
      {"mar", 3},       {"märz", 3},      {"maerz", 3},      {"marz", 3},      {"mär", 3},
      {"mrz", 3},       {"mars", 3},      {"marzo", 3},      {"maart", 3},     {"mrt", 3},
      {"april", 4},     {"apr", 4},       {"avril", 4},      {"avr", 4},       {"abril", 4},
      {"abr", 4},       {"aprile", 4},    {"may", 5},        {"mai", 5},       {"mayo", 5},
      {"maggio", 5},    {"mag", 5},       {"mei", 5},        {"june", 6},      {"jun", 6},
      {"juni", 6},      {"juin", 6},      {"junio", 6},      {"giugno", 6},    {"giu", 6},
      {"july", 7},      {"jul", 7},       {"juli", 7},       {"juillet", 7},   {"juil", 7},
      {"julio", 7},     {"luglio", 7},    {"lug", 7},        {"august", 8},    {"aug", 8},
      {"août", 8},      {"aout", 8},      {"agosto", 8},     {"ago", 8},       {"augustus", 8},
      {"september", 9}, {"sep", 9},       {"sept", 9},       {"septembre", 9}, {"septiembre", 9},
      {"setiembre", 9}, {"settembre", 9}, {"set", 9},        {"october", 10},  {"oct", 10},
      {"oktober", 10},  {"okt", 10},      {"octobre", 10},   {"octubre", 10},  {"ottobre", 10},
      {"ott", 10},      {"november", 11}, {"nov", 11},       {"novembre", 11}, {"noviembre", 11},
      {"december", 12}, {"dec", 12},      {"dezember", 12},  {"dez", 12},      {"décembre", 12},
      {"decembre", 12}, {"déc", 12},      {"diciembre", 12}, {"dic", 12},      {"dicembre", 12}};
  return names;
}

}  // namespace

int month_of_name(std::string_view word) {
  if (word.size() < 3 || word.size() > kLongestName) return 0;
  const auto found = months().find(lower_latin(word));
  return found == months().end() ? 0 : found->second;
}

bool is_weekday(std::string_view word) {
  static const std::unordered_set<std::string> days = {
      "monday", "mon",     "tuesday", "tue",      "tues", "wednesday", "wed", "thursday",
      "thu",    "thur",    "thurs",   "friday",   "fri",  "saturday",  "sat", "sunday",
      "sun",    "montag",  "mo",      "dienstag", "di",   "mittwoch",  "mi",  "donnerstag",
      "do",     "freitag", "fr",      "samstag",  "sa",   "sonntag",   "so"};
  return word.size() >= 2 && word.size() <= kLongestName && days.contains(lower_latin(word));
}

}  // namespace knockout
