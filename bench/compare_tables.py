#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs `knockout compare` on every table of a folder and averages over the tables.

A table is a CSV file whose last column is the target. Prints, for every share of test cells
removed, the mean loss and the mean rank of each method, as Markdown. Tables on which a method
failed are left out of the means and named.

    bench/compare_tables.py build/knockout FOLDER [FOLDER...] [--methods a,b] [--folds 3]
        [--skip nhanes2,...] [--ignore adult=split] [--json results.json] [-- more options]
    bench/compare_tables.py --from results.json [more.json...]

The second form prints what earlier runs kept, methods side by side: folds and removed cells depend
on the seed alone, so that methods of several runs can be ranked together.
"""
import argparse
import json
import pathlib
import subprocess
import sys


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", nargs="?")
    parser.add_argument("folders", nargs="*", type=pathlib.Path)
    parser.add_argument("--methods", default="")
    parser.add_argument("--folds", default="3")
    parser.add_argument("--skip", default="nhanes2", help="tables to pass over")
    parser.add_argument("--ignore", default="adult=split", help="TABLE=COLUMN,...: no inputs")
    parser.add_argument("--json", type=pathlib.Path, help="keeps what every comparison printed")
    parser.add_argument("--from", dest="kept", nargs="+", type=pathlib.Path, default=[])
    known, more = parser.parse_known_args()
    known.more = [word for word in more if word != "--"]
    if not known.kept and not known.folders:
        parser.error("name the command and a folder of tables, or --from results.json")
    return known


def compare(given, table):
    with open(table, encoding="utf-8") as file:
        header = file.readline().rstrip("\r\n")
    target = header.split(",")[-1].strip('"')
    command = [given.command, "compare", table, "--target", target, "--folds", given.folds]
    command += ["--json", "--quiet"] + given.more
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


def run(given):
    found = {}
    for table in sorted(t for folder in given.folders for t in folder.glob("*.csv")):
        if table.stem in given.skip.split(","):
            continue
        found[table.stem] = compare(given, table)
        print(f"{table.stem:24s} {found[table.stem]['seconds']:7.1f} s", file=sys.stderr, flush=True)
    if given.json:
        given.json.write_text(json.dumps(found))
    return [found]


def losses_of(runs):
    """{removal: {table: {label: loss, or None where it failed}}}"""
    losses = {}
    for found in runs:
        for table, comparison in found.items():
            labels = [method["label"] for method in comparison["methods"]]
            for result in comparison["results"]:
                of_table = losses.setdefault(result["removed_from_test"], {}).setdefault(table, {})
                for label, method in zip(labels, result["methods"]):
                    of_table.setdefault(label, method["relative_loss"]["value"])
    return losses


def main():
    given = options()
    runs = [json.loads(path.read_text()) for path in given.kept] or run(given)
    losses = losses_of(runs)
    tables = next(iter(losses.values()))
    labels = list(dict.fromkeys(label for of_table in tables.values() for label in of_table))
    failed = [name for name, of_table in tables.items() if None in of_table.values()
              or len(of_table) < len(labels)]
    shown = [name for name in tables if name not in failed]
    if not shown:
        sys.exit("There is no table on which every method worked.")

    print(f"{len(shown)} tables: mean loss (mean rank)\n")
    print("| method | " + " | ".join(losses) + " |\n|---|" + "---|" * len(losses))
    for label in labels:
        cells = []
        for of_removal in losses.values():
            loss = sum(of_removal[table][label] for table in shown) / len(shown)
            ranks = [1 + sum(other < of_removal[table][label] for other in of_removal[table].values())
                     for table in shown]
            cells.append(f"{loss:.4f} ({sum(ranks) / len(ranks):.2f})")
        print(f"| {label} | " + " | ".join(cells) + " |")
    if failed:
        print(f"\nLeft out, because a method failed or was not run there: {', '.join(failed)}.")


if __name__ == "__main__":
    main()
