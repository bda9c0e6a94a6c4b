# SPDX-License-Identifier: Apache-2.0
"""Times scikit-learn's imputers for impute_bench.

  impute_rivals.py FOLDER RUNS METHOD...     METHOD: mean, knn, mice

Reads FOLDER/gappy.npy and, per method, fits and fills it RUNS times after one warm-up (once, without
a warm-up, when that takes longer than two seconds). Writes FOLDER/METHOD.npy and prints
"METHOD seconds..." per method, after a first line that names the versions.
"""

import sys
import time
import warnings

import numpy
import sklearn
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, KNNImputer, SimpleImputer

MAKE = {
    "mean": lambda: SimpleImputer(strategy="mean"),
    "knn": lambda: KNNImputer(n_neighbors=5),
    "mice": lambda: IterativeImputer(max_iter=10, random_state=0),
}
SLOW_SECONDS = 2.0


def timed(method, gappy):
    imputer = MAKE[method]()
    start = time.perf_counter()
    filled = imputer.fit_transform(gappy)
    return time.perf_counter() - start, filled


def main():
    folder, runs, methods = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    warnings.filterwarnings("ignore")  # IterativeImputer says when ten rounds were not enough
    print("scikit-learn", sklearn.__version__, "NumPy", numpy.__version__)
    gappy = numpy.load(folder + "/gappy.npy")
    for method in methods:
        seconds, filled = timed(method, gappy)
        times = [seconds]
        if seconds < SLOW_SECONDS:
            times = [timed(method, gappy)[0] for _ in range(runs)]
        numpy.save(f"{folder}/{method}.npy", filled)
        print(method, *times)


if __name__ == "__main__":
    main()
