/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The disk of the queues: when it will be full, growth, retention, and the space per queue. */
import { nextFile } from '../alerts.js';
import { bytes, count, counted, duration, figure, perDay, share } from '../format.js';
import { Range } from '../parts/chart.js';
import { html, Loaded, Rows, useLoad } from '../parts/elements.js';
import { Fig, Meter } from '../parts/figure.js';
import { diskWords } from '../parts/tiles.js';
import { serviceHref } from '../router.js';
import { StorageChart } from './storage-chart.js';

/** A mount point that needs no quotes. */
const SIMPLE_PATH = /^\/[\w./-]*$/;

function Growth({ volume, growth, othersShare, othersPerSecond }) {
  const others = othersShare?.v;
  const lately = others >= 0.5 ? othersPerSecond?.v : 0;
  const parts = [
    ['written', growth.written],
    ['deleted', growth.deleted],
    ['Forebay’s own database', growth.database],
    ['other data on this disk', growth.others, lately > 0 && html`<b class="watch">${bytes(lately)}/s now</b>, on average `],
    ['net', growth.net],
  ];
  return html`<p class="muted">Growth, the mean of up to 24 h:</p>
    <dl class="facts">${parts.map(([name, fig, now]) => html`<div key=${name}><dt>${name}</dt><dd>${now}<${Fig} fig=${fig} format=${perDay} /></dd></div>`)}
    ${others >= 0.5 && html`<div><dt>of the latest growth</dt><dd><b class="watch">● ${share(others)} is not Forebay’s</b></dd></div>`}
  </dl>
  ${others >= 0.5 && SIMPLE_PATH.test(volume) && html`<p>To find the largest files and directories on this disk: <code>du -axm ${volume} | sort -n | tail -20</code></p>`}`;
}

/** A period after "every". */
const period = (seconds) => ({ 60: 'minute', 3600: 'hour', 86400: 'day' })[seconds] ?? duration(seconds);

function Retention({ volume }) {
  const held = Object.entries(volume.held);
  const bytesHeld = held.reduce((sum, [, one]) => sum + one.bytes, 0);
  const isFull = !(volume.usedBytes?.v < volume.stopBytes?.v);
  return html`<p>${nextFile(volume, isFull ? volume.toFreeBytes?.v : 0).trim()} A new file starts every ${period(volume.roll)}.
    ${held.length === 0
      ? ' No service holds back files that are due for deletion.'
      : html` <b class="watch">● ${bytes(bytesHeld)} are due for deletion but held back</b> by ${held.map(([service, one], i) => html`${i > 0 && ', '}<a class="in-text" href=${serviceHref(service)}>${service}</a> (${counted(one.files, 'file')}, ${bytes(one.bytes)})`)}.`}</p>`;
}

/** What a volume holds, when it is full, and how it gets room. */
export function VolumePanel({ volume }) {
  const runway = diskWords(volume);
  const size = volume.sizeBytes?.v;
  const stop = volume.stopBytes?.v;
  return html`<div class="panel">
      <h2>${volume.volume} ${volume.path !== volume.volume && html`<small>${volume.path}</small>`}</h2>
      <p class="runway"><span class=${'big ' + (runway.tone ?? '')}>${runway.big}</span> <span class="muted">${runway.small}</span></p>
      <${Meter} share=${size ? volume.usedBytes?.v / size : undefined} mark=${size && stop ? stop / size : undefined} tone=${runway.tone ?? 'plain'} />
      <p class="muted">${figure(volume.usedBytes, bytes)} of ${figure(volume.sizeBytes, bytes)} used${size ? ` (${share(volume.usedBytes?.v / size)})` : ''}; accepting stops at ${figure(volume.stopBytes, bytes)}.</p>
      <${Growth} ...${volume} />
      <${Retention} volume=${volume} />
    </div>`;
}

/** What is in the ring of a queue; null without one. */
function Ring({ ring }) {
  if (!ring) return html`<span class="muted">none</span>`;
  return html`${bytes(ring.usedBytes)} of ${bytes(ring.capacityBytes)}, at most ${bytes(ring.highWaterBytes)}; ${duration(ring.lag)} behind`;
}

function Queues({ queues }) {
  return html`<section class="panel"><h2>By queue</h2>
    <${Rows} label="By queue" rows=${[...queues].sort((a, b) => b.bytes - a.bytes)} key=${(queue) => queue.queue} empty="There are no queues yet." columns=${[
      { name: 'Queue', head: true, wrap: true, cell: (queue) => queue.queue },
      { name: 'Size', number: true, cell: (queue) => bytes(queue.bytes) },
      { name: 'Files', number: true, cell: (queue) => count(queue.files) },
      { name: 'Kept', number: true, cell: (queue) => (queue.kept > 0 ? duration(queue.kept) : 'until performed') },
      { name: 'Written', number: true, cell: (queue) => html`<${Fig} fig=${queue.perSecond} format=${perDay} />` },
      ...(queues.some((queue) => queue.ring) ? [{ name: 'Ring', cell: (queue) => html`<${Ring} ring=${queue.ring} />` }] : []),
    ]} /></section>`;
}

function Volume({ volume }) {
  return html`<section class="volume">
    <${VolumePanel} volume=${volume} />
    <${StorageChart} runway=${volume.runway} stopBytes=${volume.stopBytes} />
    <${Queues} queues=${volume.byQueue} />
  </section>`;
}

export function StorageScreen() {
  const load = useLoad('/storage', 10);
  return html`<div class="head"><h1>Storage</h1><${Range} fallback="-24h" /></div>
    <${Loaded} load=${load} what="the disk">${({ volume }) => (volume ? html`<${Volume} volume=${volume} />` : html`<div class="panel empty"><p>This backend stores nothing on this host's disk.</p><p class="muted">With queues in files (<code>forebay.backend: chronicle</code>), the volume of <code>forebay.data</code> appears here.</p></div>`)}<//>`;
}
