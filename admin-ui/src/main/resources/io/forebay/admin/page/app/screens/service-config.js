/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The configuration of a service, and its partitions. */
import { html } from '../parts/html.js';
import { service as of } from '../api.js';
import { bytes, count, since } from '../format.js';
import { Loaded, useLoad } from '../parts/load.js';
import { Rows, text } from '../parts/rows.js';

const PARTITION = [
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

export function ConfigurationTab({ name }) {
  const load = useLoad(of(name), 10);
  return html`<${Loaded} load=${load} what="the configuration">${(data) => html`
      <section class="panel"><h2>Partitions</h2>
        <${Rows} label="Partitions" empty="No partitions yet" rows=${data.partitions ?? []} columns=${PARTITION} />
      </section>
      <section class="panel"><h2>Configuration</h2>
        <${Rows} label="Configuration" empty="Nothing is configured that differs from the defaults." rows=${Object.entries(data.configuration ?? {})}
          columns=${[
            { name: 'Key', head: true, cell: ([key]) => html`<code>${key}</code>` },
            { name: 'Value', wrap: true, cell: ([, value]) => html`<code>${text(value)}</code>` },
          ]} />
      </section>`}<//>`;
}
