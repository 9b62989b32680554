/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Which statements take the time of a service's database, of the last minutes. */
import { useEffect } from 'preact/hooks';
import { html } from '../parts/html.js';
import { service as of } from '../api.js';
import { count, duration, share } from '../format.js';
import { useLoad } from '../parts/load.js';
import { Rows } from '../parts/rows.js';
import { route } from '../router.js';

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
export function SlowestTable({ over, shares }) {
  if (shares.length === 0) return null;
  return html`<section class="panel" id="slowest"><h2>Slowest statements</h2>
    <p class="muted">Of the time that the database took in the last ${duration(over)}${shares.length > SHOWN && `; the first ${SHOWN} of ${count(shares.length)}`}. Attempts that failed count, too. Usually: in the hour before.</p>
    <${Rows} label="Slowest statements" empty="" rows=${shares.slice(0, SHOWN)} columns=${COLUMNS} /></section>`;
}

/** With ?show=slowest, the page scrolls to it once. @param {{name: string, settled: boolean}} props `settled`: what is above it has its height */
export function Slowest({ name, settled }) {
  const { data, problem } = useLoad(of(name), 10);
  const asked = route.value.query.show === 'slowest' && settled && data !== null;
  useEffect(() => {
    if (asked) document.getElementById('slowest')?.scrollIntoView();
  }, [asked]);
  return data ? html`<${SlowestTable} ...${data.slowest} />` : problem && html`<p class="muted">Slowest statements unknown: ${problem.message}</p>`;
}
