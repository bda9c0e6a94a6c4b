// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "knockout/base/ascii.h"
#include "knockout/base/atomic_file.h"
#include "knockout/report/document.h"

namespace knockout::report {

std::string json_path_of(const std::string& report_path) {
  for (const std::string_view ending : {".html", ".htm"}) {
    if (report_path.size() <= ending.size()) continue;
    const std::size_t stem = report_path.size() - ending.size();
    const bool matches =
        std::equal(ending.begin(), ending.end(), report_path.begin() + stem,
                   [](char wanted, char found) { return wanted == ascii_lower(found); });
    if (matches && report_path[stem - 1] != '/') return report_path.substr(0, stem) + ".json";
  }
  return report_path + ".json";
}

void write_report(const Document& document, const nlohmann::ordered_json& data,
                  const std::string& path) {
  // Both are written in full before either takes its name.
  AtomicFile page(path);
  AtomicFile numbers(json_path_of(path));
  page.write(to_html(document));
  numbers.write(data.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  numbers.write("\n");
  numbers.commit();
  page.commit();
}

}  // namespace knockout::report
