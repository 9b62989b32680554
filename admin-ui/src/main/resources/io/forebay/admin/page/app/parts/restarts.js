/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What the last unclean stop means. */
import { html } from './html.js';
import { frame } from '../store.js';

export function UncleanStop() {
  const stop = frame.value.uncleanStop;
  return stop && html`<section class="unclean" aria-label="Unclean stop"><p>${stop.text}</p></section>`;
}
