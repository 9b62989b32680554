/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The burst planner: a rate, a length and a time (?x=, ?len=, ?begin=), what that burst does, and the limit for each rate on logarithmic axes. */
import { useState } from 'preact/hooks';
import { html } from '../parts/html.js';
import { path, service as of } from '../api.js';
import { ahead, duration, figure, number, rate, until } from '../format.js';
import { CourseChart, CourseFigures } from '../parts/burst-course.js';
import { Chart } from '../parts/chart.js';
import { Fig } from '../parts/figure.js';
import { Loaded, useLoad } from '../parts/load.js';
import { endOf } from '../parts/until.js';
import { route, view } from '../router.js';
import { frame } from '../store.js';

const SHORTEST = 1;
const LONGEST = 10 * 86400;
const TIMES = [1, 10, 60, 600, 3600, 6 * 3600, 86400, LONGEST];

/** The requested rate; undefined if none was requested and there is no default yet. */
const rateOf = (data) => data.rate?.v ?? (typeof data.rate === 'number' ? data.rate : undefined);

const LENGTHS = [30, 60, 300, 900, 3600, 6 * 3600, 86400];

const clamp = (seconds) => (seconds === null || seconds > LONGEST * 3 ? null : Math.max(seconds, SHORTEST));

function sentence(data) {
  const late = data.late?.v;
  if (late === undefined || rateOf(data) === undefined) return 'How long the service can sustain a burst is unknown yet.';
  const how = late?.never !== undefined ? 'every message stays within the limit' : late?.passed ? 'no message stays within the limit' : `messages stay within the limit for ${figure(data.late, until)}`;
  return `At ${rate(rateOf(data))} ${how}. A burst shorter than the lowest line stays within the limit.`;
}

function Envelope({ data }) {
  const points = data.envelope;
  const rates = points.map((point) => point.rate);
  const decades = [];
  for (let at = 10 ** Math.ceil(Math.log10(rates[0])); at <= rates[rates.length - 1]; at *= 10) decades.push(at);
  const line = (name) => points.map((point) => clamp(point[name]));
  const marks = [
    data.now?.v > rates[0] ? { x: data.now.v, label: 'now' } : null,
    rateOf(data) >= rates[0] && rateOf(data) <= rates[rates.length - 1] ? { x: rateOf(data), label: rate(rateOf(data)) } : null,
  ].filter(Boolean);
  return html`<${Chart} title="How long the service can sustain each rate" sentence=${sentence(data)} height=${240}
    x=${{ values: rates, format: rate, name: 'burst', log: true, range: [rates[0], rates[rates.length - 1]], splits: () => decades }}
    y=${{ format: duration, scale: 'log', range: [SHORTEST, LONGEST], at: TIMES }} marks=${marks}
    series=${[
      { label: 'until the limit is passed', values: line('late'), color: 'c1', fill: 'band', width: 2.25 },
      { label: 'until the disk is full', values: line('full'), color: 'c-limit', dash: [2, 3] },
      ...(data.plan ? [{ label: `this burst, ${duration(data.plan.length)}`, values: rates.map(() => clamp(data.plan.length)), color: 'c3', dash: [1, 3], width: 1.25 }] : []),
    ]} />`;
}

function Answer({ name, fig, passed, never = 'never' }) {
  const words = (value) => (value?.never !== undefined ? never : until(value, passed));
  return html`<div><dt>${name}</dt><dd><${Fig} fig=${fig} format=${words} /></dd></div>`;
}

/** A number and a slider for the same value; the slider's steps are even on a logarithmic scale. */
function Asked({ data, asked, set }) {
  const [text, setText] = useState(null);
  const from = Math.log10(Math.max(1, data.envelope[0]?.rate ?? 1));
  const to = Math.log10(data.envelope.at(-1)?.rate ?? 1e6);
  const take = (value) => {
    const wanted = Number(String(value).replaceAll(',', ''));
    if (wanted > 0) set(Math.round(wanted));
    setText(null);
  };
  const slide = (event, last) => {
    const raw = 10 ** Number(event.target.value);
    const step = 10 ** Math.max(0, Math.floor(Math.log10(raw)) - 1);
    set(Math.round(raw / step) * step, !last);
  };
  return html`<div class="asked">
    <label for="burst-rate">Messages per second</label>
    <input id="burst-rate" inputmode="numeric" autocomplete="off" value=${text ?? asked} onInput=${(event) => setText(event.target.value)}
      onChange=${(event) => take(event.target.value)} onKeyDown=${(event) => event.key === 'Enter' && take(event.target.value)} />
    <input type="range" aria-label="Messages per second, logarithmic" aria-valuetext=${rate(asked)} min=${from} max=${to} step="0.02" value=${Math.log10(Math.max(1, asked))}
      onInput=${(event) => slide(event, false)} onChange=${(event) => slide(event, true)} />
    <button type="button" class="quiet" onClick=${() => set(Math.round(data.reference?.v ?? asked))}>10× burst</button>
  </div>`;
}

/** How long the burst lasts, and when it begins: `later`, or now. */
function When({ plan, later, now }) {
  const set = (query) => view(query);
  const lengths = LENGTHS.includes(plan.length) ? LENGTHS : [...LENGTHS, plan.length].sort((a, b) => a - b);
  const begin = (event) => {
    if (!event.target.value) return set({ begin: '' });
    set({ begin: endOf('at', event.target.value, now) });
  };
  return html`<div class="asked when">
    <span><label for="burst-length">It lasts</label>
      <select id="burst-length" value=${plan.length} onChange=${(event) => set({ len: event.target.value })}>${lengths.map((one) => html`<option key=${one} value=${one}>${duration(one)}</option>`)}</select></span>
    <span><label for="burst-begin">It begins at (UTC)</label>
      <input id="burst-begin" type="time" value=${later ? later.slice(11, 16) : ''} onChange=${begin} /> <span class="muted">${later ? ahead(later, now) : 'now'}</span></span>
    ${later && html`<button type="button" class="quiet" onClick=${() => set({ begin: '' })}>Now</button>`}
  </div>`;
}

export function BurstPlanner({ service }) {
  const { x, len, begin } = route.value.query;
  const now = Date.parse(frame.value.at);
  const given = Number(x);
  const reference = service.burst?.rate?.v;
  const wanted = given > 0 ? given : reference ? Math.round(reference) : null;
  const later = Date.parse(begin) > now + 1000 ? begin : null;
  const load = useLoad(path(of(service.name, '/burst'), { rate: given > 0 ? given : null, seconds: Number(len) > 0 ? Number(len) : null, begin: later }), 15);
  const set = (value, replace = false) => view({ x: value }, replace);
  return html`<section class="part-of" id="burst">
    <h2>Plan a burst</h2>
    <${Loaded} load=${load} what="the planner">${(data) => html`<div class="planner">
      <div class="panel">
        <${Asked} data=${data} asked=${wanted ?? Math.round(rateOf(data) ?? 0)} set=${set} />
        ${data.plan && html`<${When} plan=${data.plan} later=${later} now=${now} />
        <h3>This burst</h3>
        <${CourseFigures} plan=${data.plan} now=${now} />
        <h3>If it does not end</h3>`}
        <dl class="answers">
          <${Answer} name="Within the limit for" fig=${data.late} passed="not at all: too many messages wait already" never="as long as it lasts" />
          <${Answer} name="Accepts until the disk is full" fig=${data.full} passed="full" />
        </dl>
        <p class="muted">Now ${figure(data.now, number)}/s; ${data.can?.v === undefined ? html`capacity not measured` : html`capacity <${Fig} fig=${data.can} />/s${data.cautious?.v < data.can.v ? html`; the planner uses <${Fig} fig=${data.cautious} />/s` : ''}`}. Bursts usually last ${figure(data.typical, duration)}.</p>
      </div>
      <div class="charts-of-burst">
        ${data.plan?.points.length > 1 && html`<${CourseChart} plan=${data.plan} perSecond=${rateOf(data)} limit=${service.limit} now=${now} />`}
        ${data.envelope.length > 1 && html`<${Envelope} data=${data} />`}
      </div>
    </div>`}<//>
  </section>`;
}
