/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What the last unclean stop means, and how that is known. */
import { html } from './html.js';
import { frame } from '../store.js';

export function UncleanStop() {
  const stop = frame.value.uncleanStop;
  return stop && html`<section class="unclean" aria-label="Unclean stop"><p>${stop.text}</p>
    <details><summary>How this is known</summary><p class="muted">${stop.known}</p></details></section>`;
}
