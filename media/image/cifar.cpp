// SPDX-License-Identifier: Apache-2.0
#include "media/image/cifar.h"

#include <fmt/format.h>

#include <cassert>
#include <string_view>

#include "knockout/base/atomic_file.h"
#include "knockout/base/error.h"
#include "knockout/base/read_bytes.h"
#include "knockout/base/wording.h"

namespace knockout {
namespace {

using namespace std::string_view_literals;

/// One of the labels at the start of a record.
struct LabelByte {
  std::string_view name;
  int classes;
  std::vector<std::uint8_t> CifarImages::*labels;
};

struct Layout {
  std::string_view name;
  std::vector<LabelByte> label_bytes;
  std::size_t record_bytes() const { return label_bytes.size() + kCifarPixels; }
};

const Layout& cifar10() {
  static const Layout layout{"CIFAR-10", {{"label", 10, &CifarImages::labels}}};
  return layout;
}

const Layout& cifar100() {
  static const Layout layout{"CIFAR-100",
                             {{"coarse label", 20, &CifarImages::coarse_labels},
                              {"fine label", 100, &CifarImages::labels}}};
  return layout;
}

void check_size(std::string_view bytes, const Layout& layout, const std::string& path) {
  if (bytes.empty()) {
    throw DataError(fmt::format("{}: the file is empty.\n  Copy or download it again.", path));
  }
  if (bytes.size() % layout.record_bytes() == 0) return;
  std::string_view fix = "Copy it again: it may be cut off.";
  if (bytes.starts_with("\x80"sv))
    fix = "This looks like the version for Python; take the binary one.";
  if (bytes.starts_with("\x1f\x8b"sv)) fix = "This is an archive; unpack it first (tar -xzf).";
  throw DataError(fmt::format(
      "{}: {} bytes are not a whole number of {} records of {} bytes.\n  {}", path,
      with_thousands(bytes.size()), layout.name, with_thousands(layout.record_bytes()), fix));
}

void append_file(const std::string& path, const Layout& layout, CifarImages& images) {
  const std::string bytes = read_bytes(path, "the pictures");
  check_size(bytes, layout, path);
  images.pixels.reserve(images.pixels.size() + bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    for (const LabelByte& each : layout.label_bytes) {
      const auto label = static_cast<std::uint8_t>(bytes[at]);
      if (label >= each.classes) {
        throw DataError(
            fmt::format("{}: record {} (byte {}): {} {} is out of range; 0 to {} are {} labels.\n"
                        "  Is this the binary version of {}, whole and unchanged?",
                        path, at / layout.record_bytes(), at, each.name, label, each.classes - 1,
                        layout.name, layout.name));
      }
      (images.*each.labels).push_back(label);
      ++at;
    }
    const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    images.pixels.insert(images.pixels.end(), first, first + std::ptrdiff_t{kCifarPixels});
    at += kCifarPixels;
  }
}

void write_records(const CifarImages& images, const Layout& layout, const std::string& path) {
  assert(images.pixels.size() == images.labels.size() * kCifarPixels);
  AtomicFile file(path);
  std::string record;
  for (std::size_t i = 0; i < images.labels.size(); ++i) {
    record.clear();
    for (const LabelByte& each : layout.label_bytes) {
      assert((images.*each.labels)[i] < each.classes);
      record += static_cast<char>((images.*each.labels)[i]);
    }
    const auto first = images.pixels.begin() + static_cast<std::ptrdiff_t>(i * kCifarPixels);
    record.append(first, first + std::ptrdiff_t{kCifarPixels});
    file.write(record);
  }
  file.commit();
}

}  // namespace

CifarImages read_cifar10(const std::vector<std::string>& paths) {
  CifarImages images;
  for (const std::string& path : paths) append_file(path, cifar10(), images);
  return images;
}

CifarImages read_cifar100(const std::string& path) {
  CifarImages images;
  append_file(path, cifar100(), images);
  return images;
}

void write_cifar10(const CifarImages& images, const std::string& path) {
  write_records(images, cifar10(), path);
}

void write_cifar100(const CifarImages& images, const std::string& path) {
  assert(images.coarse_labels.size() == images.labels.size());
  write_records(images, cifar100(), path);
}

}  // namespace knockout
