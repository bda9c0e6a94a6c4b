// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/column_names.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

namespace knockout {
namespace {

using Tokens = std::vector<std::string>;

bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
bool is_small(char c) { return c >= 'a' && c <= 'z'; }

/// Words of a name in lower case: "patientID" and "patient_id" are "patient", "id".
Tokens tokens_of(std::string_view name) {
  Tokens tokens;
  bool in_token = false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!is_capital(c) && !is_small(c)) {
      in_token = false;
      continue;
    }
    const bool hump = is_capital(c) && i > 0 && is_small(name[i - 1]);
    if (!in_token || hump) tokens.emplace_back();
    in_token = true;
    tokens.back() += is_capital(c) ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return tokens;
}

bool is_one_of(std::string_view token, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), token) != list.end();
}

bool is_id(std::string_view token) {
  return is_one_of(token, {"id", "ids", "uuid", "guid", "identifier"});
}

/// Words that turn the one before them into a name of something: patient_number.
bool says_number(std::string_view token) {
  return is_one_of(token, {"nr", "no", "nbr", "num", "number", "nummer", "numero", "code", "key"});
}

/// German writes it in one word: Kundennummer, Artikelnr. A house number is a place on a line.
bool has_number_inside(std::string_view token) {
  if (token.starts_with("haus")) return false;
  return (token.size() > 8 && token.ends_with("nummer")) ||
         (token.size() > 5 && token.ends_with("nr"));
}

/// Things of which a table names one per row: store_nbr, customer_no.
bool is_named_thing(std::string_view token) {
  return is_one_of(
      token,
      {"store",    "shop",     "branch",   "filiale",    "customer",     "client",   "kunde",
       "kunden",   "account",  "konto",    "supplier",   "vendor",       "product",  "item",
       "article",  "artikel",  "material", "order",      "invoice",      "policy",   "contract",
       "employee", "staff",    "dept",     "department", "station",      "terminal", "county",
       "district", "region",   "state",    "country",    "municipality", "produit",  "produto",
       "producto", "prodotto", "cliente",  "nhs"});
}

bool is_subject(std::string_view token) {
  return is_one_of(token, {"subject", "patient", "participant", "respondent", "proband"});
}

bool is_code_word(std::string_view token) {
  return is_one_of(
      token, {"zip",   "zipcode",   "postcode", "postalcode", "plz",   "postleitzahl", "cap",
              "fips",  "icd",       "naics",    "siret",      "ean",   "gtin",         "upc",
              "isbn",  "barcode",   "sku",      "phone",      "tel",   "telephone",    "telefon",
              "fax",   "handy",     "telefono", "telefone",   "npi",   "postal",       "postale",
              "iban",  "imei",      "ssn",      "cpt",        "hcpcs", "snomed",       "loinc",
              "sic",   "ndc",       "nhs",      "cep",        "cnpj",  "cpf",          "siren",
              "insee", "matricule", "cusip",    "sedol",      "geoid", "cbsa"});
}

bool is_time_word(std::string_view token) {
  return is_one_of(
      token, {"hour",   "hours",   "hr",     "hrs",     "minute",   "minutes", "min",     "mins",
              "second", "seconds", "sec",    "secs",    "ms",       "msec",    "elapsed", "time",
              "week",   "weeks",   "wk",     "month",   "months",   "day",     "days",    "doy",
              "age",    "ages",    "year",   "years",   "yr",       "yrs",     "quarter", "decade",
              "date",   "since",   "epoch",  "epochs",  "duration", "stunde",  "sekunde", "zeit",
              "woche",  "monat",   "tag",    "tage",    "jahr",     "jahre",   "alter",   "heure",
              "jour",   "jours",   "mois",   "semaine", "annee",    "temps",   "hora",    "dia",
              "dias",   "mes",     "semana", "edad",    "ora",      "giorno",  "mese",    "anno",
              "tempo"});
}

}  // namespace

bool name_says_identifier(std::string_view name) {
  const Tokens tokens = tokens_of(name);
  if (tokens.empty()) return false;
  const std::string& last = tokens.back();
  if (is_id(last) || tokens.front() == "id") return true;
  // An air_quality_index is measured.
  if (last == "index") return tokens.size() == 1 || tokens.front() == "row";
  return is_one_of(last, {"key", "nr", "number", "record", "subject", "patient", "mrn", "rowid"});
}

bool name_says_subject_id(std::string_view name) {
  Tokens tokens = tokens_of(name);
  if (tokens.size() == 1) return is_one_of(tokens[0], {"id", "mrn"});
  if (tokens.size() != 2) return false;
  if (tokens[0] == "id") std::swap(tokens[0], tokens[1]);
  const bool about = is_subject(tokens[0]) ||
                     is_one_of(tokens[0], {"record", "person", "case", "study", "individual"});
  return about && (is_id(tokens[1]) || says_number(tokens[1]));
}

bool name_says_subject(std::string_view name) {
  const Tokens tokens = tokens_of(name);
  return tokens.size() == 1 && is_subject(tokens[0]);
}

bool name_says_key(std::string_view name) {
  const Tokens tokens = tokens_of(name);
  return tokens.size() >= 2 && (is_id(tokens.back()) || tokens.front() == "id");
}

bool name_says_code(std::string_view name) {
  Tokens tokens = tokens_of(name);
  if (tokens.empty()) return false;
  if (is_one_of(tokens.front(), {"code", "cod", "codigo", "codice"})) {
    // COD is also what water is tested for.
    return tokens.size() == 2 && !is_one_of(tokens.back(), {"mg", "mgl", "in", "out", "load"});
  }
  if (tokens.back() == "code") {
    return tokens.size() >= 2 && tokens[tokens.size() - 2] != "of";  // lines_of_code are counted
  }
  if (has_number_inside(tokens.back())) return true;
  if (tokens.size() >= 2 && says_number(tokens.back())) {
    tokens.pop_back();
    if (tokens.size() == 1 && is_named_thing(tokens.back())) return true;
  }
  if (tokens.back() == "cap") return tokens.size() == 1;  // a market_cap is an amount
  return is_code_word(tokens.back());
}

bool name_says_version(std::string_view name) {
  const Tokens tokens = tokens_of(name);
  return !tokens.empty() &&
         (tokens.back() == "version" || tokens.front() == "version" || tokens.back() == "firmware");
}

bool name_says_time(std::string_view name) {
  const Tokens tokens = tokens_of(name);
  if (tokens.empty() || is_id(tokens.back())) return false;
  if (tokens.front() == "t" && tokens.size() <= 2) return true;  // t, t_s
  return std::any_of(tokens.begin(), tokens.end(), is_time_word);
}

}  // namespace knockout
