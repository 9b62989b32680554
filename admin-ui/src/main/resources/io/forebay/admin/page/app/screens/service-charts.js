/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Charts of a service: time behind, rates, waiting messages, busy workers. */
import { path, service as of } from '../api.js';
import { brief, count, counted, duration, figure, number, rate } from '../format.js';
import { Chart, currentRange, TIMES } from '../parts/chart.js';
import { html, Loaded, useLoad } from '../parts/elements.js';

const POINTS = 400;
const COUNTS = [0, 10, 100, 1000, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

const most = (values) => values.reduce((top, value) => (value !== null && value > top ? value : top), 0);
const last = (values) => values.findLast((value) => value !== null && value !== undefined);

/** The axis has at least the labels 0 s and 1 s. */
const aSecondOrMore = (plot, low, high) => [0, Math.max(1, high) * 1.08];

function behindSentence(behind, limit) {
  const now = last(behind);
  if (now === undefined) return 'No figures for this time.';
  const top = most(behind);
  const passed = top > limit ? `, over the limit of ${duration(limit)}` : `; the limit is ${duration(limit)}`;
  return `${duration(now)} behind at the end, at most ${duration(top)}${passed}.`;
}

function Charts({ data, service }) {
  const { limit, can: usual, slowerNow } = service;
  const first = Date.parse(data.first) / 1000;
  const { behind, unperformed, accepted, performed, busy } = data.series;
  const x = { values: behind.map((_, i) => first + i * data.step) };
  const flat = (value) => x.values.map(() => value);
  const now = usual?.v === undefined ? undefined : slowerNow?.perSecond ?? undefined;
  const can = now ?? usual?.v;
  const limitInSight = most(behind) > limit * 0.1;
  return html`<div class="charts">
    <${Chart} title="Behind" sentence=${behindSentence(behind, limit)} x=${x} y=${{ format: duration, scale: 'asinh', at: TIMES, range: aSecondOrMore }} series=${[
      { label: 'behind', values: behind, color: 'c1', fill: 'band' },
      ...(limitInSight ? [{ label: `limit ${duration(limit)}`, values: flat(limit), color: 'c-limit', dash: [5, 4], width: 1.25 }] : []),
    ]} />
    <${Chart} title="Accepted, performed, and capacity" x=${x} y=${{ format: rate }}
      sentence=${`At the end ${rate(last(accepted))} accepted and ${rate(last(performed))} performed; capacity ${figure(usual, rate)}${now === undefined ? '' : `, now ${rate(now)}`}.`}
      series=${[
        { label: 'accepted', values: accepted, color: 'c1' },
        { label: 'performed', values: performed, color: 'c2' },
        ...(can === undefined ? [] : [{ label: now !== undefined ? 'capacity now' : usual.why ? 'capacity (≈)' : 'capacity', values: flat(can), color: 'c3', dash: [6, 4], width: 1.25 }]),
      ]} />
    <${Chart} title="Messages that wait" x=${x} y=${{ format: brief, value: count, scale: 'asinh', asinh: 10, at: COUNTS }}
      sentence=${`${counted(last(unperformed), 'message')} waiting at the end, at most ${count(most(unperformed))}.`}
      series=${[{ label: 'waiting', values: unperformed, color: 'c4', fill: 'band' }]} />
    <${Chart} title="Workers busy" x=${x} y=${{ format: (share) => number(share * 100) + ' %', range: [0, 1] }}
      sentence=${`Share of time in which the workers are busy; at most ${Math.round(most(busy) * 100)} %.`}
      series=${[{ label: 'busy', values: busy, color: 'c2', fill: 'band' }]} />
  </div>`;
}

export function ServiceCharts({ service }) {
  const range = currentRange();
  const address = path(of(service.name, '/series'), { from: range.from, points: POINTS });
  const load = useLoad(address, Math.max(10, Math.round(range.seconds / POINTS)));
  return html`<${Loaded} load=${load} what="the history">${(data) => html`<${Charts} data=${data} service=${service} />`}<//>`;
}
