/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Templates: html`<p>…</p>` makes what Preact draws. */
import { h } from 'preact';
import htm from 'htm';

export const html = htm.bind(h);
