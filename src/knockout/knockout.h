// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The whole library as its users see it, in the order in which data flow (docs/cpp_api.md). A
/// program that needs one stage includes that stage alone. The LibTorch engine is a library of its
/// own (knockout::nn) and not included here.

// base/: errors, and the interface to other processes.
#include "knockout/base/all_reduce.h"
#include "knockout/base/error.h"
#include "knockout/base/limits.h"
#include "knockout/base/version.h"

// data/: a CSV file becomes a Table, whose cells are observed, missing, or missing for a reason.
#include "knockout/data/csv_reader.h"
#include "knockout/data/csv_writer.h"
#include "knockout/data/join.h"
#include "knockout/data/npy.h"
#include "knockout/data/split.h"
#include "knockout/data/table.h"

// schema/: what each column is: its kind, its support, its group.
#include "knockout/schema/infer.h"
#include "knockout/schema/schema.h"

// encode/: Table + Schema -> matrix, with the placeholders that real data never take.
#include "knockout/encode/encoder.h"
#include "knockout/schema/placeholder.h"

// mask/: p(M): which inputs a training row loses; and how gaps are made for experiments.
#include "knockout/mask/ampute.h"
#include "knockout/mask/patterns.h"
#include "knockout/mask/plan.h"

// model/: Predictor and Method, which every engine and every rival implements; Model, and one row
// at a time.
#include "knockout/model/method.h"
#include "knockout/model/model.h"
#include "knockout/model/predictor.h"
#include "knockout/model/row_predictor.h"

// networks/, fit/: the native engine. fit() goes the whole way above and returns a Model, which
// load_model() reads again.
#include "knockout/fit/fit.h"
#include "knockout/fit/load_model.h"

// trees/, impute/, methods/: every method of `compare`, Knockout among them, behind Method.
#include "knockout/impute/imputer.h"
#include "knockout/methods/methods.h"

// eval/: metrics with intervals; any model under any patterns of gaps; any methods side by side.
#include "knockout/eval/compare.h"
#include "knockout/eval/evaluate.h"
#include "knockout/eval/metrics.h"
#include "knockout/eval/patterns.h"

// report/: results as one HTML page that opens offline.
#include "knockout/report/comparison_report.h"
#include "knockout/report/document.h"
#include "knockout/report/evaluation_report.h"
