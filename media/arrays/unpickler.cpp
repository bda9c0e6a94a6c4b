// SPDX-License-Identifier: Apache-2.0
#include "media/arrays/unpickler.h"

#include <fmt/format.h>

#include <cstddef>
#include <deque>
#include <limits>
#include <utility>
#include <vector>

#include "knockout/base/error.h"
#include "knockout/base/seeded_hash.h"
#include "knockout/base/wording.h"

namespace knockout {
namespace {

using namespace std::string_view_literals;

enum class PickleKind : std::uint8_t {
  kNone,
  kInteger,  ///< Booleans too.
  kText,     ///< A str, as UTF-8.
  kBytes,
  kLatin1,  ///< Bytes, written as a str whose code points they are.
  kCallable,
  kTuple,
  kList,
  kDict,
  kType,   ///< A numpy.dtype.
  kArray,  ///< A numpy.ndarray.
};

struct Object;

/// What lies on the stack. Text and bytes stay where the file has them; objects belong to the
/// machine, since a damaged file may well let them contain each other.
struct Value {
  PickleKind kind = PickleKind::kNone;
  std::int64_t integer = 0;
  std::string_view text = {};  ///< Of text, bytes and names.
  Object* object = nullptr;
};

struct Object {
  std::vector<Value> items = {};  ///< Of tuples and lists; names and values by turns of a dict.
  std::string_view type = {};     ///< Of a dtype: "i8".
  std::string_view byte_order = {};
  Value element_type = {}, content = {};  ///< Of an array.
  std::vector<std::size_t> shape = {};
};

/// Runs a pickle as far as dictionaries of integer arrays go.
class Unpickler {
 public:
  Unpickler(std::string_view pickle, const std::string& source, const Limits& limits)
      : pickle_(pickle), source_(source), most_objects_(limits.max_objects) {}

  NamedIntegers run() {
    while (step()) {
    }
    const Value result = pop();
    // numpy.save() puts a dictionary into an array of one object.
    if (result.kind == PickleKind::kArray && result.object->content.kind == PickleKind::kList &&
        result.object->content.object->items.size() == 1) {
      return named_integers(result.object->content.object->items.front());
    }
    return named_integers(result);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw DataError(
        fmt::format("{}: byte {} of the pickle: {}.\n"
                    "  Expected a dictionary of vectors of whole numbers, as torch.save() or "
                    "numpy.save() writes it.",
                    source_, at_, what));
  }

  // --- reading the file ---

  std::string_view take(std::uint64_t count) {
    if (count > pickle_.size() - at_) fail("the file ends too early");
    const std::string_view bytes = pickle_.substr(at_, count);
    at_ += count;
    return bytes;
  }

  /// A little-endian number of that many bytes.
  std::uint64_t take_number(std::size_t bytes) {
    std::uint64_t value = 0;
    const std::string_view digits = take(bytes);
    for (std::size_t i = bytes; i-- > 0;) {
      value = value << 8 | static_cast<unsigned char>(digits[i]);
    }
    return value;
  }

  std::string_view take_line() {
    const std::size_t end = pickle_.find('\n', at_);
    if (end == std::string_view::npos) fail("the file ends within a name");
    const std::string_view line = take(end - at_);
    take(1);
    return line;
  }

  // --- the stack ---

  void push(Value value) {
    count_one();
    stack_.push_back(value);
  }
  /// One byte of the file can make an object of hundreds: what is made is counted.
  void count_one() {
    if (++objects_made_ <= most_objects_) return;
    throw DataError(fmt::format("{}: the pickle makes more than {}.\n  If it is meant:  {}",
                                source_, plural(most_objects_, "object"),
                                knockout::field("max_objects", std::to_string(4 * most_objects_))));
  }
  void push_integer(std::int64_t value) { push({.kind = PickleKind::kInteger, .integer = value}); }
  void push_text(PickleKind kind, std::size_t length_bytes) {
    push({.kind = kind, .text = take(take_number(length_bytes))});
  }
  Value push_object(PickleKind kind) {
    const Value value{.kind = kind, .object = &objects_.emplace_back()};
    push(value);
    return value;
  }

  Value pop() {
    // What lies below a mark is out of reach until the mark is taken away.
    if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) fail("it takes more than it has");
    const Value value = stack_.back();
    stack_.pop_back();
    return value;
  }

  std::vector<Value> pop_count(std::size_t count) {
    std::vector<Value> values(count);
    for (std::size_t i = count; i-- > 0;) values[i] = pop();
    return values;
  }

  std::vector<Value> pop_to_mark() {
    if (marks_.empty()) fail("a mark is missing");
    const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<Value> values(first, stack_.end());
    stack_.erase(first, stack_.end());
    marks_.pop_back();
    return values;
  }

  void push_tuple(std::vector<Value> items) {
    push_object(PickleKind::kTuple).object->items = std::move(items);
  }

  void append(const std::vector<Value>& values, PickleKind kind) {
    const Value container = pop();
    if (container.kind != kind) fail("it adds to something else than a list or dictionary");
    if (kind == PickleKind::kDict && values.size() % 2 != 0) fail("a name has no value");
    auto& items = container.object->items;
    items.insert(items.end(), values.begin(), values.end());
    push(container);
  }

  void memoize(std::uint64_t slot) {
    const Value value = pop();
    memo_[slot] = value;
    push(value);
  }

  void recall(std::uint64_t slot) {
    const auto found = memo_.find(slot);
    if (found == memo_.end()) fail(fmt::format("it recalls {}, which it never kept", slot));
    push(found->second);
  }

  // --- the few things that may be called or built ---

  void push_callable(std::string_view module, std::string_view name) {
    if (module == "numpy._core.multiarray") module = "numpy.core.multiarray";  // NumPy 2
    constexpr std::pair<std::string_view, std::string_view> kKnown[] = {
        {"numpy.core.multiarray", "_reconstruct"},
        {"numpy.core.multiarray", "scalar"},
        {"numpy", "ndarray"},
        {"numpy", "dtype"},
        {"_codecs", "encode"},
        {"collections", "OrderedDict"},
    };
    for (const auto& known : kKnown) {
      if (known == std::pair(module, name))
        return push({.kind = PickleKind::kCallable, .text = name});
    }
    fail(fmt::format("it names {}.{}, which no such dictionary needs; nothing was executed", module,
                     name));
  }

  void call() {
    const Value arguments = pop();
    const Value callable = pop();
    if (callable.kind != PickleKind::kCallable || arguments.kind != PickleKind::kTuple) {
      fail("it calls something that cannot be called");
    }
    const std::vector<Value>& given = arguments.object->items;
    const auto expect = [&](bool right) {
      if (!right) fail(fmt::format("the arguments of {} are not what NumPy writes", callable.text));
    };
    if (callable.text == "encode") {
      expect(given.size() == 2 && given[0].kind == PickleKind::kText && given[1].text == "latin1");
      push({.kind = PickleKind::kLatin1, .text = given[0].text});
    } else if (callable.text == "OrderedDict") {
      expect(given.empty());
      push_object(PickleKind::kDict);
    } else if (callable.text == "dtype") {
      expect(!given.empty() && given[0].kind == PickleKind::kText);
      push_object(PickleKind::kType).object->type = given[0].text;
    } else if (callable.text == "scalar") {
      expect(given.size() == 2 && given[0].kind == PickleKind::kType);
      const std::vector<std::int64_t> one = integers_of(given[1], *given[0].object, 1);
      push_integer(one.front());
    } else {
      expect(callable.text == "_reconstruct" && given.size() == 3 &&
             given[0].kind == PickleKind::kCallable && given[0].text == "ndarray");
      push_object(PickleKind::kArray);
    }
  }

  /// Gives an object its state: a dtype its byte order, an array its shape, type and content.
  void build() {
    const Value state = pop();
    const Value target = pop();
    const auto expect = [&](bool right) {
      if (!right) fail("the state of an array or its type is not what NumPy writes");
    };
    expect(state.kind == PickleKind::kTuple);
    const std::vector<Value>& given = state.object->items;
    if (target.kind == PickleKind::kType) {
      expect(given.size() >= 2 && given[1].kind == PickleKind::kText);
      target.object->byte_order = given[1].text;
    } else {
      expect(target.kind == PickleKind::kArray && given.size() == 5 &&
             given[1].kind == PickleKind::kTuple && given[2].kind == PickleKind::kType);
      target.object->shape.clear();
      for (const Value& extent : given[1].object->items) {
        expect(extent.kind == PickleKind::kInteger && extent.integer >= 0);
        target.object->shape.push_back(static_cast<std::size_t>(extent.integer));
      }
      target.object->element_type = given[2];
      target.object->content = given[4];
    }
    push(target);
  }

  /// One opcode. Returns whether more follow.
  bool step() {
    const auto code = static_cast<unsigned char>(take(1).front());
    switch (code) {
      case 0x80:  // PROTO
        if (const std::uint64_t protocol = take_number(1); protocol < 2 || protocol > 4) {
          fail(fmt::format("pickle protocol {} is not known (2, 3 and 4 are)", protocol));
        }
        return true;
      case 0x95:
        take(8);
        return true;  // FRAME: how much to read ahead
      case '.':
        return false;
      case '(':
        count_one();
        marks_.push_back(stack_.size());
        return true;
      case 'N':
        push({});
        return true;
      case 0x88:
        push_integer(1);
        return true;  // True
      case 0x89:
        push_integer(0);
        return true;  // False
      case 'K':
        push_integer(static_cast<std::int64_t>(take_number(1)));
        return true;
      case 'M':
        push_integer(static_cast<std::int64_t>(take_number(2)));
        return true;
      case 'J':
        push_integer(static_cast<std::int32_t>(static_cast<std::uint32_t>(take_number(4))));
        return true;
      case 'X':
        push_text(PickleKind::kText, 4);
        return true;
      case 0x8c:
        push_text(PickleKind::kText, 1);
        return true;
      case 0x8d:
        push_text(PickleKind::kText, 8);
        return true;
      case 'C':
        push_text(PickleKind::kBytes, 1);
        return true;
      case 'B':
        push_text(PickleKind::kBytes, 4);
        return true;
      case 0x8e:
        push_text(PickleKind::kBytes, 8);
        return true;
      case ')':
        push_tuple({});
        return true;
      case 0x85:
        push_tuple(pop_count(1));
        return true;
      case 0x86:
        push_tuple(pop_count(2));
        return true;
      case 0x87:
        push_tuple(pop_count(3));
        return true;
      case 't':
        push_tuple(pop_to_mark());
        return true;
      case ']':
        push_object(PickleKind::kList);
        return true;
      case 'a':
        append(pop_count(1), PickleKind::kList);
        return true;
      case 'e':
        append(pop_to_mark(), PickleKind::kList);
        return true;
      case '}':
        push_object(PickleKind::kDict);
        return true;
      case 's':
        append(pop_count(2), PickleKind::kDict);
        return true;
      case 'u':
        append(pop_to_mark(), PickleKind::kDict);
        return true;
      case 'q':
        memoize(take_number(1));
        return true;
      case 'r':
        memoize(take_number(4));
        return true;
      case 0x94:
        memoize(memo_.size());
        return true;
      case 'h':
        recall(take_number(1));
        return true;
      case 'j':
        recall(take_number(4));
        return true;
      case 'c': {  // GLOBAL: the order of evaluation matters
        const std::string_view module = take_line();
        push_callable(module, take_line());
        return true;
      }
      case 0x93: {  // STACK_GLOBAL
        const std::vector<Value> names = pop_count(2);
        push_callable(names[0].text, names[1].text);
        return true;
      }
      case 'R':
        call();
        return true;
      case 'b':
        build();
        return true;
      default:
        fail(fmt::format("opcode 0x{:02x} is none that such a dictionary needs", code));
    }
  }

  // --- what came out ---

  /// The bytes that a Value stands for. `buffer` holds them where the file does not.
  std::string_view bytes_of(const Value& value, std::string& buffer) const {
    if (value.kind == PickleKind::kBytes) return value.text;
    if (value.kind != PickleKind::kLatin1) fail("an array has no bytes");
    for (std::size_t i = 0; i < value.text.size(); ++i) {
      const auto first = static_cast<unsigned char>(value.text[i]);
      if (first < 0x80) {
        buffer += value.text[i];
        continue;
      }
      const bool pair = (first == 0xc2 || first == 0xc3) && i + 1 < value.text.size() &&
                        (static_cast<unsigned char>(value.text[i + 1]) & 0xc0) == 0x80;
      if (!pair) fail("the bytes of an array are not written as Latin-1 text");
      const auto second = static_cast<unsigned char>(value.text[++i]);
      buffer += static_cast<char>((first & 0x03) << 6 | (second & 0x3f));
    }
    return buffer;
  }

  std::vector<std::int64_t> integers_of(const Value& content, const Object& type,
                                        std::size_t count) const {
    const std::string_view name = type.type;
    const bool is_number = name.size() == 2 && "iub"sv.find(name[0]) != std::string_view::npos &&
                           "1248"sv.find(name[1]) != std::string_view::npos;
    if (!is_number) fail(fmt::format("elements of type \"{}\" are no whole numbers", name));
    const auto size = static_cast<std::size_t>(name[1] - '0');
    constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();
    if (content.text.size() / 2 / size > count) fail("an array has more bytes than numbers");
    std::string buffer;
    const std::string_view bytes = bytes_of(content, buffer);
    if (bytes.size() % size != 0 || bytes.size() / size != count) {
      fail(fmt::format("an array has {} bytes for {} numbers of {}", bytes.size(), count, size));
    }
    const bool big_endian = type.byte_order == ">";
    std::vector<std::int64_t> values(count);
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t bits = 0;
      for (std::size_t k = 0; k < size; ++k) {
        const std::size_t byte = i * size + (big_endian ? k : size - 1 - k);
        bits = bits << 8 | static_cast<unsigned char>(bytes[byte]);
      }
      if (name[0] == 'i') {  // the sign bit goes to the top and is drawn down again
        const int unused = 64 - 8 * static_cast<int>(size);
        values[i] = static_cast<std::int64_t>(bits << unused) >> unused;
      } else if (bits > kLargest) {
        fail(fmt::format("{} is too large", bits));
      } else {
        values[i] = static_cast<std::int64_t>(bits);
      }
    }
    return values;
  }

  std::vector<std::int64_t> vector_of(const Value& value, const std::string& name) const {
    if (value.kind == PickleKind::kArray && value.object->element_type.kind == PickleKind::kType &&
        value.object->shape.size() == 1) {
      return integers_of(value.object->content, *value.object->element_type.object,
                         value.object->shape.front());
    }
    if (value.kind != PickleKind::kList) fail(fmt::format("\"{}\" is no vector", name));
    std::vector<std::int64_t> values;
    for (const Value& item : value.object->items) {
      if (item.kind != PickleKind::kInteger) {
        fail(fmt::format("\"{}\" holds something else than whole numbers", name));
      }
      values.push_back(item.integer);
    }
    return values;
  }

  NamedIntegers named_integers(const Value& value) const {
    if (value.kind != PickleKind::kDict) fail("what it holds is no dictionary");
    NamedIntegers named;
    std::size_t numbers = 0;
    const std::vector<Value>& items = value.object->items;
    for (std::size_t i = 0; i < items.size(); i += 2) {
      if (items[i].kind != PickleKind::kText) fail("a name in the dictionary is no text");
      const std::string name(items[i].text);
      std::vector<std::int64_t> values = vector_of(items[i + 1], name);
      // Each number takes a byte at least, so that more of them can only be repeats of a few.
      numbers += values.size();
      if (numbers > pickle_.size()) fail("the same numbers appear under many names");
      if (!named.emplace(name, std::move(values)).second) {
        fail(fmt::format("\"{}\" is there twice", name));
      }
    }
    return named;
  }

  std::string_view pickle_;
  const std::string& source_;
  std::size_t at_ = 0;
  std::vector<Value> stack_;
  std::vector<std::size_t> marks_;  ///< Sizes of the stack.
  HashMap<std::uint64_t, Value> memo_;
  std::deque<Object> objects_;  ///< Never moves them.
  std::uint64_t objects_made_ = 0, most_objects_;
};

}  // namespace

NamedIntegers unpickle_arrays(std::string_view pickle, const std::string& source,
                              const Limits& limits) {
  return Unpickler(pickle, source, limits).run();
}

}  // namespace knockout
