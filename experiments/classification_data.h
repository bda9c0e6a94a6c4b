// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "knockout/data/table.h"

namespace knockout::experiments {

/// The paper's two classification simulations: columns x1, x2 and y (0 or 1).
enum class ClassificationProblem {
  kContinuous,  ///< A ring around a cross.
  kMixed,       ///< x1 one of three words, x2 a mixture of normals; which component decides y.
};

/// Rows in random order. A pure function of its arguments.
Table draw_classification(ClassificationProblem problem, std::uint64_t seed, std::size_t rows);

/// The points at which P(y = 1 | one input) is compared, and the rows that each stands for.
struct MarginalBins {
  std::string input;                ///< "x1" or "x2".
  std::vector<double> centers;      ///< Of a categorical input: 0, 1, 2.
  std::vector<std::string> words;   ///< Of a categorical input: its values; otherwise empty.
  std::vector<double> frequencies;  ///< Share of y = 1 among the rows of the bin; NaN without any.
};

/// 21 equal bins over [-0.8, 0.8] (continuous) or [-4.5, 4.5] (x2 of the mixed problem), or the
/// categories. Frequencies over all rows of the table.
MarginalBins bin_rows(ClassificationProblem problem, const std::string& input, const Table& table);

/// A table with a row per bin in which only that input is there.
Table bins_to_table(const MarginalBins& bins);

/// Divergence of predicted probabilities of y = 1 from the frequencies, mean over the bins: the
/// Jensen-Shannon divergence, at most ln 2.
double jensen_shannon(const std::vector<double>& predicted, const std::vector<double>& frequencies);
/// The paper's formula, which averages KL(M || predicted) and KL(frequencies || M) over all entries
/// of the two-column table, and has no upper bound.
double jensen_shannon_of_paper(const std::vector<double>& predicted,
                               const std::vector<double>& frequencies);

}  // namespace knockout::experiments
