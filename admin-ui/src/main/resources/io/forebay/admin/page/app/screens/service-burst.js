/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * The burst planner: a rate, a length and a time (?x=, ?len=, ?begin=), and what that burst does: as figures, as a sentence and over time.
 */
import { useState } from 'preact/hooks';
import { endOf } from '../actions.js';
import { path, service as of } from '../api.js';
import { ahead, bytes, duration, figure, number, rate } from '../format.js';
import { Chart } from '../parts/chart.js';
import { html, Loaded, useLoad } from '../parts/elements.js';
import { Fig } from '../parts/figure.js';
import { route, view } from '../router.js';
import { frame } from '../store.js';

const TIMES = [0, 1, 10, 60, 300, 900, 3600, 4 * 3600, 86400, 7 * 86400];

/** @typedef {{begin: string, length: number, late: any, onTime: any, longestWait: any, bytes: any, free: any, recovery: any, intake: any, points: {seconds: number, behind: number}[]}} Plan */

/** The time of day some seconds after the beginning. */
const at = ({ begin }, seconds, now) => ahead(Date.parse(begin) + seconds * 1000, now);

/** When it is late. @param {Plan} plan */
export function lateWords(plan, now = Date.now()) {
  const late = plan.late?.v;
  if (!late) return '–';
  if (late.never !== undefined) return 'no message is late';
  const again = plan.onTime?.v;
  const until = again?.in === undefined ? ', and does not catch up' : ` until ${at(plan, again.in, now)}`;
  return late.passed ? `from the start${until}` : `from ${at(plan, late.in, now)} (after ${duration(late.in)})${until}`;
}

/** When no message waits any more. @param {Plan} plan */
export function caughtUpWords(plan, now = Date.now()) {
  const after = plan.recovery?.v;
  if (!after) return '–';
  if (after.never !== undefined) return `never: ${after.never}`;
  return after.passed ? 'at once' : `${duration(after.in)} after the burst, at ${at(plan, plan.length + after.in, now)}`;
}

/** The disk that the burst takes, compared with what is free. @param {Plan} plan */
export function diskWords({ bytes: needed, free }) {
  const words = figure(needed, bytes);
  if (free?.v === undefined || needed?.v === undefined) return { text: words };
  return needed.v > free.v ? { text: `${words}, more than the ${bytes(free.v)} free now`, severity: 'bad' } : { text: `${words} of ${bytes(free.v)} free now` };
}

/** @param {Plan} plan */
export function courseSentence(plan, perSecond, now = Date.now()) {
  const what = `A burst of ${rate(perSecond)} for ${duration(plan.length)} from ${at(plan, 0, now)} UTC`;
  if (plan.late?.v === undefined) return `${what}: what it does is unknown until a capacity is measured.`;
  const late = plan.late.v.never === undefined ? `late ${lateWords(plan, now)}` : lateWords(plan, now);
  return `${what}: ${late}; at most ${figure(plan.longestWait, duration)} behind; takes ${diskWords(plan).text}. Catches up ${caughtUpWords(plan, now)}.`;
}

/** The words with the explanation of their figure; ≈ if it is an estimate of something that happens. */
function Outcome({ name, fig, words, severity }) {
  const value = fig?.v?.never === undefined ? html`<${Fig} fig=${fig} format=${() => words} />` : html`<span data-why=${fig.why ?? fig.v.never} tabindex="0">${words}</span>`;
  return html`<div><dt>${name}</dt><dd class=${severity}>${value}</dd></div>`;
}

/** @param {{plan: Plan, now: number}} props */
function CourseFigures({ plan, now }) {
  const disk = diskWords(plan);
  const late = plan.late?.v && plan.late.v.never === undefined;
  return html`<dl class="answers">
    <${Outcome} name="Late" fig=${plan.late} words=${lateWords(plan, now)} severity=${late ? 'watch' : undefined} />
    <${Outcome} name="Longest wait" fig=${plan.longestWait} words=${figure(plan.longestWait?.v === undefined ? null : { v: plan.longestWait.v }, duration)} />
    <${Outcome} name="Disk used" fig=${plan.bytes} words=${disk.text} severity=${disk.severity} />
    <${Outcome} name="Has caught up" fig=${plan.recovery} words=${caughtUpWords(plan, now)} />
  </dl>`;
}

/** @param {{plan: Plan, perSecond: number, limit: number, now: number}} props */
function CourseChart({ plan, perSecond, limit, now }) {
  const begin = Date.parse(plan.begin) / 1000;
  const values = plan.points.map((point) => begin + point.seconds);
  return html`<${Chart} title="What this burst does" sentence=${courseSentence(plan, perSecond, now)} height=${200} x=${{ values }} y=${{ format: duration, scale: 'asinh', at: TIMES }}
    marks=${[{ x: begin + plan.length, label: 'burst ends' }]}
    series=${[
      { label: 'behind', values: plan.points.map((point) => point.behind), color: 'c1', fill: 'band' },
      { label: `limit ${duration(limit)}`, values: values.map(() => limit), color: 'c-limit', dash: [5, 4], width: 1.25 },
    ]} />`;
}

/** The requested rate; undefined if none was requested and there is no default yet. */
const rateOf = (data) => data.rate?.v ?? (typeof data.rate === 'number' ? data.rate : undefined);

const LENGTHS = [30, 60, 300, 900, 3600, 6 * 3600, 86400];

function Asked({ data, asked, set }) {
  const [text, setText] = useState(null);
  const take = (value) => {
    const wanted = Number(String(value).replaceAll(',', ''));
    if (wanted > 0) set(Math.round(wanted));
    setText(null);
  };
  return html`<div class="asked">
    <label for="burst-rate">Messages per second</label>
    <input id="burst-rate" inputmode="numeric" autocomplete="off" value=${text ?? asked} onInput=${(event) => setText(event.target.value)}
      onChange=${(event) => take(event.target.value)} onKeyDown=${(event) => event.key === 'Enter' && take(event.target.value)} />
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
  const set = (value) => view({ x: value });
  return html`<section class="part-of" id="burst">
    <h2>Plan a burst</h2>
    <${Loaded} load=${load} what="the planner">${(data) => html`<div class="planner">
      <div class="panel">
        <${Asked} data=${data} asked=${wanted ?? Math.round(rateOf(data) ?? 0)} set=${set} />
        ${data.plan && html`<${When} plan=${data.plan} later=${later} now=${now} />
        <${CourseFigures} plan=${data.plan} now=${now} />`}
        <p class="muted">Now ${figure(data.now, number)}/s; ${data.can?.v === undefined ? html`capacity not measured` : html`capacity <${Fig} fig=${data.can} />/s${data.cautious?.v < data.can.v ? html`; the planner uses <${Fig} fig=${data.cautious} />/s` : ''}`}. Bursts usually last ${figure(data.typical, duration)}.</p>
      </div>
      <div class="charts-of-burst">
        ${data.plan?.points.length > 1 && html`<${CourseChart} plan=${data.plan} perSecond=${rateOf(data)} limit=${service.limit} now=${now} />`}
      </div>
    </div>`}<//>
  </section>`;
}
