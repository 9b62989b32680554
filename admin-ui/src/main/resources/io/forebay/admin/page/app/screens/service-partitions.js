/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The partitions of a service. */
import { html } from '../parts/html.js';
import { bytes, count, since } from '../format.js';
import { Rows, text } from '../parts/rows.js';

const COLUMNS = [
  { name: 'Partition', head: true, cell: (one) => text(one.partition) },
  { name: 'State', cell: (one) => text(one.state).replaceAll('_', ' ').toLowerCase() },
  { name: 'Performed up to', number: true, cell: (one) => text(one.position) },
  { name: 'Appended up to', number: true, cell: (one) => text(one.end) },
  { name: 'Waiting', number: true, cell: (one) => count(one.behind ?? NaN) },
  { name: 'Oldest waits since (UTC)', cell: (one) => html`<span class="nowrap">${since(one.oldest)}</span>` },
  { name: 'In-queue', number: true, cell: (one) => bytes(one.in?.bytes ?? NaN) },
  { name: 'Out-queue', number: true, cell: (one) => bytes(one.out?.bytes ?? NaN) },
  { name: 'Reason', wrap: true, cell: (one) => text(one.refusal ? `refuses: ${one.refusal.reason}` : one.reason) },
];

export const Partitions = ({ partitions }) => html`<section class="panel" id="partitions"><h2>Partitions</h2>
  <${Rows} label="Partitions" empty="No partitions yet" rows=${partitions} columns=${COLUMNS} /></section>`;
