/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * A plain table. It scrolls inside itself when it is wider than the page; on a narrow page each row is a card. The roles
 * keep it a table for screen readers when it is drawn as cards.
 */
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
    <table class="plain" role="table">
      <thead role="rowgroup"><tr role="row">${columns.map((column) => html`<th key=${column.name} role="columnheader" scope="col" class=${column.number ? 'n' : ''}>${column.name || html`<span class="vh">Action</span>`}</th>`)}</tr></thead>
      <tbody role="rowgroup">${rows.map((row, i) => html`<tr key=${keyOf(row, i)} role="row" data-row>
        ${columns.map((column) => (column.head ? html`<th role="rowheader" scope="row" class=${kind(column)}>${column.cell(row)}</th>` : html`<td role="cell" class=${kind(column)} data-label=${column.name}>${column.cell(row)}</td>`))}
      </tr>`)}</tbody>
    </table>
  </div>`;
}
