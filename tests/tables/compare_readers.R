# SPDX-License-Identifier: Apache-2.0
# What R's read.csv makes of tables, for compare_readers.py.
# usage: Rscript compare_readers.R <requests >answers
# A request is FILE<tab>header or noheader<tab>further missing words, separated by commas.
# Answers are FILE<tab>rows<tab>N, then FILE<tab>column<tab>NAME<tab>KIND<tab>MISSING<tab>LOW<tab>
# HIGH<tab>DISTINCT for each column, or FILE<tab>error<tab>MESSAGE.

one_line <- function(text) gsub("[\t\r\n]+", " ", paste(text, collapse = " "))

kind_of <- function(column) {
  if (inherits(column, c("Date", "POSIXct"))) return("date")
  if (is.numeric(column)) return("continuous")
  "categorical"  # character, factor and logical
}

describe <- function(file, name, column) {
  kind <- kind_of(column)
  observed <- column[!is.na(column)]
  range <- if (kind == "continuous" && length(observed) > 0) {
    format(range(observed), digits = 17, scientific = TRUE, trim = TRUE)
  } else {
    c("", "")
  }
  cat(file, "column", one_line(name), kind, sum(is.na(column)), range[1], range[2],
      length(unique(observed)), sep = "\t")
  cat("\n")
}

answer <- function(file, header, words) {
  table <- read.csv(file, header = header, na.strings = c("NA", words))
  cat(file, "rows", nrow(table), sep = "\t")
  cat("\n")
  for (i in seq_along(table)) describe(file, names(table)[i], table[[i]])
}

for (request in readLines(file("stdin"))) {
  fields <- strsplit(request, "\t")[[1]]
  words <- if (length(fields) > 2) strsplit(fields[3], ",")[[1]] else character()
  tryCatch(suppressWarnings(answer(fields[1], fields[2] == "header", words)),
           error = function(problem) {
             cat(fields[1], "error", one_line(conditionMessage(problem)), sep = "\t")
             cat("\n")
           })
}
