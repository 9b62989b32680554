/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Templates: html`<p>…</p>` creates the elements that Preact draws. */
import { h } from 'preact';
import htm from 'htm';

export const html = htm.bind(h);
