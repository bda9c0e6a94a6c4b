# SPDX-License-Identifier: Apache-2.0
# Invented patients with gaps, for the README's tour:  awk -f examples/make_patients.awk > examples/patients.csv
function uniform() { state = (state * 16807) % 2147483647; return state / 2147483647 }
function normal() { return sqrt(-2 * log(uniform())) * cos(6.283185307 * uniform()) }
BEGIN {
  state = 20
  print "age,sex,bmi,glucose,smoker,ward,risk"
  for (row = 0; row < 600; ++row) {
    age = 20 + 60 * uniform(); female = uniform() < 0.5; smoker = uniform() < 0.3
    bmi = 22 + 0.07 * age + 3 * normal(); glucose = 3 + 0.08 * bmi + 0.02 * age + 0.6 * normal()
    ill = uniform() < 1 / (1 + exp(-(0.06 * (age - 55) + 1.4 * (glucose - 6.3) + 1.2 * smoker - 0.4)))
    printf "%d,%s,%s,%s,%s,%s,%s\n", age, female ? "f" : "m", uniform() < 0.1 ? "" : sprintf("%.1f", bmi),
      uniform() < 0.3 ? "" : sprintf("%.1f", glucose), uniform() < 0.15 ? "" : (smoker ? "yes" : "no"),
      "W" (1 + int(3 * uniform())), ill ? "high" : "low"
  }
}
