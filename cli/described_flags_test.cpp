// SPDX-License-Identifier: Apache-2.0
#include "cli/described_flags.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "cli/option_page.h"
#include "cli/verb.h"
#include "knockout/base/option_json.h"

namespace knockout::cli {
namespace {

template <typename Options>
Options typed(const std::vector<std::string>& words) {
  CLI::App app;
  DescribedFlags<Options> flags;
  flags.add(app);
  std::vector<std::string> reversed(words.rbegin(), words.rend());  // as the parser wants them
  app.parse(reversed);
  return flags.read();
}

TEST(DescribedFlags, ReadTheDefaultsWhenNothingIsTyped) {
  EXPECT_EQ(learned_options_to_json(typed<TrainOptions>({})),
            learned_options_to_json(TrainOptions{}));
  EXPECT_EQ(learned_options_to_json(typed<KnockoutOptions>({})),
            learned_options_to_json(KnockoutOptions{}));
  EXPECT_EQ(learned_options_to_json(typed<EncodeOptions>({})),
            learned_options_to_json(EncodeOptions{}));
}

/// A text for an option of each type that is not its default.
template <typename Value>
std::string other_text(const OptionText& text, const Value*) {
  if constexpr (std::is_enum_v<Value>) {
    return std::string(names_of(Value{})[1].name);
  } else if constexpr (kIsOptional<Value>) {
    return other_text(text, static_cast<const typename Value::value_type*>(nullptr));
  } else if constexpr (std::same_as<Value, bool>) {
    return "no";
  } else if constexpr (std::same_as<Value, double>) {
    return text.range.contains(0.25) ? "0.25" : "25";
  } else if constexpr (std::same_as<Value, std::string>) {
    return "folder";
  } else if constexpr (std::same_as<Value, KnockoutRate>) {
    return "0.25";
  } else if constexpr (std::same_as<Value, ClassWeights>) {
    return "balanced";
  } else if constexpr (std::same_as<Value, std::vector<UnitRate>> ||
                       std::same_as<Value, Placeholders>) {
    return "a=0.5";
  } else if constexpr (std::same_as<Value, std::vector<CorrelatedUnits>> ||
                       std::same_as<Value, std::vector<KnockoutPattern>>) {
    return "a,b=0.5";
  } else {
    return "7";
  }
}

/// Typing a flag changes its own field and no other one.
template <typename Options>
void expect_round_trip() {
  for_each_option<Options>([&]<typename Value>(const Option<Options, Value>& described) {
    if (described.group.empty()) return;
    std::vector<std::string> words = {"--" + flag_of(described)};
    if constexpr (!std::same_as<Value, bool>) {
      words.push_back(other_text(described, static_cast<const Value*>(nullptr)));
    }
    const Options read = typed<Options>(words);
    for_each_option<Options>([&](const auto& other) {
      const bool differs =
          option_to_json(read.*other.member) != option_to_json(Options{}.*other.member);
      EXPECT_EQ(differs, other.name == described.name) << described.name << ", " << other.name;
    });
  });
}

TEST(DescribedFlags, ChangeTheirOwnFieldAndNoOther) {
  expect_round_trip<TrainOptions>();
  expect_round_trip<KnockoutOptions>();
  expect_round_trip<EncodeOptions>();
  expect_round_trip<FitOptions>();
  expect_round_trip<CsvOptions>();
  expect_round_trip<GapOverrides>();
  expect_round_trip<ImputerOptions>();
  expect_round_trip<Limits>();
}

TEST(WithFlags, PutsFlagsInThePlaceOfFields) {
  CLI::App verb;
  verb.add_option("--knockout-rate");
  EXPECT_EQ(with_flags("take it out of `never_missing`.", verb), "take it out of --never-missing.");
  EXPECT_EQ(with_flags("means missing:  `missing_words = not known`", verb),
            "means missing:  --na 'not known'");
  EXPECT_EQ(with_flags(field("ignore", "a`b"), verb), "--ignore 'a`b'");
  EXPECT_EQ(with_flags("`rate` is 2", verb), "--knockout-rate is 2") << "the verb's, not ampute's";
  EXPECT_EQ(with_flags("some `other` text` and `ignore`", verb), "some `other` text` and --ignore");
  EXPECT_EQ(with_flags("`", verb), "`");
}

TEST(WithFlags, SaysWhoseOptionItIsWhereTheVerbLacksIt) {
  CLI::App command;
  command.name("knockout");
  CLI::App* const inspect = command.add_subcommand("inspect", "");
  inspect->add_option("--categorical");
  CLI::App* const fit = command.add_subcommand("fit", "");
  fit->add_option("--categorical");
  fit->add_option("--never-missing");
  CLI::App* const predict = command.add_subcommand("predict", "");
  EXPECT_EQ(with_flags("a category:  `categorical = zip code`", *predict),
            "a category:  --categorical 'zip code' (an option of knockout fit)");
  EXPECT_EQ(with_flags("a category:  `categorical = zip`", *inspect),
            "a category:  --categorical zip");
  EXPECT_EQ(with_flags("Add it, or fit again without `never_missing = a`.", *predict),
            "Add it, or fit again without --never-missing a.");
  EXPECT_EQ(with_flags("see `missing_words`", *predict), "see --na") << "no verb here has it";
}

TEST(ShellWord, QuotesWhatAShellWouldTakeApart) {
  EXPECT_EQ(shell_word("age"), "age");
  EXPECT_EQ(shell_word("a code"), "'a code'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("age=5:"), "'age=5:'") << "a colon may follow";
  EXPECT_EQ(shell_word("age="), "'age='");
}

TEST(OptionPage, IsWhatTheDescriptionsSay) {
  std::ifstream file(std::string(KNOCKOUT_SOURCE_DIR) + "/docs/options.md");
  std::ostringstream text;
  text << file.rdbuf();
  CLI::App command;
  command.name("knockout");
  setup_verbs(command);
  EXPECT_EQ(text.str(), option_page(command))
      << "docs/options.md is out of date:  knockout --options-page > docs/options.md";
}

TEST(OptionPage, NamesEveryFlagOfEveryVerb) {
  CLI::App command;
  command.name("knockout");
  setup_verbs(command);
  const std::string page = option_page(command);
  for (const CLI::App* verb : command.get_subcommands([](const CLI::App*) { return true; })) {
    const std::size_t begin = page.find("## knockout " + verb->get_name() + "\n");
    ASSERT_NE(begin, std::string::npos) << verb->get_name();
    const std::string part = page.substr(begin, page.find("\n## ", begin) - begin);
    for (const CLI::Option* option : verb->get_options()) {
      if (option->get_group().empty() || option->get_positional()) continue;
      const std::string& flag = option->get_lnames().front();
      EXPECT_TRUE(flag == "help" || part.find("--" + flag) != std::string::npos)
          << verb->get_name() << " --" << flag;
    }
  }
}

TEST(OptionPage, EveryOptionHasHelpAndFlagsDifferWithinAStruct) {
  std::set<std::string> seen;
  for_each_described_option([&](std::string_view options, const OptionText& text) {
    EXPECT_FALSE(text.help.empty()) << text.name;
    EXPECT_TRUE(seen.insert(std::string(options) + flag_of(text)).second) << text.name;
  });
}

}  // namespace
}  // namespace knockout::cli
