#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of this folder read by pandas, by R and by knockout: what does each get right?

usage: compare_readers.py KNOCKOUT          (the built command; see `scripts/setup study`)

Prints the tables that docs/reading_tables.md ends with. All readers run with their defaults, and
hear of missing words and absent headers where knockout is told of them. A table is read right when
all of these are:
  table   the rows and the names of the columns
  kinds   what is a number, a category or a date; columns that an expert sets aside do not count
  gaps    how many cells of each column are missing
  values  the lowest and highest number or date, the number of categories
Names that R makes valid count as right, and so do classes to predict that are read as numbers.
"""

import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ASPECTS = ("table", "kinds", "gaps", "values")
READERS = ("pandas", "pandas, sep=None", "R", "knockout")


def find_tables():
    """(path, what is expected), in the order of the paths."""
    tables = []
    for expected in FOLDER.rglob("*.expected.json"):
        name = expected.name.removesuffix(".expected.json")
        (data,) = (p for p in expected.parent.iterdir() if p.stem == name)
        tables.append((data, json.loads(expected.read_text(encoding="utf-8"))))
    return sorted(tables, key=lambda table: table[0])


def option_values(expected, flag):
    """What the options of knockout say with a flag, which may come several times."""
    options = expected.get("options", [])
    return [value for said, value in zip(options, options[1:]) if said == flag]


def has_header(expected):
    return "no" not in option_values(expected, "--header")


def missing_words(expected):
    return [word for words in option_values(expected, "--na") for word in words.split(",")]


# --- the readers: each gives {"rows": N, "columns": [{name, kind, missing, low, high, distinct}]}


def read_with_pandas(path, expected, **arguments):
    import pandas
    from pandas.api import types

    if not has_header(expected):
        arguments["header"] = None
    frame = pandas.read_csv(path, na_values=missing_words(expected) or None, **arguments)
    columns = []
    for place, name in enumerate(frame.columns):
        column = frame.iloc[:, place]
        observed = column.dropna()
        found = {"name": str(name), "kind": "categorical", "missing": int(column.isna().sum())}
        found["distinct"] = int(observed.nunique())
        if types.is_datetime64_any_dtype(column):
            found["kind"] = "date"
            found["low"], found["high"] = observed.min().isoformat(), observed.max().isoformat()
        elif types.is_numeric_dtype(column) and not types.is_bool_dtype(column):
            found["kind"] = "continuous"
            if len(observed) > 0:
                found["low"], found["high"] = float(observed.min()), float(observed.max())
        columns.append(found)
    return {"rows": len(frame), "columns": columns}


def read_with_knockout(command, path, expected):
    arguments = [command, "inspect", str(path), "--json", *expected.get("options", [])]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def read_with_r(tables):
    """All tables in one run: a path gives what was read, or the text of the error."""
    requests = "".join(
        f"{path}\t{'header' if has_header(expected) else 'noheader'}\t"
        f"{','.join(missing_words(expected))}\n"
        for path, expected in tables
    )
    environment = dict(os.environ, LC_ALL="C.UTF-8")
    script = str(FOLDER / "compare_readers.R")
    done = subprocess.run(
        ["Rscript", "--vanilla", script], input=requests.encode(), capture_output=True,
        check=True, env=environment,
    )
    answers = {}
    for line in done.stdout.decode("utf-8", "replace").splitlines():
        path, what, *rest = line.split("\t")
        if what == "error":
            answers[path] = rest[0]
        elif what == "rows":
            answers[path] = {"rows": int(rest[0]), "columns": []}
        else:
            name, kind, missing, low, high, distinct = rest
            column = {"name": name, "kind": kind, "missing": int(missing)}
            column["distinct"] = int(distinct)
            if low:
                column["low"], column["high"] = float(low), float(high)
            answers[path]["columns"].append(column)
    return answers


# --- right or wrong


def valid_name(name):
    """As R's make.names writes it."""
    name = re.sub(r"[^\w.]", ".", name)
    return name if re.match(r"[^\W\d_]|\.(?!\d)", name) else "X" + name


def same_bound(expected, found):
    if isinstance(expected, str):
        # A day stands for any time of it, and a second for any fraction.
        return isinstance(found, str) and found.replace(" ", "T").startswith(expected)
    return isinstance(found, (int, float)) and math.isclose(expected, found, rel_tol=1e-9)


def wrong_of_column(expected, found):
    """The aspects of one column that differ."""
    if "set_aside" in expected:
        return set()
    wrong = set()
    is_class = expected.get("task") == "classification"
    kind = expected.get("kind", "categorical" if is_class else "continuous")
    if found["kind"] != kind and not is_class:
        wrong.add("kinds")
    if found["missing"] != expected.get("missing", found["missing"]):
        wrong.add("gaps")
    if found.get("distinct") != expected.get("values", found.get("distinct")):
        wrong.add("values")
    for bound in ("low", "high"):
        if bound in expected and not same_bound(expected[bound], found.get(bound)):
            wrong.add("values")
    return wrong


def wrong_of_table(expected, found):
    """The aspects that differ, in the order of ASPECTS; all where the table could not be read."""
    if isinstance(found, str):
        return list(ASPECTS)
    wrong = set()
    names = list(expected["columns"])
    columns = found["columns"]
    found_names = [column["name"] for column in columns]
    if not has_header(expected) and len(columns) == len(names):
        found_names = names
    if found["rows"] != expected["rows"]:
        wrong.add("table")
    if found_names not in (names, [valid_name(name) for name in names]):
        wrong.add("table")
    by_name = dict(zip(found_names, columns))
    for name, column in expected["columns"].items():
        read = by_name.get(name) or by_name.get(valid_name(name))
        if read is None:
            wrong.update(("table", "kinds", "gaps", "values"))
        else:
            wrong |= wrong_of_column(column, read)
    return [aspect for aspect in ASPECTS if aspect in wrong]


# --- the tables


def read_all(command):
    """(path below this folder, {reader: wrong aspects}) of every table."""
    # Tables that nobody should read say nothing about who reads better.
    tables = [(path, expected) for path, expected in find_tables() if "columns" in expected]
    by_r = read_with_r(tables)
    results = []
    for path, expected in tables:
        readers = {
            "pandas": lambda: read_with_pandas(path, expected),
            "pandas, sep=None": lambda: read_with_pandas(
                path, expected, sep=None, engine="python"
            ),
            "R": lambda: by_r[str(path)],
            "knockout": lambda: read_with_knockout(command, path, expected),
        }
        wrong = {}
        for name, read in readers.items():
            try:
                found = read()
            except Exception as error:  # whatever a reader throws, it did not read the table
                found = str(error)
            wrong[name] = wrong_of_table(expected, found)
        results.append((path.relative_to(FOLDER), wrong))
    return results


def print_row(cells):
    print("| " + " | ".join(map(str, cells)) + " |")


def print_summary(results):
    print_row(["read right", *READERS])
    print("|" + "---|" * (len(READERS) + 1))
    folders = sorted({path.parts[0] for path, _ in results})
    for folder in folders:
        part = [wrong for path, wrong in results if path.parts[0] == folder]
        right = [sum(not wrong[reader] for wrong in part) for reader in READERS]
        print_row([f"`{folder}/`, {len(part)} tables", *right])
    for aspect in ASPECTS:
        right = [sum(aspect not in wrong[reader] for _, wrong in results) for reader in READERS]
        print_row([f"{aspect} right, of {len(results)}", *right])
    right = [sum(not wrong[reader] for _, wrong in results) for reader in READERS]
    print_row([f"all right, of {len(results)}", *(f"**{count}**" for count in right)])


def print_files(results):
    print_row(["table", *READERS])
    print("|" + "---|" * (len(READERS) + 1))
    for path, wrong in results:
        cells = []
        for reader in READERS:
            aspects = wrong[reader]
            everything = len(aspects) == len(ASPECTS)
            cells.append("all wrong" if everything else ", ".join(aspects) or "right")
        print_row([f"`{path}`", *cells])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    import pandas

    r_version = subprocess.run(
        ["Rscript", "--version"], capture_output=True, text=True, check=True
    )
    version = re.search(r"\d+\.\d+\.\d+", r_version.stdout + r_version.stderr).group()
    results = read_all(sys.argv[1])
    print(f"pandas {pandas.__version__}, R {version}.\n")
    print_summary(results)
    print("\nWhat each gets wrong:\n")
    print_files(results)


if __name__ == "__main__":
    main()
