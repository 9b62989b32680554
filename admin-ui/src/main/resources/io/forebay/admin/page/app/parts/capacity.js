/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The capacity in words. */
import { figure, number } from '../format.js';

/** "capacity 200"; if it was not measured, "capacity at least 120" or that. @param {{can?: {v?: number, why?: string}, canAtLeast?: number}} of */
export function capacity({ can, canAtLeast }) {
  if (can?.v !== undefined) return `capacity ${figure(can, number)}`;
  return canAtLeast === undefined ? 'capacity not measured' : `capacity at least ${number(canAtLeast)}`;
}
