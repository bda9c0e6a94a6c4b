// SPDX-License-Identifier: Apache-2.0
#include "knockout/base/random.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "knockout/base/error.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace knockout {
namespace {

constexpr std::uint32_t kMultiplier0 = 0xD2511F53;
constexpr std::uint32_t kMultiplier1 = 0xCD9E8D57;
constexpr std::uint32_t kWeyl0 = 0x9E3779B9;
constexpr std::uint32_t kWeyl1 = 0xBB67AE85;
constexpr int kRounds = 10;

/// The counter of the block that holds `unit`: (block, row, low half of the step, high half).
std::array<std::uint32_t, 4> counter_of(std::uint64_t step, std::uint32_t row,
                                        std::uint32_t block) {
  return {block, row, static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(step >> 32)};
}

/// 52 bits and a half: every value is exact, so neither 0 nor 1 can come out of rounding.
double to_unit_interval(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t bits = (static_cast<std::uint64_t>(high) << 20) | (low >> 12);
  return (static_cast<double>(bits) + 0.5) * 0x1.0p-52;
}

/// Eight counters that follow each other, either as blocks of one row or as rows of one block.
struct EightCounters {
  std::uint64_t step;
  std::uint32_t row, row_stride;
  std::uint32_t block, block_stride;
};

/// Philox of eight counters; the four words of counter i go to `out + i * out_stride`.
void philox_eight_plain(const EightCounters& first, std::array<std::uint32_t, 2> key,
                        std::uint32_t* out, std::size_t out_stride) {
  for (std::uint32_t i = 0; i < 8; ++i) {
    const auto counter = counter_of(first.step, first.row + i * first.row_stride,
                                    first.block + i * first.block_stride);
    const auto four = philox4x32(counter, key);
    std::copy(four.begin(), four.end(), out + i * out_stride);
  }
}

#if defined(__x86_64__)
/// Each counter word sits in the low half of a 64-bit lane; whatever is in the high half does not
/// matter, because vpmuludq does not read it. Compilers do not find this by themselves.
__attribute__((target("avx2"))) void philox_eight_avx2(const EightCounters& first,
                                                       std::array<std::uint32_t, 2> key,
                                                       std::uint32_t* out, std::size_t out_stride) {
  const __m256i multiplier0 = _mm256_set1_epi64x(kMultiplier0);
  const __m256i multiplier1 = _mm256_set1_epi64x(kMultiplier1);
  const __m256i weyl0 = _mm256_set1_epi64x(kWeyl0);
  const __m256i weyl1 = _mm256_set1_epi64x(kWeyl1);
  __m256i key0 = _mm256_set1_epi64x(key[0]);
  __m256i key1 = _mm256_set1_epi64x(key[1]);
  __m256i c0[2], c1[2], c2[2], c3[2];
  for (int half = 0; half < 2; ++half) {
    const int i = 4 * half;
    const __m256i lane = _mm256_setr_epi64x(i, i + 1, i + 2, i + 3);
    c0[half] = _mm256_add_epi32(_mm256_set1_epi64x(first.block),
                                _mm256_mul_epu32(lane, _mm256_set1_epi64x(first.block_stride)));
    c1[half] = _mm256_add_epi32(_mm256_set1_epi64x(first.row),
                                _mm256_mul_epu32(lane, _mm256_set1_epi64x(first.row_stride)));
    c2[half] = _mm256_set1_epi64x(static_cast<long long>(first.step));
    c3[half] = _mm256_set1_epi64x(static_cast<long long>(first.step >> 32));
  }
  for (int round = 0; round < kRounds; ++round) {
    for (int half = 0; half < 2; ++half) {
      const __m256i product0 = _mm256_mul_epu32(multiplier0, c0[half]);
      const __m256i product1 = _mm256_mul_epu32(multiplier1, c2[half]);
      c0[half] =
          _mm256_xor_si256(_mm256_srli_epi64(product1, 32), _mm256_xor_si256(c1[half], key0));
      c1[half] = product1;
      c2[half] =
          _mm256_xor_si256(_mm256_srli_epi64(product0, 32), _mm256_xor_si256(c3[half], key1));
      c3[half] = product0;
    }
    key0 = _mm256_add_epi32(key0, weyl0);
    key1 = _mm256_add_epi32(key1, weyl1);
  }
  for (std::size_t half = 0; half < 2; ++half) {
    // Low halves of two words side by side, then the two pairs of each counter.
    const __m256i words01 = _mm256_blend_epi32(c0[half], _mm256_slli_epi64(c1[half], 32), 0xAA);
    const __m256i words23 = _mm256_blend_epi32(c2[half], _mm256_slli_epi64(c3[half], 32), 0xAA);
    const __m256i counters02 = _mm256_unpacklo_epi64(words01, words23);
    const __m256i counters13 = _mm256_unpackhi_epi64(words01, words23);
    std::uint32_t* to = out + 4 * half * out_stride;
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_castsi256_si128(counters02));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + out_stride),
                     _mm256_castsi256_si128(counters13));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 2 * out_stride),
                     _mm256_extracti128_si256(counters02, 1));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 3 * out_stride),
                     _mm256_extracti128_si256(counters13, 1));
  }
}
#endif

void philox_eight(const EightCounters& first, std::array<std::uint32_t, 2> key, std::uint32_t* out,
                  std::size_t out_stride) {
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2");
  if (has_avx2) return philox_eight_avx2(first, key, out, out_stride);
#endif
  philox_eight_plain(first, key, out, out_stride);
}

}  // namespace

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t product0 = static_cast<std::uint64_t>(kMultiplier0) * counter[0];
    const std::uint64_t product1 = static_cast<std::uint64_t>(kMultiplier1) * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(product0)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

Random::Random(std::uint64_t seed, Stream stream, std::uint32_t member) {
  if (member >= 65536) throw ConfigError("an ensemble has at most 65,536 networks.");
  // The seed fills the key; stream and member are mixed in by one more Philox block, so that
  // neighbouring seeds and members give unrelated keys.
  const auto mixed =
      philox4x32({static_cast<std::uint32_t>(stream), member, 0x6b6e6f63, 0x6b6f7574},
                 {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  key_ = {mixed[0], mixed[1]};
}

std::uint32_t Random::bits(std::uint64_t step, std::uint32_t row, std::uint32_t unit) const {
  return philox4x32(counter_of(step, row, unit / 4), key_)[unit % 4];
}

void Random::fill_bits(std::uint64_t step, std::uint32_t row, std::span<std::uint32_t> out) const {
  EightCounters next{.step = step, .row = row, .row_stride = 0, .block = 0, .block_stride = 1};
  for (; out.size() >= 32; out = out.subspan(32), next.block += 8) {
    philox_eight(next, key_, out.data(), 4);
  }
  std::array<std::uint32_t, 32> rest;
  if (out.size() > 8) {
    philox_eight(next, key_, rest.data(), 4);
  } else {  // one or two blocks are faster one by one
    for (std::size_t unit = 0; unit < out.size(); unit += 4, ++next.block) {
      const auto four = philox4x32(counter_of(step, row, next.block), key_);
      std::copy(four.begin(), four.end(), rest.data() + unit);
    }
  }
  std::copy_n(rest.begin(), out.size(), out.begin());
}

void Random::fill_bits_rows(std::uint64_t step, std::uint32_t first_row, std::size_t rows,
                            std::span<std::uint32_t> out) const {
  if (rows == 0) return;
  const std::size_t units = out.size() / rows;
  if (units % 4 != 0 || units * rows != out.size()) {
    throw ConfigError("random numbers of several rows need room for a multiple of 4 in each.");
  }
  for (; rows >= 8; rows -= 8, first_row += 8, out = out.subspan(8 * units)) {
    for (std::uint32_t block = 0; block < units / 4; ++block) {
      const EightCounters eight_rows{
          .step = step, .row = first_row, .row_stride = 1, .block = block, .block_stride = 0};
      philox_eight(eight_rows, key_, out.data() + 4 * std::size_t{block}, units);
    }
  }
  for (; rows > 0; --rows, ++first_row, out = out.subspan(units)) {
    fill_bits(step, first_row, out.first(units));
  }
}

double Random::uniform(std::uint64_t step, std::uint32_t row, std::uint32_t unit) const {
  const auto four = philox4x32(counter_of(step, row, unit), key_);
  return to_unit_interval(four[0], four[1]);
}

double Random::normal(std::uint64_t step, std::uint32_t row, std::uint32_t unit) const {
  const auto four = philox4x32(counter_of(step, row, unit), key_);
  const double radius = std::sqrt(-2.0 * std::log(to_unit_interval(four[0], four[1])));
  return radius * std::cos(2.0 * std::numbers::pi * to_unit_interval(four[2], four[3]));
}

std::uint32_t Random::below(std::uint32_t count, std::uint64_t step, std::uint32_t row,
                            std::uint32_t unit) const {
  if (count == 0) throw ConfigError("there is no random number below 0.");
  return static_cast<std::uint32_t>((static_cast<std::uint64_t>(bits(step, row, unit)) * count) >>
                                    32);
}

std::uint64_t threshold_of_rate(double rate) {
  if (!(rate >= 0.0 && rate <= 1.0)) throw ConfigError("a rate must be from 0 to 1.");
  return static_cast<std::uint64_t>(std::llround(rate * 0x1.0p32));
}

}  // namespace knockout
