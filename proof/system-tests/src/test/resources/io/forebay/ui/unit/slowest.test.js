/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { html } from '/app/parts/elements.js';
import { Slowest } from '/app/screens/service.js';
import { equal } from './expect.js';
import { draw, texts } from './page.js';

const shares = [
  { part: 'statement', statement: 'orders.place', share: 0.625, count: 1200, mean: 0.012, usual: 0.008 },
  { part: 'transaction', share: 0.3 },
  { part: 'sql_text', share: 0.075, count: 3, mean: 1.5 },
];

export function theStatementThatTakesMostTimeIsFirst() {
  const place = draw(html`<${Slowest} over=${60} shares=${shares} />`);
  equal(texts(place, 'th[scope=row]'), ['orders.place', 'Ledger and commit', 'SQL texts outside the catalogue'], 'names');
  equal(texts(place, 'tr:first-child td'), ['63 %', '1,200', '12 ms', '8 ms'], 'figures');
  equal(texts(place, 'tr:nth-child(2) td'), ['30 %', '–', '–', '–'], 'the rest of the transactions');
  equal(texts(place, 'p.muted'), ['Of the time that the database took in the last 1 m. Attempts that failed count, too. Usually: in the hour before.'], 'the time');
}

/** The link of an alert leads to it. */
export function aServiceWithoutStatementsSaysSo() {
  const place = draw(html`<${Slowest} over=${0} shares=${[]} />`);
  equal(texts(place, '#slowest > *'), ['Slowest statements', 'No statement took time in the last minute.'], 'text');
}
