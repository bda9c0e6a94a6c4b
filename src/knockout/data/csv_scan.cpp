// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/csv_scan.h"

#include <algorithm>
#include <cstring>

#include "knockout/base/parallel.h"
#include "knockout/data/text_encoding.h"

namespace knockout {
namespace {

const char* find_quote(const char* begin, const char* end) {
  const void* const found = std::memchr(begin, '"', static_cast<std::size_t>(end - begin));
  return found == nullptr ? end : static_cast<const char*>(found);
}

/// A piece of the text that ends after a '\n', and what one pass over it tells.
struct Chunk {
  const char* begin = nullptr;
  const char* end = nullptr;
  std::size_t newlines = 0;            ///< All of them.
  std::size_t record_ends = 0;         ///< Those outside quotes.
  const char* first_record = nullptr;  ///< Where the first record of its own starts, if any does.
  bool ends_inside_quotes = false;
};

/// Whether the quote at `quote` opens a field: only blanks stand between it and the start of the
/// field. [begin, quote) holds no quote; `at_start` says that a field starts at `begin`.
bool opens_field(const char* begin, const char* quote, bool at_start, const CsvDialect& dialect) {
  while (quote != begin && dialect.is_blank(quote[-1])) --quote;
  if (quote == begin) return at_start;
  return quote[-1] == dialect.delimiter || quote[-1] == '\n';
}

/// Finds the record ends of a chunk, given its newlines and whether it starts inside quotes.
void scan_chunk(Chunk& chunk, bool inside, const CsvDialect& dialect) {
  if (!inside && find_quote(chunk.begin, chunk.end) == chunk.end) {
    chunk.record_ends = chunk.newlines;
    chunk.first_record = chunk.begin;
    return;
  }
  chunk.record_ends = 0;
  chunk.first_record = inside ? nullptr : chunk.begin;
  bool at_start = !inside;
  const char* p = chunk.begin;
  while (p != chunk.end) {
    const char* const quote = find_quote(p, chunk.end);
    if (inside) {
      if (quote == chunk.end) break;
      // A chunk ends with '\n', so that a pair of quotes is never cut in two.
      const bool doubled = quote + 1 != chunk.end && quote[1] == '"';
      inside = doubled;
      p = quote + (doubled ? 2 : 1);
      continue;
    }
    const std::size_t ends = count_newlines(p, quote);
    if (ends > 0 && chunk.first_record == nullptr) {
      chunk.first_record =
          static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(quote - p))) + 1;
    }
    chunk.record_ends += ends;
    if (quote == chunk.end) break;
    inside = opens_field(p, quote, at_start, dialect);
    at_start = false;
    p = quote + 1;
  }
  chunk.ends_inside_quotes = inside;
}

std::vector<Chunk> cut_after_newlines(std::string_view text, std::size_t chunk_bytes) {
  std::vector<Chunk> chunks;
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p != end;) {
    const std::size_t left = static_cast<std::size_t>(end - p);
    const char* next = end;
    if (left > chunk_bytes) {
      const void* const newline = std::memchr(p + chunk_bytes - 1, '\n', left - chunk_bytes + 1);
      if (newline != nullptr) next = static_cast<const char*>(newline) + 1;
    }
    Chunk chunk;
    chunk.begin = p;
    chunk.end = next;
    chunks.push_back(chunk);
    p = next;
  }
  return chunks;
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// Whether all bytes are ASCII other than NUL. A loop without exits, so that the compiler
/// vectorises it.
bool is_plain(const char* begin, const char* end) {
  unsigned char high = 0;
  unsigned char nul = 0;
  for (const char* p = begin; p != end; ++p) {
    high = static_cast<unsigned char>(high | static_cast<unsigned char>(*p));
    nul = static_cast<unsigned char>(nul | (*p == 0));
  }
  return high < 0x80 && nul == 0;
}

}  // namespace

std::vector<CsvRange> split_records(std::string_view text, std::uint64_t first_line,
                                    const CsvDialect& dialect, std::size_t chunk_bytes,
                                    int threads) {
  std::vector<Chunk> chunks = cut_after_newlines(text, std::max<std::size_t>(1, chunk_bytes));
  // Each chunk is taken to start outside quotes; the few that do not are scanned again below.
  parallel_for(chunks.size(), threads, [&](std::size_t i) {
    chunks[i].newlines = count_newlines(chunks[i].begin, chunks[i].end);
    scan_chunk(chunks[i], false, dialect);
  });
  std::vector<CsvRange> ranges;
  bool inside = false;
  std::uint64_t line = first_line;
  for (Chunk& chunk : chunks) {
    if (inside) scan_chunk(chunk, true, dialect);
    std::size_t own_ends = chunk.record_ends;
    if (inside && own_ends > 0) {
      ++ranges.back().max_records;  // the record that began before this chunk ends here
      --own_ends;
    }
    if (chunk.first_record != nullptr && chunk.first_record != chunk.end) {
      CsvRange range;
      range.begin = chunk.first_record;
      range.first_line = line + count_newlines(chunk.begin, chunk.first_record);
      range.max_records = own_ends;
      if (!ranges.empty()) ranges.back().end = range.begin;
      ranges.push_back(range);
    }
    inside = chunk.ends_inside_quotes;
    line += chunk.newlines;
  }
  if (!ranges.empty()) {
    ranges.back().end = text.data() + text.size();
    if (inside) ++ranges.back().max_records;  // the record that never ends
  }
  return ranges;
}

std::size_t find_binary_byte(std::string_view text, int threads) {
  constexpr std::size_t kBlock = std::size_t{1} << 18;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const std::size_t blocks = (text.size() + kBlock - 1) / kBlock;
  std::vector<std::size_t> first_bad(blocks, std::string_view::npos);
  parallel_for(blocks, threads, [&](std::size_t block) {
    const char* p = begin + block * kBlock;
    const char* const block_end = begin + std::min(text.size(), (block + 1) * kBlock);
    if (is_plain(p, block_end)) return;
    // Start where the character that straddles the cut starts.
    for (int back = 0; back < 3 && p != begin && is_continuation(*p); ++back) --p;
    while (p < block_end) {
      const std::size_t length = utf8_length(p, end);
      if (length == 0) {
        first_bad[block] = static_cast<std::size_t>(p - begin);
        return;
      }
      p += length;
    }
  });
  const auto found = std::find_if(first_bad.begin(), first_bad.end(), [](std::size_t offset) {
    return offset != std::string_view::npos;
  });
  return found == first_bad.end() ? std::string_view::npos : *found;
}

}  // namespace knockout
