// SPDX-License-Identifier: Apache-2.0
#include "knockout/impute/knn_imputer.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include <nlohmann/json.hpp>

#include "knockout/base/parallel.h"
#include "knockout/kernels/row_product.h"
#include "knockout/schema/json_fields.h"

namespace knockout {
namespace {

constexpr std::size_t kBlockRows = 36;   // whole tiles of row_product()
constexpr std::size_t kTrainRows = 128;  // a block of training rows stays in the cache

/// Where number `index` of a training row stands, when each row has `width` of them: block after
/// block of kTrainRows rows, in each the first numbers of all its rows, then the second ones.
std::size_t place_in_blocks(std::size_t row, std::size_t index, std::size_t width) {
  const std::size_t in_block = row % kTrainRows;
  return (row - in_block) * width + index * kTrainRows + in_block;
}

/// How many numbers such blocks hold; the last one is padded.
std::size_t size_of_blocks(std::size_t rows, std::size_t width) {
  return (rows + kTrainRows - 1) / kTrainRows * kTrainRows * width;
}

/// The sum of squares of each input's coordinates.
void square_inputs(const ImputerInputs& space, const float* coordinates, float* out) {
  for (std::size_t f = 0; f < space.inputs().size(); ++f) {
    const Input& input = space.inputs()[f];
    float sum = 0;
    for (std::size_t k = 0; k < input.width; ++k) {
      sum += coordinates[input.begin + k] * coordinates[input.begin + k];
    }
    out[f] = sum;
  }
}

/// The k nearest training rows so far, nearest first; of two at one distance, the earlier one.
class Nearest {
 public:
  explicit Nearest(std::size_t k) : limit_(k) {}

  /// Looks at training rows from `first` on, of which those with `gaps[row * stride]` do not count.
  void scan(std::span<const float> distances, std::size_t first, const std::uint8_t* gaps,
            std::size_t stride) {
    constexpr std::size_t kStep = 32;
    for (std::size_t begin = 0; begin < distances.size(); begin += kStep) {
      const std::size_t end = std::min(begin + kStep, distances.size());
      int nearer = 0;  // hardly ever: worth a look at many rows at once
      for (std::size_t i = begin; i < end; ++i) nearer |= distances[i] < worst_ ? 1 : 0;
      if (nearer == 0) continue;
      for (std::size_t i = begin; i < end; ++i) {
        if (distances[i] < worst_ && gaps[(first + i) * stride] == 0) {
          insert(distances[i], first + i);
        }
      }
    }
  }

  std::size_t size() const { return found_.size(); }
  std::size_t row(std::size_t i) const { return found_[i].row; }

 private:
  struct Neighbor {
    float distance;
    std::size_t row;
  };

  void insert(float distance, std::size_t row) {
    if (found_.size() == limit_) found_.pop_back();
    const auto after = std::find_if(found_.begin(), found_.end(), [&](const Neighbor& other) {
      return distance < other.distance;
    });
    found_.insert(after, {distance, row});
    if (found_.size() == limit_) worst_ = found_.back().distance;
  }

  std::size_t limit_;
  std::vector<Neighbor> found_;
  float worst_ = std::numeric_limits<float>::infinity();
};

}  // namespace

KnnImputer::KnnImputer(const ImputerInputs& space, const Table& train,
                       const ImputerOptions& options)
    : KnnImputer(space, space.read(train, options.threads),
                 static_cast<std::size_t>(options.neighbors)) {}

KnnImputer::KnnImputer(ImputerInputs space, InputMatrix train, std::size_t neighbors)
    : MatrixImputer(std::move(space)), neighbors_(neighbors), train_(std::move(train)) {
  const std::size_t width = space_.width(), features = train_.features;
  const std::size_t side = width + 2 * features;
  sides_.resize(size_of_blocks(train_.rows, side));
  present_.resize(size_of_blocks(train_.rows, features));
  std::vector<float> own(side);
  for (std::size_t row = 0; row < train_.rows; ++row) {
    space_.expand(train_, row, row + 1, own.data());
    for (std::size_t f = 0; f < features; ++f) {
      const float present = train_.gaps_of(row)[f] ? 0.0F : 1.0F;
      own[width + f] = present_[place_in_blocks(row, f, features)] = present;
    }
    square_inputs(space_, own.data(), own.data() + width + features);
    for (std::size_t i = 0; i < side; ++i) sides_[place_in_blocks(row, i, side)] = own[i];
  }
  complete_ = std::all_of(train_.gap_counts.begin(), train_.gap_counts.end(),
                          [](std::size_t gaps) { return gaps == 0; });
}

std::unique_ptr<Imputer> KnnImputer::read(ImputerSource source) {
  const JsonFields fields(source.json, "the imputer by neighbours", {"neighbors"});
  const int neighbors = fields.integer("neighbors", 1, std::numeric_limits<int>::max());
  InputMatrix train = source.space.take_matrix(source.arrays);
  return std::unique_ptr<Imputer>(new KnnImputer(std::move(source.space), std::move(train),
                                                 static_cast<std::size_t>(neighbors)));
}

nlohmann::json KnnImputer::write(ImputerArrays& arrays) const {
  space_.put_matrix(train_, arrays);
  return {{"neighbors", neighbors_}};
}

/// The neighbours of one block of rows, for each input that each row lacks.
class KnnImputer::Search {
 public:
  Search(const KnnImputer& imputer, const InputMatrix& inputs, std::span<const std::size_t> rows)
      : imputer_(imputer), inputs_(inputs), rows_(rows) {
    const ImputerInputs& space = imputer.space_;
    const std::size_t width = space.width(), features = inputs.features;
    side_ = width + 2 * features;
    sides_.resize(rows.size() * side_);
    present_.resize(rows.size() * features);
    nearest_.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      float* const at = sides_.data() + i * side_;
      space.expand(inputs, rows[i], rows[i] + 1, at);
      square_inputs(space, at, at + width);
      for (std::size_t c = 0; c < width; ++c) at[c] *= -2.0F;
      bool has_any = false;
      for (std::size_t f = 0; f < features; ++f) {
        const bool gap = inputs.gaps_of(rows[i])[f] != 0;
        has_any |= !gap;
        at[width + features + f] = present_[i * features + f] = gap ? 0.0F : 1.0F;
        if (gap) nearest_[i].push_back({f, Nearest(imputer.neighbors_)});
      }
      if (!has_any) nearest_[i].clear();  // nothing is near to a row without inputs
    }
  }

  void run() {
    const std::size_t features = inputs_.features;
    std::vector<float> distances(rows_.size() * kTrainRows), shared(rows_.size() * kTrainRows);
    for (std::size_t begin = 0; begin < imputer_.train_.rows; begin += kTrainRows) {
      const std::size_t count = std::min(kTrainRows, imputer_.train_.rows - begin);
      multiply(sides_, imputer_.sides_, side_, begin, count, distances);
      if (!imputer_.complete_) {
        multiply(present_, imputer_.present_, features, begin, count, shared);
        // Rows that share nothing get 0 / 0, and NaN is never nearer than another row.
        for (std::size_t i = 0; i < rows_.size() * count; ++i) distances[i] /= shared[i];
      }
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        for (Wanted& wanted : nearest_[i]) {
          wanted.nearest.scan({distances.data() + i * count, count}, begin,
                              imputer_.train_.gaps.data() + wanted.feature, features);
        }
      }
    }
  }

  /// Writes what the neighbours say into the block's gaps, or the mean where there are none.
  void write(InputMatrix& inputs) const {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      float* const values = inputs.values_of(rows_[i]);
      for (std::size_t f = 0; f < inputs.features; ++f) {
        const Input& input = imputer_.space_.inputs()[f];
        if (inputs.gaps_of(rows_[i])[f] != 0 && input.categorical) {
          values[f] = static_cast<float>(input.mode);
        }
      }
      for (const Wanted& wanted : nearest_[i]) {
        if (wanted.nearest.size() > 0) values[wanted.feature] = summary(wanted);
      }
    }
  }

 private:
  struct Wanted {
    std::size_t feature;
    Nearest nearest;
  };

  /// The products of the block's rows with `count` training rows. A row's distances must not hang
  /// on the rows beside it, not even in the last bit: it decides between neighbours equally near.
  void multiply(const std::vector<float>& block, const std::vector<float>& train, std::size_t width,
                std::size_t begin, std::size_t count, std::vector<float>& out) const {
    row_product(static_cast<int>(rows_.size()), static_cast<int>(count), static_cast<int>(width),
                block.data(), static_cast<int>(width), train.data() + begin * width,
                static_cast<int>(kTrainRows), out.data(), static_cast<int>(count));
  }

  /// The mean, or the most frequent category; of several, that of the nearest row.
  float summary(const Wanted& wanted) const {
    const Nearest& nearest = wanted.nearest;
    const auto value = [&](std::size_t i) {
      return imputer_.train_.values_of(nearest.row(i))[wanted.feature];
    };
    if (!imputer_.space_.inputs()[wanted.feature].categorical) {
      double sum = 0;
      for (std::size_t i = 0; i < nearest.size(); ++i) sum += value(i);
      return static_cast<float>(sum / static_cast<double>(nearest.size()));
    }
    std::size_t best_count = 0;
    float best = 0;
    for (std::size_t i = 0; i < nearest.size(); ++i) {
      std::size_t count = 0;
      for (std::size_t j = 0; j < nearest.size(); ++j) count += value(j) == value(i) ? 1 : 0;
      if (count > best_count) best_count = count, best = value(i);
    }
    return best;
  }

  const KnnImputer& imputer_;
  const InputMatrix& inputs_;
  std::span<const std::size_t> rows_;
  std::size_t side_ = 0;
  std::vector<float> sides_, present_;
  std::vector<std::vector<Wanted>> nearest_;  ///< Per row of the block.
};

void KnnImputer::fill(InputMatrix& inputs, int threads) const {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < inputs.rows; ++row) {
    const std::uint8_t* const gaps = inputs.gaps_of(row);
    if (std::any_of(gaps, gaps + inputs.features, [](std::uint8_t gap) { return gap != 0; })) {
      rows.push_back(row);
    }
  }
  const std::size_t blocks = (rows.size() + kBlockRows - 1) / kBlockRows;
  parallel_for(blocks, threads, [&](std::size_t block) {
    const std::size_t begin = block * kBlockRows;
    const std::size_t count = std::min(kBlockRows, rows.size() - begin);
    Search search(*this, inputs, {rows.data() + begin, count});
    search.run();
    search.write(inputs);
  });
}

}  // namespace knockout
