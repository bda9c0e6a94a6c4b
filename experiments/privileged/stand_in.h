// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiments/privileged/annotations.h"

namespace knockout::experiments {

/// A stand-in for the raw annotations of CIFAR-10H, for who has only its published counts
/// (cifar10h-counts.npy): they do not say who answered. For the images that were annotated once
/// more by the people of CIFAR-10S (cifar10s_annotations.csv: annotator, reaction time and most
/// probable class of each single annotation) those annotations are taken; the others have one
/// annotation for each count, with annotator and time NaN: not known. Rows that cannot be used go
/// to `bad`. Throws FileError and DataError that name the file.
Annotations read_cifar10h_stand_in(const std::string& folder, BadFiles& bad);

}  // namespace knockout::experiments
