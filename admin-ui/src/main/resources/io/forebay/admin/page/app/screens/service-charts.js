/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Charts of a service: time behind, rates, waiting messages. The newest second comes from the stream. */
import { useRef } from 'preact/hooks';
import { path, service as of } from '../api.js';
import { brief, count, counted, duration, figure, number, rate } from '../format.js';
import { Chart, currentRange } from '../parts/chart.js';
import { html, Loaded, useLoad } from '../parts/elements.js';
import { age, frame } from '../store.js';

const POINTS = 400;
const TIMES = [0, 1, 10, 60, 300, 900, 3600, 4 * 3600, 86400, 7 * 86400];
const COUNTS = [0, 10, 100, 1000, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
const LIVE_UP_TO = 2 * 3600;

/** The seconds since the series was loaded, as they arrive with the frames. */
function useTail(service, key) {
  const tail = useRef({ key: null, points: [] });
  if (tail.current.key !== key) tail.current = { key, points: [] };
  const at = Date.parse(frame.value.at) / 1000;
  const { points } = tail.current;
  if (age.value <= 3 && (points.length === 0 || points[points.length - 1].at < at)) {
    const value = (fig) => fig?.v ?? null;
    points.push({ at, behind: value(service.behind), unperformed: value(service.unperformed), accepted: value(service.accepted), performed: value(service.performed) });
    if (points.length > LIVE_UP_TO) points.shift(); // no series comes
  }
  return points;
}

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

function Charts({ data, tail, slower }) {
  const first = Date.parse(data.first) / 1000;
  const names = ['behind', 'unperformed', 'accepted', 'performed'];
  const length = data.series.behind.length;
  const busy = data.series.busy ?? [];
  const end = first + (length - 1) * data.step;
  const newer = tail.filter((point) => point.at > end);
  const x = { values: [...Array.from({ length }, (_, i) => first + i * data.step), ...newer.map((point) => point.at)] };
  const lines = Object.fromEntries(names.map((name) => [name, [...(data.series[name] ?? []), ...newer.map((point) => point[name])]]));
  const flat = (value) => x.values.map(() => value);
  const usual = data.can?.v;
  const now = usual === undefined ? undefined : slower?.perSecond ?? undefined;
  const can = now ?? usual;
  const limitInSight = most(lines.behind) > data.limit * 0.1;
  return html`<div class="charts">
    <${Chart} title="Behind" sentence=${behindSentence(lines.behind, data.limit)} x=${x} y=${{ format: duration, scale: 'asinh', at: TIMES, range: aSecondOrMore }} series=${[
      { label: 'behind', values: lines.behind, color: 'c1', fill: 'band' },
      ...(limitInSight ? [{ label: `limit ${duration(data.limit)}`, values: flat(data.limit), color: 'c-limit', dash: [5, 4], width: 1.25 }] : []),
    ]} />
    <${Chart} title="Accepted, performed, and capacity" x=${x} y=${{ format: rate }}
      sentence=${`At the end ${rate(last(lines.accepted))} accepted and ${rate(last(lines.performed))} performed; capacity ${figure(data.can, rate)}${now === undefined ? '' : `, now ${rate(now)}`}.`}
      series=${[
        { label: 'accepted', values: lines.accepted, color: 'c1' },
        { label: 'performed', values: lines.performed, color: 'c2' },
        ...(can === undefined ? [] : [{ label: now !== undefined ? 'capacity now' : data.can.why ? 'capacity (≈)' : 'capacity', values: flat(can), color: 'c3', dash: [6, 4], width: 1.25 }]),
      ]} />
    <${Chart} title="Messages that wait" x=${x} y=${{ format: brief, value: count, scale: 'asinh', asinh: 10, at: COUNTS }}
      sentence=${`${counted(last(lines.unperformed), 'message')} waiting at the end, at most ${count(most(lines.unperformed))}.`}
      series=${[{ label: 'waiting', values: lines.unperformed, color: 'c4', fill: 'band' }]} />
    <${Chart} title="Workers busy" x=${{ values: x.values.slice(0, length) }} y=${{ format: (share) => number(share * 100) + ' %', range: [0, 1] }}
      sentence=${`Share of time in which the workers are busy; at most ${Math.round(most(busy) * 100)} %.`}
      series=${[{ label: 'busy', values: busy, color: 'c2', fill: 'band' }]} />
  </div>`;
}

export function ServiceCharts({ service }) {
  const range = currentRange();
  const address = path(of(service.name, '/series'), { from: range.from, points: POINTS });
  const load = useLoad(address, Math.max(10, Math.round(range.seconds / POINTS)));
  const tail = useTail(service, load.data);
  return html`<${Loaded} load=${load} what="the history">${(data) => html`<${Charts} data=${data} tail=${range.seconds <= LIVE_UP_TO ? tail : []} slower=${service.slowerNow} />`}<//>`;
}
