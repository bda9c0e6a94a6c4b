// SPDX-License-Identifier: Apache-2.0
// What the name of a column says about its values. Names are in English, German, French, Spanish
// or Italian; in any other language they say nothing.
#pragma once

#include <string_view>

namespace knockout {

/// The values name rows: id, patient_id, recordId, uuid, key.
bool name_says_identifier(std::string_view name);

/// The values name what the rows are about, which may have several rows, such as a patient with a
/// row per visit: id, record_id, patient_id, "Subject ID".
bool name_says_subject_id(std::string_view name);

/// The same for the name alone, without a word such as "id": subject, patient.
bool name_says_subject(std::string_view name);

/// The values are keys of another table: customer_id, shopId, "Site ID".
bool name_says_key(std::string_view name);

/// The values are numbers that nobody adds up: zip, postcode, fips, icd9, phone_number, area_code,
/// store_nbr, Kundennummer.
bool name_says_code(std::string_view name);

/// The values are versions, of which 1.10 is not 1.1: version, app_version, firmware.
bool name_says_version(std::string_view name);

/// The values are times or ages: hour, elapsed_s, t_s, week_number, age, year.
bool name_says_time(std::string_view name);

}  // namespace knockout
