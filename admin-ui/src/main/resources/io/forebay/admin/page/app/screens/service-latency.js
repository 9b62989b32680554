/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Percentiles per station: over time, and of the whole range. */
import { path, service as of } from '../api.js';
import { count, counted, duration } from '../format.js';
import { Chart, currentRange } from '../parts/chart.js';
import { html, Loaded, Rows, useLoad } from '../parts/elements.js';
import { Fig } from '../parts/figure.js';
import { href, route } from '../router.js';

const STATIONS = { read: 'Append to read', performing: 'Read to performed', performed: 'Append to performed', answered: 'Append to answered' };
const QUANTILES = [
  ['p50', 'p50', 'p1'],
  ['p90', 'p90', 'p2'],
  ['p99', 'p99', 'p3'],
  ['p999', 'p99.9', 'p4'],
  ['p9999', 'p99.99', 'p5'],
];
const TIMES = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 60, 600, 3600];

function Percentiles({ station, data }) {
  const steps = data.steps;
  const value = (step, q) => (step[q]?.v > 0 ? step[q].v : null);
  const all = steps.flatMap((step) => QUANTILES.map(([q]) => value(step, q))).filter((one) => one !== null);
  if (all.length === 0) return html`<p class="panel muted">Too few messages in this time for a percentile.</p>`;
  const low = TIMES.findLast((at) => at <= Math.min(...all)) ?? 1e-6;
  const high = TIMES.find((at) => at >= Math.max(...all)) ?? 3600;
  const series = QUANTILES.map(([q, label, color]) => ({
    label,
    values: steps.map((step) => value(step, q)),
    color,
    dash: q === 'p9999' ? [5, 3] : undefined,
  }));
  return html`<${Chart} title=${STATIONS[station]} height=${280} x=${{ values: steps.map((step) => Date.parse(step.at) / 1000) }}
    sentence=${`Half of ${counted(data.whole.n, 'message')} took up to ${duration(data.whole.p50?.v)}${data.whole.p99?.v === undefined ? '' : `, 99 of 100 up to ${duration(data.whole.p99.v)}`}. A gap means too few messages for that percentile.`}
    y=${{ format: duration, scale: 'log', range: [low, high], splits: () => TIMES.filter((at) => at >= low && at <= high) }} series=${series} />`;
}

function Whole({ stations }) {
  return html`<section class="panel"><h3>The whole range</h3>
    <${Rows} label="Percentiles of the whole range" rows=${Object.entries(stations)} key=${([name]) => name} empty="No station" columns=${[
      { name: 'Station', head: true, cell: ([name]) => STATIONS[name] ?? name },
      { name: 'Messages', number: true, cell: ([, { whole }]) => count(whole.n) },
      ...QUANTILES.map(([q, label]) => ({ name: label, number: true, cell: ([, { whole }]) => html`<${Fig} fig=${whole[q]} format=${duration} />` })),
    ]} /></section>`;
}

export function Latency({ name }) {
  const range = currentRange();
  const { path: here, query } = route.value;
  const station = STATIONS[query.station] ? query.station : 'performed';
  const load = useLoad(path(of(name, '/latency'), { from: range.from }), 30);
  return html`<section class="part-of" id="latency"><div class="head"><h2>Latency</h2>
      <nav class="range" aria-label="Station">${Object.entries(STATIONS).map(([id, text]) => html`<a key=${id} href=${href(here, { ...query, station: id })} aria-current=${station === id ? 'true' : undefined}>${text}</a>`)}</nav></div>
    <${Loaded} load=${load} what="the latencies">${(data) => html`<div class="charts">
      ${data.stations[station] ? html`<${Percentiles} station=${station} data=${data.stations[station]} />` : html`<p class="panel muted">This service does not measure this station.</p>`}</div>
      <${Whole} stations=${data.stations} />`}<//></section>`;
}
