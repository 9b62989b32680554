/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.util.List;

/**
 * The 99 % confidence interval of a mean, by Student's t distribution.
 *
 * @param mean the mean of the values
 * @param half half of the interval's width; NaN for one value
 */
record Confidence(double mean, double half) {

  /**
   * The quantile 0.995 for 1, 2, … degrees of freedom; NIST/SEMATECH e-Handbook of Statistical
   * Methods, 1.3.6.7.2.
   */
  private static final double[] T = {
    63.657, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.250, 3.169, 3.106, 3.055, 3.012,
    2.977, 2.947, 2.921, 2.898, 2.878, 2.861, 2.845, 2.831, 2.819, 2.807, 2.797, 2.787, 2.779,
    2.771, 2.763, 2.756, 2.750
  };

  public static Confidence of(List<Double> values) {
    int n = values.size();
    double mean = values.stream().mapToDouble(it -> it).average().orElse(Double.NaN);
    if (n < 2) {
      return new Confidence(mean, Double.NaN);
    }
    double squares = values.stream().mapToDouble(it -> (it - mean) * (it - mean)).sum();
    double deviation = Math.sqrt(squares / (n - 1));
    return new Confidence(mean, T[Math.min(n - 1, T.length) - 1] * deviation / Math.sqrt(n));
  }

  double from() {
    return mean - half;
  }

  double to() {
    return mean + half;
  }
}
