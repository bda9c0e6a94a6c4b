// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "knockout/eval/evaluate.h"
#include "knockout/report/document.h"
#include "knockout/schema/schema.h"

namespace knockout::report {

/// What an evaluation found, for people: the summary, error against the number of missing inputs,
/// what each input is worth, the patterns that hurt most, calibration. The caller fills in
/// `provenance`. Parts that the evaluation has no numbers for are left out.
///   Document page = evaluation_document(found, model.schema());
///   page.provenance = ...;
///   write_report(page, to_json(found), "out.html");
Document evaluation_document(const Evaluation& evaluation, const Schema& schema);

}  // namespace knockout::report
