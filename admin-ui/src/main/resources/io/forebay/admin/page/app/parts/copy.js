/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { tell } from '../store.js';

/** Puts a text on the clipboard; `what` names it. */
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    tell(`The ${what} is copied.`);
  } catch {
    tell(`The browser does not allow copying; here is the ${what}: ${text}`);
  }
}
