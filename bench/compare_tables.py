#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs `knockout compare` on every table of a folder and averages over the tables.

A table is a CSV file whose last column is the target. Prints, for every share of test cells
removed, the mean loss and the mean rank of each method, as Markdown. A method that fails on a table
is left out of that table's ranks and listed below.

    bench/compare_tables.py build/knockout FOLDER [FOLDER...] [--methods a,b] [--folds 3]
        [--skip nhanes2,...] [--ignore adult=split] [--json results.json] [-- more options]
"""
import argparse
import json
import pathlib
import subprocess
import sys


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command")
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--methods", default="")
    parser.add_argument("--folds", default="3")
    parser.add_argument("--skip", default="nhanes2", help="tables to pass over")
    parser.add_argument("--ignore", default="adult=split", help="TABLE=COLUMN,...: no inputs")
    parser.add_argument("--json", type=pathlib.Path, help="keeps what every comparison printed")
    known, more = parser.parse_known_args()
    known.more = [word for word in more if word != "--"]
    return known


def compare(given, table):
    with open(table, encoding="utf-8") as file:
        header = file.readline().rstrip("\r\n")
    target = header.split(",")[-1].strip('"')
    command = [given.command, "compare", table, "--target", target, "--folds", given.folds, "--json"]
    command += ["--quiet"] + given.more
    if given.methods:
        command += ["--methods", given.methods]
    for pair in filter(None, given.ignore.split(",")):
        name, column = pair.split("=")
        if name == table.stem:
            command += ["--ignore", column]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{table}: knockout compare ended with {done.returncode}")
    return json.loads(done.stdout)


def main():
    given = options()
    skipped = given.skip.split(",")
    found = {}
    for table in sorted(t for folder in given.folders for t in folder.glob("*.csv")):
        if table.stem in skipped:
            continue
        found[table.stem] = compare(given, table)
        losses = {m["method"]: m["relative_loss"]["value"] for m in found[table.stem]["results"][0]["methods"]}
        print(f"{table.stem:24s} {found[table.stem]['seconds']:7.1f} s ",
              " ".join(f"{k} {v:.3f}" if v is not None else f"{k} failed" for k, v in losses.items()),
              file=sys.stderr, flush=True)
    if given.json:
        given.json.write_text(json.dumps(found))

    first = next(iter(found.values()))
    removals = [result["removed_from_test"] for result in first["results"]]
    print(f"{len(found)} tables, {given.folds} folds: mean loss (mean rank)\n")
    print("| method | " + " | ".join(removals) + " | seconds a training |")
    print("|---|" + "---|" * (len(removals) + 1))
    for position, method in enumerate(first["methods"]):
        cells = []
        for removal in range(len(removals)):
            scores = [t["results"][removal]["methods"][position] for t in found.values()]
            scores = [s for s in scores if s["rank"] is not None]
            count = max(1, len(scores))
            loss = sum(s["relative_loss"]["value"] for s in scores) / count
            rank = sum(s["rank"] for s in scores) / count
            cells.append(f"{loss:.4f} ({rank:.2f})")
        seconds = sum(t["methods"][position]["fit_seconds"] for t in found.values()) / len(found)
        print(f"| {method['label']} | " + " | ".join(cells) + f" | {seconds:.1f} |")
    for name, table in found.items():
        for method in table["methods"]:
            if method["failure"]:
                print(f"\n{name}: {method['label']} failed: {method['failure']}")


if __name__ == "__main__":
    main()
