/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The space per queue, and the files with the services that still need them. */
import { html } from '../parts/html.js';
import { bytes, count, duration, moment, tbPerDay, UNKNOWN } from '../format.js';
import { Fig, Meter } from '../parts/figure.js';
import { Rows } from '../parts/rows.js';
import { serviceHref } from '../router.js';

/** What is in the ring of a queue; null without one. */
function Ring({ ring }) {
  if (!ring) return html`<span class="muted">none</span>`;
  return html`${bytes(ring.usedBytes)} of ${bytes(ring.capacityBytes)}, at most ${bytes(ring.highWaterBytes)}; ${duration(ring.lagSeconds)} behind`;
}

function Queues({ queues }) {
  const most = Math.max(...queues.map((queue) => queue.bytes), 1);
  return html`<section class="panel"><h2>By queue</h2>
    <${Rows} label="By queue" rows=${[...queues].sort((a, b) => b.bytes - a.bytes)} key=${(queue) => queue.queue} empty="There are no queues yet." columns=${[
      { name: 'Queue', head: true, wrap: true, cell: (queue) => queue.queue },
      { name: 'Size', number: true, cell: (queue) => bytes(queue.bytes) },
      { name: 'Share', cell: (queue) => html`<div class="bar"><${Meter} share=${queue.bytes / most} /></div>` },
      { name: 'Written', number: true, cell: (queue) => html`<${Fig} fig=${queue.tbPerDay} format=${tbPerDay} />` },
      ...(queues.some((queue) => queue.ring) ? [{ name: 'Ring', cell: (queue) => html`<${Ring} ring=${queue.ring} />` }] : []),
    ]} /></section>`;
}

function Needed({ by }) {
  if (by.length === 0) return html`<span class="muted">no service</span>`;
  return by.map((name, i) => html`${i > 0 && ', '}<a href=${serviceHref(name)}>${name}</a>`);
}

function Files({ volume }) {
  const { files, filesInAll } = volume;
  const title = filesInAll > files.length ? `Files: the newest ${count(files.length)} of ${count(filesInAll)}` : `Files: ${count(files.length)}`;
  return html`<section class="panel"><h2>${title}</h2><div class="tall">
    <${Rows} label="Files" rows=${files} key=${(file) => file.queue + '/' + file.name} empty="There are no files yet." columns=${[
      { name: 'File', head: true, cell: (file) => html`<code>${file.name}</code>` },
      { name: 'Queue', cell: (file) => file.queue },
      { name: 'Size', number: true, cell: (file) => bytes(file.bytes) },
      { name: 'First (UTC)', cell: (file) => html`<span class="nowrap">${moment(file.first)}</span>` },
      { name: 'Closed (UTC)', cell: (file) => html`<span class="nowrap">${file.open ? 'open' : moment(file.closed)}</span>` },
      { name: 'Needed by', cell: (file) => html`<${Needed} by=${file.neededBy} />` },
      { name: 'Deleted', cell: (file) => html`<span class="nowrap">${file.neededBy.length > 0 ? 'when performed' : UNKNOWN}</span>` },
    ]} /></div></section>`;
}

export function FilesAndQueues({ volume }) {
  return html`<${Queues} queues=${volume.byQueue} /><${Files} volume=${volume} />`;
}
