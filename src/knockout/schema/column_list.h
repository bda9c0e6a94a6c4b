// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace knockout {

/// Takes apart lists of column names as people write them on a command line: "age,bmi" is two
/// names, blanks around a name do not count. A list that is itself the name of a column ("income,
/// yearly") is that column and is not taken apart.
///   split_column_list({"age,bmi", "income, yearly"}, table.names())
std::vector<std::string> split_column_list(const std::vector<std::string>& lists,
                                           const std::vector<std::string>& names);

/// The same for lists of assignments: "age=0:120,bmi=10:60" is two. A comma separates only after an
/// "=", so that "height,weight=0.8" stays whole.
std::vector<std::string> split_assignments(const std::vector<std::string>& lists);

}  // namespace knockout
