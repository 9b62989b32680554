/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The capacity, and how well past estimates of it were right, in words. */
import { counted, duration, figure, number } from '../format.js';

/** "capacity 200"; if it was not measured, "capacity at least 120" or that. @param {{can?: {v?: number, why?: string}, canAtLeast?: number}} of */
export function capacity({ can, canAtLeast }) {
  if (can?.v !== undefined) return `capacity ${figure(can, number)}`;
  return canAtLeast === undefined ? 'capacity not measured' : `capacity at least ${number(canAtLeast)}`;
}

/** "measured was 0.9–1.1 of it in 41 comparisons over 3 d"; why, if there were too few. @param {{v?: {low: number, high: number, comparisons: number, span: number}, why?: string}} fig */
export function judgedText(fig) {
  if (!fig?.v) return `accuracy unknown${fig?.why ? `: ${fig.why}` : ''}`;
  const { low, high, comparisons, span } = fig.v;
  const band = number(low) === number(high) ? number(low) : `${number(low)}–${number(high)}`;
  return `measured was ${band} of it in ${counted(comparisons, 'comparison')} over ${duration(span)}`;
}
