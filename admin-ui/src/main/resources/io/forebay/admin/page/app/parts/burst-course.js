/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What one planned burst does to a service: as figures, as a sentence, and over time. */
import { html } from './html.js';
import { ahead, bytes, duration, figure, rate } from '../format.js';
import { Chart } from './chart.js';
import { Fig } from './figure.js';

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
function Answer({ name, fig, words, severity }) {
  const value = fig?.v?.never === undefined ? html`<${Fig} fig=${fig} format=${() => words} />` : html`<span data-why=${fig.why ?? fig.v.never} tabindex="0">${words}</span>`;
  return html`<div><dt>${name}</dt><dd class=${severity}>${value}</dd></div>`;
}

/** @param {{plan: Plan, now: number}} props */
export function CourseFigures({ plan, now }) {
  const disk = diskWords(plan);
  const late = plan.late?.v && plan.late.v.never === undefined;
  return html`<dl class="answers">
    <${Answer} name="Late" fig=${plan.late} words=${lateWords(plan, now)} severity=${late ? 'watch' : undefined} />
    <${Answer} name="Longest wait" fig=${plan.longestWait} words=${figure(plan.longestWait?.v === undefined ? null : { v: plan.longestWait.v }, duration)} />
    <${Answer} name="Disk used" fig=${plan.bytes} words=${disk.text} severity=${disk.severity} />
    <${Answer} name="Has caught up" fig=${plan.recovery} words=${caughtUpWords(plan, now)} />
  </dl>`;
}

/** @param {{plan: Plan, perSecond: number, limit: number, now: number}} props */
export function CourseChart({ plan, perSecond, limit, now }) {
  const begin = Date.parse(plan.begin) / 1000;
  const values = plan.points.map((point) => begin + point.seconds);
  return html`<${Chart} title="What this burst does" sentence=${courseSentence(plan, perSecond, now)} height=${200} x=${{ values }} y=${{ format: duration, scale: 'asinh', at: TIMES }}
    marks=${[{ x: begin + plan.length, label: 'burst ends' }]}
    series=${[
      { label: 'behind', values: plan.points.map((point) => point.behind), color: 'c1', fill: 'band' },
      { label: `limit ${duration(limit)}`, values: values.map(() => limit), color: 'c-limit', dash: [5, 4], width: 1.25 },
    ]} />`;
}
