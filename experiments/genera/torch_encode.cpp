// SPDX-License-Identifier: Apache-2.0
#include "experiments/genera/torch_encode.h"

#include <algorithm>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/nn/networks/script_encoder.h"
#include "media/image/imagenet.h"

namespace knockout::experiments {
namespace {

torch::Tensor read_batch(const PictureEncoding& encoding, std::size_t begin, std::size_t end) {
  const auto count = static_cast<std::int64_t>(end - begin);
  torch::Tensor batch = torch::empty({count, 3, encoding.side, encoding.side});
  for (std::size_t i = begin; i < end; ++i) {
    const PicturePlace& picture = encoding.pictures[i];
    const std::vector<float> planes = imagenet_planes(read_picture_bytes(picture), picture.name(),
                                                      encoding.shorter_side, encoding.side);
    std::copy(planes.begin(), planes.end(),
              batch[static_cast<std::int64_t>(i - begin)].data_ptr<float>());
  }
  return batch;
}

}  // namespace

std::vector<std::vector<float>> encode_pictures(const PictureEncoding& encoding) {
  const torch::NoGradGuard no_gradients;
  nn::ScriptEncoder encoder(encoding.encoder);
  encoder->eval();
  std::vector<std::vector<float>> rows;
  for (std::size_t begin = 0; begin < encoding.pictures.size();) {
    const std::size_t end =
        std::min(encoding.pictures.size(), begin + static_cast<std::size_t>(encoding.batch));
    const torch::Tensor features = encoder->forward(read_batch(encoding, begin, end))
                                       .flatten(1)
                                       .to(torch::kFloat)
                                       .contiguous();
    const bool fits =
        features.size(0) == static_cast<std::int64_t>(end - begin) &&
        (rows.empty() || features.size(1) == static_cast<std::int64_t>(rows.front().size()));
    if (!fits || !features.isfinite().all().item<bool>()) {
      throw ModelFileError(fmt::format(
          "{}: does not make one row of finite features, always of one width, of every picture "
          "(from {} on).",
          encoding.encoder, encoding.pictures[begin].name()));
    }
    const float* values = features.data_ptr<float>();
    for (std::size_t row = 0; row < end - begin; ++row, values += features.size(1)) {
      rows.emplace_back(values, values + features.size(1));
    }
    begin = end;
    if (encoding.progress) encoding.progress(begin);
  }
  return rows;
}

}  // namespace knockout::experiments
