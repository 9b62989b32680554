/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The burst planner: a rate and a length (?x=, ?len=), and what that burst does if it begins now. */
import { useState } from 'preact/hooks';
import { path, service as of } from '../api.js';
import { ahead, bytes, duration, figure, number, rate } from '../format.js';
import { Chart, TIMES } from '../parts/chart.js';
import { html, Loaded, useLoad } from '../parts/elements.js';
import { Fig } from '../parts/figure.js';
import { route, view } from '../router.js';
import { frame } from '../store.js';

/** @typedef {{begin: string, length: number, late: any, onTime: any, longestWait: any, bytes: any, free: number, recovery: any, points: {seconds: number, behind: number}[], isBound: boolean}} Plan `free` are the bytes that queues may use; NaN if unknown; it `isBound` if the database may perform more than the plan reckons with */

/** The time of day some seconds after the beginning. */
const at = ({ begin }, seconds) => ahead(Date.parse(begin) + seconds * 1000, Date.parse(begin));

/** When it is late. @param {Plan} plan */
export function lateWords(plan) {
  const late = plan.late?.v;
  if (!late) return '–';
  if (late.never !== undefined) return 'no message is late';
  if (plan.isBound) return late.passed ? 'from the start' : `${at(plan, late.in)} (after ${duration(late.in)}) at the earliest`;
  const again = plan.onTime?.v;
  const until = again?.in === undefined ? ', and does not catch up' : ` until ${at(plan, again.in)}`;
  return late.passed ? `from the start${until}` : `from ${at(plan, late.in)} (after ${duration(late.in)})${until}`;
}

/** When no message waits any more. @param {Plan} plan */
export function caughtUpWords(plan) {
  const after = plan.recovery?.v;
  if (!after) return '–';
  if (plan.isBound) return after.in === undefined ? (after.passed ? 'at once' : 'not known: the capacity was not measured') : `${duration(after.in)} after the burst at the latest`;
  if (after.never !== undefined) return `never: ${after.never}`;
  return after.passed ? 'at once' : `${duration(after.in)} after the burst, at ${at(plan, plan.length + after.in)}`;
}

/** The disk that the burst takes, compared with what is free. @param {Plan} plan */
export function diskWords({ bytes: needed, free }) {
  const words = figure(needed, bytes);
  if (!(free >= 0) || needed?.v === undefined) return { text: words };
  return needed.v > free ? { text: `${words}, more than the ${bytes(free)} free now`, severity: 'bad' } : { text: `${words} of ${bytes(free)} free now` };
}

/** The words with the explanation of their figure; ≈ if it is an estimate of something that happens. */
function Outcome({ name, fig, words, severity }) {
  const value = fig?.v?.never === undefined ? html`<${Fig} fig=${fig} format=${() => words} />` : html`<span data-why=${fig.why ?? fig.v.never} tabindex="0">${words}</span>`;
  return html`<div><dt>${name}</dt><dd class=${severity}>${value}</dd></div>`;
}

/** @param {{plan: Plan}} props */
function CourseFigures({ plan }) {
  const disk = diskWords(plan);
  const late = plan.late?.v && plan.late.v.never === undefined;
  return html`<dl class="answers">
    <${Outcome} name="Late" fig=${plan.late} words=${lateWords(plan)} severity=${late ? 'watch' : undefined} />
    <${Outcome} name="Longest wait" fig=${plan.longestWait} words=${(plan.isBound ? 'at most ' : '') + duration(plan.longestWait?.v)} />
    <${Outcome} name="Disk used" fig=${plan.bytes} words=${disk.text} severity=${disk.severity} />
    <${Outcome} name="Has caught up" fig=${plan.recovery} words=${caughtUpWords(plan)} />
  </dl>`;
}

/** @param {{plan: Plan, perSecond: number, limit: number}} props */
function CourseChart({ plan, perSecond, limit }) {
  const begin = Date.parse(plan.begin) / 1000;
  const values = plan.points.map((point) => begin + point.seconds);
  return html`<${Chart} title="What this burst does" sentence=${`${rate(perSecond)} for ${duration(plan.length)} from now: how long a message waits that comes then.`} height=${200} x=${{ values }} y=${{ format: duration, scale: 'asinh', at: TIMES }}
    series=${[
      { label: 'behind', values: plan.points.map((point) => point.behind), color: 'c1', fill: 'band' },
      { label: `limit ${duration(limit)}`, values: values.map(() => limit), color: 'c-limit', dash: [5, 4], width: 1.25 },
    ]} />`;
}

const LENGTHS = [30, 60, 300, 900, 3600, 6 * 3600, 86400];

function Asked({ asked, length, reference }) {
  const [text, setText] = useState(null);
  const set = (perSecond) => view({ x: Math.round(perSecond) });
  const take = (value) => {
    const wanted = Number(String(value).replaceAll(',', ''));
    if (wanted > 0) set(wanted);
    setText(null);
  };
  const lengths = LENGTHS.includes(length) ? LENGTHS : [...LENGTHS, length].sort((a, b) => a - b);
  return html`<div class="asked">
    <label for="burst-rate">Messages per second</label>
    <input id="burst-rate" inputmode="numeric" autocomplete="off" value=${text ?? asked} onInput=${(event) => setText(event.target.value)}
      onChange=${(event) => take(event.target.value)} onKeyDown=${(event) => event.key === 'Enter' && take(event.target.value)} />
    <button type="button" class="quiet" onClick=${() => set(reference ?? asked)}>10× burst</button>
    <label for="burst-length">It lasts</label>
    <select id="burst-length" value=${length} onChange=${(event) => view({ len: event.target.value })}>${lengths.map((one) => html`<option key=${one} value=${one}>${duration(one)}</option>`)}</select>
  </div>`;
}

/** Bytes that queues may use now; NaN if unknown. */
function free() {
  const { stopBytes, usedBytes } = frame.peek().tiles.disk ?? {};
  return Math.max(0, stopBytes?.v - usedBytes?.v);
}

function Planner({ data, service }) {
  const { name, limit, paused } = service;
  const { rate: asked, length, course, now, can, cautious, reference, typical } = data;
  const plan = course && { ...course, length, begin: frame.peek().at, free: free(), isBound: can.v === undefined };
  return html`<div class="planner">
    <div class="panel">
      <${Asked} asked=${Math.round(asked.v ?? 0)} length=${length} reference=${reference.v} />
      ${paused && html`<p class="state watch">● ${name} is paused and performs nothing: this is a burst that begins when it is resumed.</p>`}
      ${plan && html`<${CourseFigures} plan=${plan} />`}
      <p class="muted">Now ${figure(now, number)}/s; ${can.v === undefined ? 'capacity not measured' : html`capacity <${Fig} fig=${can} />/s${cautious.v < can.v && html`; the planner uses <${Fig} fig=${cautious} />/s`}`}.${typical.why === undefined && ` Bursts usually last ${duration(typical.v)}.`}</p>
    </div>
    <div class="charts-of-burst">${plan?.points.length > 1 && html`<${CourseChart} plan=${plan} perSecond=${asked.v} limit=${limit} />`}</div>
  </div>`;
}

export function BurstPlanner({ service }) {
  const { x, len } = route.value.query;
  const given = (value) => (Number(value) > 0 ? Number(value) : null);
  const load = useLoad(path(of(service.name, '/burst'), { rate: given(x), seconds: given(len) }), 15);
  return html`<section class="part-of" id="burst">
    <h2>Plan a burst</h2>
    <${Loaded} load=${load} what="the planner">${(data) => html`<${Planner} data=${data} service=${service} />`}<//>
  </section>`;
}
