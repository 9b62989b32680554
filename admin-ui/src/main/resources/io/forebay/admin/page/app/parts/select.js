/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* A choice with its label. */
import { html } from './html.js';

/** @param {{label: string, value: string, options: [string, string][], set: (value: string) => void}} props */
export function Select({ label, value, options, set }) {
  return html`<label>${label}
    <select value=${value} onChange=${(event) => set(event.target.value)}>
      ${options.map(([id, text]) => html`<option key=${id} value=${id} selected=${id === value}>${text}</option>`)}
    </select></label>`;
}
