/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { percentile, spectrum } from '/app/screens/service-latency.js';
import { equal } from './expect.js';

export function aPercentileHasAsManyDigitsAsItNeeds() {
  equal([1, 2, 10, 10 ** 1.125, 100, 1000, 1e5].map(percentile), ['0 %', '50 %', '90 %', '92.5 %', '99 %', '99.9 %', '99.999 %'], 'percentiles');
}

export function theSpectrumEndsForEachStationAtItsLongestValue() {
  const tail = (...values) => ({ tail: values.map((value, i) => ({ oneIn: 10 ** (i / 8), value })) });
  const { x, lines } = spectrum({ performed: tail(0.1, 0.2, 0.3), answered: tail(0.2), read: tail() });
  equal(x.length, 3, 'axis');
  equal(lines.map(({ label, values }) => [label, values]), [['Append to answered', [0.2, null, null]], ['Append to performed', [0.1, 0.2, 0.3]]], 'lines');
}
