/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Which statements take the time of a service's database, of the last minutes. */
import { html } from '../parts/html.js';
import { count, duration, share } from '../format.js';
import { Rows } from '../parts/rows.js';

const SHOWN = 10;

const OTHERS = { sql_text: 'SQL texts outside the catalogue', transaction: 'Ledger and commit' };

const COLUMNS = [
  { name: 'Statement', head: true, cell: ({ part, statement }) => (part === 'statement' ? html`<code>${statement}</code>` : OTHERS[part]) },
  { name: 'Share of the time', number: true, cell: (row) => share(row.share) },
  { name: 'Performed', number: true, cell: (row) => count(row.count ?? NaN) },
  { name: 'Mean time', number: true, cell: (row) => duration(row.mean ?? NaN) },
  { name: 'Usually', number: true, cell: (row) => duration(row.usual ?? NaN) },
];

/** @param {{over: number, shares: object[]}} props the document of the server */
export function Slowest({ over, shares }) {
  if (shares.length === 0) return null;
  return html`<section class="panel" id="slowest"><h2>Slowest statements</h2>
    <p class="muted">Of the time that the database took in the last ${duration(over)}${shares.length > SHOWN && `; the first ${SHOWN} of ${count(shares.length)}`}. Attempts that failed count, too. Usually: in the hour before.</p>
    <${Rows} label="Slowest statements" empty="" rows=${shares.slice(0, SHOWN)} columns=${COLUMNS} /></section>`;
}
