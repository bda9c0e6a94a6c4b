#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Seconds and peak memory of inspect, fit (few steps) and predict as tables grow.

Makes tables with more and more columns, classes, categories and rows in a temporary folder, one
thing growing at a time, and a hostile one: words that all have the same `std::hash`. Prints a
Markdown table; a step that would take longer than --limit seconds is ended and shown as such, and
what no longer fits --budget, the seconds for all, is left out and shown as such.

    bench/growth.py build/knockout [--only columns,classes] [--largest 100000] [--limit 180]
"""
import argparse
import math
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

SIZES = {
    "columns": [1_000, 10_000, 100_000],
    "classes": [100, 1_000, 10_000, 20_000],
    "categories": [10_000, 100_000, 1_000_000],
    "rows": [100_000, 1_000_000, 10_000_000],
    "collisions": [1_000, 10_000, 100_000],
}
FEW_STEPS = ["--networks", "1", "--steps", "20"]
PREDICTED_ROWS = 1_000


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command")
    parser.add_argument("--only", default=",".join(SIZES), help="what grows")
    parser.add_argument("--largest", type=int, default=10**9, help="sizes above are left out")
    parser.add_argument("--limit", type=float, default=180.0, help="seconds per step")
    parser.add_argument("--budget", type=float, default=690.0, help="seconds for everything")
    return parser.parse_args()


def machine(command):
    """What the figures were measured on."""
    cpu = "unknown CPU"
    for line in open("/proc/cpuinfo", encoding="utf-8"):
        if line.startswith("model name"):
            cpu = line.split(":", 1)[1].strip()
            break
    version = subprocess.run([command, "--version"], capture_output=True, text=True, check=False)
    load = os.getloadavg()[0]
    return f"{cpu}, {os.cpu_count()} cores, load {load:.1f} before; {version.stdout.strip()}"


# --- tables ---


def write(path, header, lines):
    """Returns the file and a second one with its first rows, to be predicted."""
    few = path.with_name("few.csv")
    with open(path, "w", encoding="utf-8") as all_rows, open(few, "w", encoding="utf-8") as some:
        all_rows.write(header + "\n")
        some.write(header + "\n")
        for i, line in enumerate(lines):
            all_rows.write(line + "\n")
            if i < PREDICTED_ROWS:
                some.write(line + "\n")
    return path, few


def make_columns(path, size):
    """60 rows; in turns a number with gaps, a number without, a word, a date."""
    draw = random.Random(1)
    kinds = [
        lambda: f"{draw.random():.3f}" if draw.random() > 0.05 else "",
        lambda: f"{draw.random():.6f}",
        lambda: draw.choice(["low", "middle", "high"]),
        lambda: f"{draw.randrange(1, 13)}/{draw.randrange(1, 13)}/{draw.randrange(1980, 2020)}",
    ]

    def line():
        cells = [kinds[i % len(kinds)]() for i in range(size)]
        return ",".join(cells) + f",{draw.gauss(0, 1):.3f}"

    names = [f"measure_{i}" for i in range(size)]
    return write(path, ",".join(names) + ",y", (line() for _ in range(60)))


def make_classes(path, size, rows=40_000):
    draw = random.Random(2)

    def line(i):
        return f"{draw.random():.4f},{draw.random():.4f},{draw.random():.4f},class {i % size}"

    return write(path, "a,b,c,y", (line(i) for i in range(rows)))


def make_categories(path, size, rows=2_000_000):
    draw = random.Random(3)

    def line(i):
        return f"{draw.random():.4f},place {i % size},{draw.random():.4f}"

    return write(path, "a,place,y", (line(i) for i in range(rows)))


def make_rows(path, size, block=50_000):
    """One block again and again: making numbers takes longer than reading them."""
    draw = random.Random(4)
    lines = [
        f"{draw.gauss(0, 1):.4f},{draw.gauss(0, 1):.4f},{draw.randrange(90)},"
        f"level {draw.randrange(20)},{draw.gauss(0, 1):.4f}"
        for _ in range(block)
    ]
    write(path, "a,b,age,level,y", (lines[i % block] for i in range(size)))
    return path, path


# --- words that libstdc++'s std::hash takes for the same (MurmurHash64A with its fixed seed) ---

MASK = 2**64 - 1
MULTIPLIER = 0xC6A4A7935BD1E995
INVERSE = pow(MULTIPLIER, -1, 2**64)


def mixed(block):
    block = block * MULTIPLIER & MASK
    return (block ^ block >> 47) * MULTIPLIER & MASK


def unmixed(block):
    block = block * INVERSE & MASK
    return (block ^ block >> 47) * INVERSE & MASK


def colliding_halves(state, count, draw):
    """Texts of 16 letters that all take the hash from `state` to the state that is returned: the
    second half of each undoes what its first half did."""
    letters = bytes(c for c in range(33, 127) if c not in b"\"'#,;\\`")
    allowed = frozenset(letters)
    meeting = mixed(int.from_bytes(b"aaaaaaaa", "little"))
    halves = []
    while len(halves) < count:
        first = bytes(draw.choices(letters, k=8))
        between = (state ^ mixed(int.from_bytes(first, "little"))) * MULTIPLIER & MASK
        second = unmixed(between ^ meeting).to_bytes(8, "little")
        if allowed.issuperset(second):
            halves.append((first + second).decode())
    return halves, meeting * MULTIPLIER & MASK


def colliding_words(count):
    """Words of 32 letters, from all pairs of two lists."""
    draw = random.Random(5)
    each = math.isqrt(count - 1) + 1
    firsts, state = colliding_halves(0xC70F6907 ^ (32 * MULTIPLIER & MASK), each, draw)
    seconds, _ = colliding_halves(state, each, draw)
    return [first + second for first in firsts for second in seconds][:count]


def make_collisions(path, size):
    """Each word five times, so that it is no name of a row."""
    words = colliding_words(size)
    draw = random.Random(6)
    lines = (f"{words[i % size]},{draw.random():.3f}" for i in range(5 * size))
    return write(path, "word,y", lines)


# --- measuring ---


def measure(command, given):
    """Seconds and megabytes of a command, or why there are none."""
    start = time.monotonic()
    limit = min(given.limit, given.end - start)
    if limit <= 1:
        return "left out"
    with tempfile.TemporaryFile() as said:
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said)
        signal.signal(signal.SIGALRM, lambda *_: child.kill())
        signal.setitimer(signal.ITIMER_REAL, limit)
        _, status, usage = os.wait4(child.pid, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - start
        if child.returncode == -signal.SIGKILL:
            return f"> {seconds:.0f} s"
        if child.returncode != 0:
            said.seek(0)
            words = said.read().decode(errors="replace").split("\n")
            print(f"  {' '.join(command)}\n    " + "\n    ".join(words), file=sys.stderr)
            return f"refused after {seconds:.1f} s"
    return f"{seconds:.1f} s, {usage.ru_maxrss / 1024:,.0f} MB"


def measure_table(given, grown, size, folder):
    data, few = globals()[f"make_{grown}"](folder / "data.csv", size)
    model = str(folder / "model.safetensors")
    kinds = {"categories": ["--categorical", "place"], "collisions": ["--categorical", "word"]}
    said = ["--target", "y"] + kinds.get(grown, [])
    fit = [given.command, "fit", str(data), "-m", model, "--quiet"] + said + FEW_STEPS
    predict = [given.command, "predict", str(few), "-m", model, "-o", str(folder / "answers.csv")]
    return [
        f"{data.stat().st_size / 1e6:,.1f} MB",
        measure([given.command, "inspect", str(data)] + said, given),
        measure(fit, given),
        measure(predict, given) if os.path.exists(model) else "",
    ]


def main():
    GIVEN.end = time.monotonic() + GIVEN.budget
    print(machine(GIVEN.command) + "\n")
    print(f"| what grows | size | file | inspect | fit, {FEW_STEPS[-1]} steps | predict |")
    print("|---|---|---|---|---|---|")
    for grown in GIVEN.only.split(","):
        for size in (size for size in SIZES[grown] if size <= GIVEN.largest):
            with tempfile.TemporaryDirectory() as folder:
                cells = measure_table(GIVEN, grown, size, pathlib.Path(folder))
            print(f"| {grown} | {size:,} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    GIVEN = options()
    main()
