/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* A hint about capacity, apart from what needs attention; the server writes the sentence. */
import { html } from './html.js';
import { serviceHref } from '../router.js';
import { frame } from '../store.js';

export function Headroom() {
  const hint = frame.value.headroom;
  return hint && html`<p class="headroom muted">${hint.text} <a href=${serviceHref(hint.service, { t: 'burst' })}>Plan a burst<span class="vh"> of ${hint.service}</span></a></p>`;
}
