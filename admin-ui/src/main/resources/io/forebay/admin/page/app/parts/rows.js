/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* A plain table that scrolls inside itself when it is wider than the page. */
import { html } from './html.js';
import { UNKNOWN } from '../format.js';

/** A value of unknown type as text. */
export function text(value) {
  if (value === null || value === undefined || value === '') return UNKNOWN;
  if (typeof value === 'number') return value.toLocaleString('en-US');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/**
 * @param {{label: string, rows: any[], empty: string, key?: Function,
 *   columns: {name: string, cell: Function, head?: boolean, number?: boolean, wrap?: boolean}[]}} props
 */
export function Rows({ label, rows, columns, empty, key: keyOf = (row, i) => i }) {
  if (rows.length === 0) return html`<p class="muted">${empty}</p>`;
  const kind = (column) => (column.number ? 'n nowrap' : column.wrap ? 'wrap' : '');
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${label}>
    <table class="plain">
      <thead><tr>${columns.map((column) => html`<th key=${column.name} scope="col" class=${column.number ? 'n' : ''}>${column.name || html`<span class="vh">Action</span>`}</th>`)}</tr></thead>
      <tbody>${rows.map((row, i) => html`<tr key=${keyOf(row, i)} data-row>
        ${columns.map((column) => (column.head ? html`<th scope="row" class=${kind(column)}>${column.cell(row)}</th>` : html`<td class=${kind(column)} data-label=${column.name}>${column.cell(row)}</td>`))}
      </tr>`)}</tbody>
    </table>
  </div>`;
}
