// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/column_names.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace knockout {
namespace {

using NameList = std::vector<std::string_view>;

void expect_of_each(bool (*says)(std::string_view), const NameList& yes, const NameList& no) {
  for (const std::string_view name : yes) EXPECT_TRUE(says(name)) << name;
  for (const std::string_view name : no) EXPECT_FALSE(says(name)) << name;
}

TEST(ColumnNames, TellIdentifiers) {
  expect_of_each(name_says_identifier,
                 {"id", "ID", "patient_id", "PatientID", "recordId", "uuid", "key", "Subject",
                  "patient number", "id_visit", "Nr.", "index", "row_index"},
                 {"age", "paid", "number_of_children", "subject_age", "width", "keyboard", "", "x1",
                  "idea", "air_quality_index"});
}

TEST(ColumnNames, TellWhatRowsAreAbout) {
  expect_of_each(name_says_subject_id,
                 {"id", "record_id", "Patient ID", "subjectId", "patient_number", "id_patient",
                  "participant_no", "MRN"},
                 {"customer_id", "shop_id", "patient", "patient_age", "number_of_patients", ""});
  expect_of_each(name_says_subject, {"subject", "Patient", "participant"},
                 {"patients", "subject_age", "record", "id", ""});
}

TEST(ColumnNames, TellKeysOfOtherTables) {
  expect_of_each(name_says_key, {"customer_id", "shopId", "Site ID", "id_shop", "device_uuid"},
                 {"id", "paid", "covid", "valid", "key", ""});
}

TEST(ColumnNames, TellCodes) {
  expect_of_each(
      name_says_code,
      {"zip",       "ZIP code",   "zip5",         "postcode",     "PLZ",       "code_postal",
       "cap",       "fips",       "icd9",         "ICD-10 code",  "phone",     "phone_number",
       "area_code", "ean",        "home_phone",   "cpt",          "SNOMED",    "sic_code",
       "store_nbr", "nhs_number", "Kundennummer", "Filialnummer", "ArtikelNr", "cod_produto",
       "cep",       "matricule",  "customer_no"},
      {"market_cap", "zip_distance", "phone_calls", "lines_of_code", "code", "number_of_phones",
       "postponed", "stock", "house_number", "", "Hausnummer", "COD_mg", "room_no",
       "number_of_stores", "encode", "summer", "store_size", "order", "basic"});
}

TEST(ColumnNames, TellTimes) {
  expect_of_each(
      name_says_time,
      {"hour", "Minute", "elapsed_s", "t_s", "t", "time", "week", "week_number", "age", "year",
       "days_since_surgery", "month_nr", "duration_min"},
      {"time_id", "page", "stage", "timer_id", "message", "temperature", "daylight", ""});
}

}  // namespace
}  // namespace knockout
