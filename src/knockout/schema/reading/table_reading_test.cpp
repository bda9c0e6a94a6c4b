// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/table_reading.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "knockout/base/error.h"
#include "knockout/schema/reading/test_word_columns.h"
#include "knockout/schema/test_columns.h"

namespace knockout {
namespace {

using test::any_contains;
using test::contains;
using test::kGap;
using test::many;
using test::message_of;
using test::numbers;
using test::words;
using Cells = std::vector<std::string>;
using Names = std::vector<std::string>;

/// A table as it was read, and what was said about it.
struct ReadTable {
  Table table;
  std::vector<Note> notes;
  TableReading reading;

  std::string codes_of(const std::string& column) const {
    std::string codes;
    for (const Note& note : notes) {
      if (note.column == column) codes += (codes.empty() ? "" : " ") + note.code;
    }
    return codes;
  }
};

ReadTable read(std::vector<Column> columns, const ReadingOptions& options = {}) {
  ReadTable result;
  const Table table(std::move(columns), "d.csv");
  result.reading = TableReading::learn(table, options, result.notes);
  result.table = result.reading.apply(table, result.notes);
  return result;
}

/// "1 2.5 . ! < >": gaps are points, gaps for a reason exclamation marks, limits have their sides.
std::string cells_of(const Table& table, const std::string& name) {
  const Column& column = table.at(name);
  std::string text;
  for (std::size_t row = 0; row < column.size(); ++row) {
    if (row > 0) text += ' ';
    if (!column.observed(row)) {
      text += " .!<>"[static_cast<std::size_t>(column.state(row))];
      continue;
    }
    text += column.is_text() ? column.word(row) : fmt::format("{}", column.number(row));
  }
  return text;
}

struct ReadingCase {
  Cells cells;
  std::string expected;
  std::string codes;  ///< Of the notes.
};

TEST(TableReading, ReadsColumnsAsAnExpertWould) {
  const std::vector<ReadingCase> cases = {
      {{"1", "2", "n/k", "4", "5.5"}, "1 2 . 4 5.5", "stray_words"},
      {{"1", "2", "None", "4"}, "1 2 . 4", ""},
      {{"1,234", "950", "", "2,000.5"}, "1234 950 . 2000.5", "number_format"},
      {{"12 %", "8 %", "-", "3%"}, "12 8 . 3", "number_format stray_words"},
      {{"<0.5", "0.7", "1.2", "2.5", "<LOD"}, "< 0.7 1.2 2.5 <", "detection_limit"},
      {{"<2", "3", "7.5", ">8", "5", "BLQ"}, "< 3 7.5 > 5 <", "detection_limit"},
      {{"(5)", "7", "9"}, "-5 7 9", "number_format"},
      {{"14:30", "09:00", ""}, "14.5 9 .", "number_format"},
      {{"−5", "7", "9"}, "-5 7 9", "number_format"},
      {{"03484", "12345", "03484"}, "03484 12345 03484", "code"},
      {{"red", "-", "blue", "n.a."}, "red . blue .", "stray_words"},
      {{"+", "-", "++", "-"}, "+ - ++ -", ""},
      {{"red", "unknown", "none"}, "red unknown none", ""},
      {{"red", "None", "blue"}, "red . blue", "none_is_missing"},
      {{"-", "-", ""}, "- - .", ""},
      {{"12/31/2020", "1/5/2020", ""}, "2020-12-31 2020-01-05 .", "date_format"},
      {{"1/5/2020", "2/6/2020"}, "2020-01-05 2020-02-06", "ambiguous_date"},
      {{"5.1.2020", "6.2.2020"}, "2020-01-05 2020-02-06", "ambiguous_date"},
      {{"2020-01-05", "2020-01-06", "?"}, "2020-01-05 2020-01-06 .", ""},
      {{"2020-01-05", "2020-01-06", "n/k", "2020-03-05"},
       "2020-01-05 2020-01-06 . 2020-03-05",
       "stray_words"},
      {{"2020-12", "2021-01"}, "2020-12-01 2021-01-01", "date_format"},
      {{"12", "12a", "12b", "14"}, "12 12a 12b 14", ""},
      {{"120/80", "130/85"}, "120/80 130/85", ""},
      {{"E11.9", "I10"}, "E11.9 I10", ""},
      {{"1", "2", "3", "4", "5", "-999", "-999"}, "1 2 3 4 5 -999 -999", "sentinel"},
  };
  for (const ReadingCase& c : cases) {
    const ReadTable result = read({words("x", c.cells)});
    EXPECT_EQ(cells_of(result.table, "x"), c.expected) << c.cells[0] << " " << c.cells[1];
    EXPECT_EQ(result.codes_of("x"), c.codes) << c.cells[0] << " " << c.cells[1];
  }
}

TEST(TableReading, TakesACellOfBlanksAsAGapInLearningAndReadingAlike) {
  const ReadTable read_table = read({words("x", {"5", "51", " 11", "81", " 11", " "}),
                                     words("city", {"Bonn", "Bonn ", " ", "Rom", "Rom", "Rom"})});
  EXPECT_EQ(cells_of(read_table.table, "x"), "5 51 11 81 11 .");
  EXPECT_EQ(cells_of(read_table.table, "city"), "Bonn Bonn . Rom Rom Rom");
  EXPECT_TRUE(read_table.notes.empty());
}

TEST(TableReading, TellsADecimalCommaOnce) {
  const ReadTable result = read({words("a", {"1,5", "2,75"}), words("b", {"0,5", "7,1"})});
  EXPECT_EQ(cells_of(result.table, "b"), "0.5 7.1");
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_EQ(result.notes[0].code, "decimal_comma");
  EXPECT_EQ(result.notes[0].column, "");
}

TEST(TableReading, NamesColumnExampleCountAndFix) {
  const ReadTable result = read(
      {words("age", {"1", "2", "n/k", "4", "5.5"}), words("fee", {"$1,200", "$30", "", "", ""})});
  EXPECT_EQ(result.notes[0].text,
            "\"age\" holds numbers but for \"n/k\" (1 cell), which is taken as missing. If the "
            "column holds categories:  `categorical = age`");
  EXPECT_EQ(result.notes[1].text,
            "\"fee\" is read as numbers with commas between thousands, the currency $: \"$1,200\" "
            "is 1200. If it holds names:  `categorical = fee`");
}

TEST(TableReading, ObeysWhatIsSaid) {
  const Cells clothed = {"1,234", "950", "7"};
  EXPECT_EQ(cells_of(read({words("x", clothed)}, {.text_columns = {"x"}}).table, "x"),
            "1,234 950 7");
  EXPECT_EQ(cells_of(read({words("x", {"03", "04"})}, {.number_columns = {"x"}}).table, "x"),
            "3 4");
  EXPECT_EQ(
      cells_of(
          read({words("d", {"1/5/2020", "2/6/2020"})}, {.date_order = DateOrder::kDayFirst}).table,
          "d"),
      "2020-05-01 2020-06-02");
  EXPECT_TRUE(read({words("x", clothed)}, {.ignored_columns = {"x"}}).notes.empty());
  EXPECT_EQ(
      cells_of(read({words("x", {"red", "-", "None"})}, {.only_missing_words = {"gone"}}).table,
               "x"),
      "red - None");
}

TEST(TableReading, TakesSaidWordsAsGapsWhateverTheColumnHolds) {
  const ReadingOptions options{.missing_words = {"-999", "gone"}, .reason_words = {"-1", "low"}};
  const ReadTable result = read(
      {numbers("n", {1, -999, -1, 7}), words("w", {"gone", "low", "a", "-999.0"}),
       words("c", {"1 kg", "-999 kg", "low", "3 kg"}), words("z", {"-0999", "a", "b", "gone"})},
      options);
  EXPECT_EQ(cells_of(result.table, "n"), "1 . ! 7");
  EXPECT_EQ(cells_of(result.table, "w"), ". ! a .");
  EXPECT_EQ(cells_of(result.table, "c"), "1 . ! 3");
  EXPECT_EQ(cells_of(result.table, "z"), "-0999 a b .");
  EXPECT_FALSE(any_contains(result.notes, "far from"));
}

TEST(TableReading, PointsAtSentinelsUntilTheyAreSaid) {
  const Column column = numbers("n", {1, 2, 3, 4, -999, -999});
  EXPECT_EQ(read({column}).codes_of("n"), "sentinel");
  EXPECT_TRUE(any_contains(read({column}).notes, "`missing_in = n=-999`"));
  EXPECT_EQ(cells_of(read({column}).table, "n"), "1 2 3 4 -999 -999");
  EXPECT_TRUE(read({column}, {.missing_words = {"-999.0"}}).notes.empty());
}

TEST(TableReading, TakesWordsAsGapsInTheColumnsOfWhichTheyAreSaid) {
  const ReadingOptions options{.missing_words = {"gone"}, .missing_in = {{"age*", {"99", "?!"}}}};
  const std::vector<Column> columns = {numbers("age", {1, 99, 5}), numbers("weight", {70, 99, 80}),
                                       words("ages", {"?!", "gone", "7"})};
  const ReadTable result = read(columns, options);
  EXPECT_EQ(cells_of(result.table, "age"), "1 . 5");
  EXPECT_EQ(cells_of(result.table, "weight"), "70 99 80");
  EXPECT_EQ(cells_of(result.table, "ages"), ". . 7");
  // And in every later table, from the file too.
  std::vector<Note> notes;
  const TableReading copy = TableReading::from_json(result.reading.to_json());
  const Table later({numbers("age", {99, 2}), numbers("weight", {99, 2})}, "later.csv");
  EXPECT_EQ(cells_of(copy.apply(later, notes), "age"), ". 2");
  EXPECT_EQ(cells_of(copy.apply(later, notes), "weight"), "99 2");
  EXPECT_THROW(read(columns, {.missing_in = {{"agee", {"99"}}}}), ConfigError);
  EXPECT_THROW(read(columns, {.missing_words = {"age=99"}}), ConfigError);
}

TEST(TableReading, KeepsNoneAsAClassOfATargetOfWords) {
  const Column species = words("y", {"None", "cat", "dog"});
  EXPECT_EQ(cells_of(read({species}, {.target_columns = {"y"}}).table, "y"), "None cat dog");
  EXPECT_EQ(cells_of(read({words("y", {"None", "1", "2"})}, {.target_columns = {"y"}}).table, "y"),
            ". 1 2");
}

TEST(TableReading, AsksOtherColumnsForTheOrderOfDates) {
  const ReadTable slashes =
      read({words("a", {"1/5/2020", "2/6/2020"}), words("b", {"31/12/2020", "1/2/2020"})});
  EXPECT_EQ(cells_of(slashes.table, "a"), "2020-05-01 2020-06-02");
  EXPECT_EQ(slashes.codes_of("a"), "date_format");
  const ReadTable other_mark =
      read({words("a", {"1/5/2020", "2/6/2020"}), words("b", {"31.12.2020", "1.2.2020"})});
  EXPECT_EQ(cells_of(other_mark.table, "a"), "2020-01-05 2020-02-06");
  EXPECT_EQ(other_mark.codes_of("a"), "ambiguous_date");
}

TEST(TableReading, AsksOtherColumnsOfAWideTableToo) {
  // The last column alone tells that the month comes first.
  constexpr std::size_t kColumns = 20'000;
  std::vector<Column> columns;
  for (std::size_t i = 0; i + 1 < kColumns; ++i) {
    columns.push_back(words("day_" + std::to_string(i), {"01/02/2003", "03/04/2005"}));
  }
  columns.push_back(words("last", {"01/31/2003", "03/04/2005"}));
  ReadingOptions options;
  for (std::size_t i = 0; i < kColumns / 2; ++i) {
    options.text_columns.push_back("day_" + std::to_string(i));
  }
  std::vector<Note> notes;
  Table table(std::move(columns), "d.csv");
  const TableReading reading = TableReading::learn(table, options, notes);
  table = reading.apply(std::move(table), notes);
  EXPECT_EQ(table.column(0).word(0), "01/02/2003");  // said to be words
  EXPECT_EQ(table.column(kColumns / 2 - 1).word(0), "01/02/2003");
  EXPECT_EQ(table.column(kColumns / 2).word(0), "2003-01-02");
  EXPECT_EQ(table.column(kColumns - 1).word(1), "2005-03-04");
}

TEST(TableReading, ReadsNumbersThatAreDates) {
  const ReadTable result =
      read({numbers("created_at", {1e9, kGap, 1.1e9}), numbers("year", {2001, 2002, 2003})});
  EXPECT_EQ(cells_of(result.table, "created_at"), "2001-09-09T01:46:40 . 2004-11-09T11:33:20");
  EXPECT_EQ(cells_of(result.table, "year"), "2001 2002 2003");
  EXPECT_EQ(result.codes_of("created_at"), "date_format");
}

TEST(TableReading, TakesNumbersThatAreNoDatesAmongDatesAsStrays) {
  std::vector<double> days(20, 20200131);
  days[3] = 20191231;
  days[7] = 0;
  const ReadTable result = read({numbers("visit_date", days)});
  EXPECT_EQ(result.codes_of("visit_date"), "date_format stray_words");
  EXPECT_EQ(result.table.at("visit_date").state(7), CellState::kMissing);
  EXPECT_EQ(result.table.at("visit_date").word(3), "2019-12-31");
}

TEST(TableReading, TravelsAndReadsNewRowsAlike) {
  const ReadTable trained = read(
      {words("price", {"1.234 €", "12,5 €", "n/k", "7 €", "9 €", "2 €", "n/k"}),
       words("day", {"13.1.2020", "", "2.3.2020", "unbekannt", "1.1.2020", "", ""}),
       numbers("age", {1, 2, 3, -999, 5, 6, 7}), words("kind", {"a", "-", "b", "a", "b", "a", "a"}),
       numbers("n", {1, 2, 3, 4, 5, 6, 7})},
      {.missing_words = {"-999"}, .reason_words = {"<LOD"}, .decimal_mark = ','});
  const nlohmann::json json = trained.reading.to_json();
  const TableReading loaded = TableReading::from_json(nlohmann::json::parse(json.dump()));
  EXPECT_EQ(loaded, trained.reading);
  EXPECT_EQ(loaded.columns_of_words(), (Names{"price", "day", "kind"}));

  std::vector<Note> notes;
  const Table fresh = loaded.apply(
      Table({words("day", {"4.5.2021", "soon", "."}), words("price", {"1.234", "<0,5 €", "cheap"}),
             words("age", {"-999.0", "<LOD", "12"}), words("kind", {"-", "c", "a"}),
             words("extra", {"-999", "-", "x"})},
            "new.csv"),
      notes);
  EXPECT_EQ(cells_of(fresh, "day"), "2021-05-04 . .");
  EXPECT_EQ(cells_of(fresh, "price"), "1234 < .");
  EXPECT_EQ(cells_of(fresh, "age"), ". < 12");
  EXPECT_EQ(cells_of(fresh, "kind"), ". c a");
  EXPECT_EQ(cells_of(fresh, "extra"), ". - x");
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_EQ(notes[0].code, "unreadable");
  EXPECT_EQ(notes[0].text,
            "\"day\": \"soon\" (1 cell) cannot be read as dates and is taken as missing.");
  EXPECT_EQ(notes[1].column, "price");
}

TEST(TableReading, ReadsPlainNumbersOfANewFileWithAnotherDecimalMark) {
  const std::vector<double> seen = {1.5, 2.5, 3.25};
  const Column fresh = words("x", {"1,5", "7", "1,234", "1.234", "2.5", "oops"});
  const auto cells_after = [&](const ReadingOptions& options) {
    std::vector<Note> notes;
    const Table trained({numbers("x", seen)});
    return cells_of(TableReading::learn(trained, options, notes).apply(Table({fresh}), notes), "x");
  };
  EXPECT_EQ(cells_after({}), "1.5 7 . 1.234 2.5 .");
  EXPECT_EQ(cells_after({.decimal_mark = ','}), "1.5 7 1.234 . 2.5 .");
}

TEST(TableReading, NamesTheCellThatItCannotReadWhenStrict) {
  const ReadTable trained = read({numbers("age", {1, 2, 3.5})});
  std::vector<Note> notes;
  const auto apply = [&] {
    trained.reading.apply(Table({words("age", {"1", "n/a", "old", "old"})}, "new.csv"), notes,
                          true);
  };
  const std::string message = message_of<DataError>(apply);
  EXPECT_TRUE(contains(message, "new.csv:4, column \"age\": cannot read \"old\"")) << message;
}

TEST(TableReading, ChangesNothingWhenAppliedAgain) {
  const ReadTable once =
      read({words("a", {"1,234", "<5", "n/k", "7", "8", "9"}),
            words("d", {"13/1/2020", "1/2/2020", "", "", "", ""}),
            words("w", {"a", "-", "None", "b", "b", "b"}),
            numbers("date", {20200101, 20200102, 20200103, 20200104, 20200105, 20200106})});
  std::vector<Note> notes;
  const Table twice = once.reading.apply(once.table, notes);
  for (const char* const name : {"a", "d", "w", "date"}) {
    EXPECT_EQ(cells_of(twice, name), cells_of(once.table, name)) << name;
  }
  EXPECT_TRUE(notes.empty());
}

TEST(TableReading, IgnoresWordsOfRowsThatWereSplitOff) {
  const Table part = Table({words("x", {"1", "2.5", "zzz", "yyy", "vvv"})}).take_rows({0, 1});
  std::vector<Note> notes;
  const TableReading reading = TableReading::learn(part, {}, notes);
  EXPECT_EQ(cells_of(reading.apply(part, notes), "x"), "1 2.5");
  EXPECT_TRUE(notes.empty());
}

TEST(TableReading, BelievesNoFile) {
  const nlohmann::json json =
      read({words("x", {"1,234", "950"}), numbers("n", {1, 2})}).reading.to_json();
  const auto refused = [](const nlohmann::json& bad) {
    return !message_of<ModelFileError>([&] { TableReading::from_json(bad); }).empty();
  };
  EXPECT_FALSE(refused(json));
  EXPECT_TRUE(refused(nullptr));
  EXPECT_TRUE(refused(nlohmann::json::array()));
  for (const auto& item : json.items()) {
    nlohmann::json bad = json;
    bad[item.key()] = 7;
    EXPECT_TRUE(refused(bad)) << item.key();
    bad.erase(item.key());
    EXPECT_TRUE(refused(bad)) << item.key();
  }
  nlohmann::json bad = json;
  bad["columns"].push_back("x");
  EXPECT_TRUE(refused(bad));
  bad = json;
  bad["plain_numbers"].push_back("y");
  EXPECT_TRUE(refused(bad));
  for (const char* const key : {"column", "form", "numbers", "dates", "gap_words", "codes"}) {
    bad = json;
    bad["special"][0][key] = 3;
    EXPECT_TRUE(refused(bad)) << key;
  }
}

TEST(TableReading, IsQuickOnAMillionDifferentWords) {
  std::vector<Column> columns;
  columns.push_back(
      words("w", many(1000000, [](int i) { return fmt::format("item {} of us", i); })));
  const Table table(std::move(columns));
  std::vector<Note> notes;
  const auto start = std::chrono::steady_clock::now();
  const TableReading reading = TableReading::learn(table, {}, notes);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  EXPECT_LT(taken.count(), 2.0);  // a tenth of a second, but machines are busy
  EXPECT_TRUE(notes.empty());
  EXPECT_EQ(reading.columns()[0].form, ColumnReading::Form::kWords);
}

TEST(ReadingOptions, GiveFilesTheirGapWords) {
  const auto has = [](const Names& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const Names usual = missing_words_of_files({.missing_words = {"gone"}});
  EXPECT_TRUE(has(usual, "NA") && has(usual, "gone"));
  EXPECT_FALSE(has(usual, "None"));
  EXPECT_EQ(missing_words_of_files({.only_missing_words = {"gone"}}), Names{"gone"});
}

}  // namespace
}  // namespace knockout
