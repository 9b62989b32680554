/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* How well past estimates of the capacity were right, in words. */
import { counted, duration, number } from '../format.js';

/** "measured was 0.9–1.1 of it in 41 comparisons over 3 d"; why, if there were too few. @param {{v?: {low: number, high: number, comparisons: number, span: number}, why?: string}} fig */
export function judgedText(fig) {
  if (!fig?.v) return `not judged yet${fig?.why ? `: ${fig.why}` : ''}`;
  const { low, high, comparisons, span } = fig.v;
  const band = number(low) === number(high) ? number(low) : `${number(low)}–${number(high)}`;
  return `measured was ${band} of it in ${counted(comparisons, 'comparison')} over ${duration(span)}`;
}
