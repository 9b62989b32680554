/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The open alerts, most urgent first, those of the last day or month (?h=24|720), and the rules that open and close them. */
import { html } from '../parts/html.js';
import { askAcknowledge, askSilence } from '../actions.js';
import { path } from '../api.js';
import { duration, minute, moment, since, UNKNOWN } from '../format.js';
import { ActionButton } from '../parts/dialog.js';
import { Shape } from '../parts/figure.js';
import { alertHref, RestartButton } from '../parts/jobs.js';
import { Loaded, useLoad } from '../parts/load.js';
import { Rows } from '../parts/rows.js';
import { serviceOf } from '../parts/verdict.js';
import { href, route, serviceHref } from '../router.js';

const TIMES = [
  ['24', '24 h'],
  ['720', '30 d'],
];

/** Around the alert, a chart shows at least this much. */
const AROUND_MILLIS = 5 * 60_000;

function placeOf(alert) {
  if (alert.service) return serviceOf(alert);
  if (alert.job) return alertHref(alert);
  return (alert.volume || alert.kind === 'memory') && '/admin/storage';
}

/** What it looked like when an alert opened, with the charts of its time; null if it has none. @param {{kind: string, service?: string, volume?: string, opened: string, closed?: string}} alert */
export function chartsOf({ kind, service, volume, opened, closed }, now = Date.now()) {
  const start = Date.parse(opened);
  const end = closed ? Date.parse(closed) : now;
  const around = Math.max(AROUND_MILLIS, (end - start) / 4);
  const to = end + around;
  const range = { at: new Date(start).toISOString(), from: new Date(start - around).toISOString(), to: to < now ? new Date(to).toISOString() : 'now' };
  if (service) return serviceHref(service, range);
  return volume || kind === 'memory' ? href('/storage', range) : null;
}

const noted = ({ by, at, note }) => `acknowledged by ${by} at ${minute(at)} UTC: ${note}`;

/** What is known of an open alert beside its text. */
export function details({ kind, since: at, marks, silenced, acknowledged }) {
  return [
    kind,
    `since ${since(at)} UTC`,
    marks,
    silenced && `silenced by ${silenced.by} until ${minute(silenced.until)} UTC${silenced.reason ? `: ${silenced.reason}` : ''}`,
    acknowledged && noted(acknowledged),
  ].filter(Boolean);
}

function Open({ alert, again }) {
  const { severity, service, volume, job, text, silenced, acknowledged } = alert;
  const name = service ?? volume ?? job ?? alert.kind;
  const place = placeOf(alert);
  return html`<li class=${`panel alert ${severity}${acknowledged ? ' acknowledged' : ''}`} data-row>
    <div><p><${Shape} severity=${severity} state=${alert.kind} /> <b>${text}</b></p>
      <p class="muted">${details(alert).join(' · ')}</p></div>
    <div class="buttons">
      ${place && html`<a class="button" href=${place}>Open<span class="vh"> ${name}</span></a>`}
      ${alert.kind === 'job' && alert.execution && html`<${RestartButton} id=${alert.execution} />`}
      ${!acknowledged && html`<${ActionButton} label=${`Acknowledge… ${name}`} onClick=${() => askAcknowledge(alert, again)}>Acknowledge…<//>`}
      ${!silenced && html`<${ActionButton} label=${`Silence… ${name}`} onClick=${() => askSilence(alert, 30, again)}>Silence…<//>`}
    </div>
  </li>`;
}

const HISTORY = [
  { name: 'Opened (UTC)', head: true, cell: (alert) => html`<span class="nowrap">${moment(alert.opened)}</span>` },
  { name: 'Lasted', number: true, cell: (alert) => (alert.closed ? duration(alert.duration) : html`open, ${duration(alert.duration)}`) },
  { name: 'Kind', cell: (alert) => html`<span class="nowrap"><${Shape} severity=${alert.severity} /> ${alert.kind}<span class="vh"> (${alert.severity})</span></span>` },
  { name: 'At its peak', wrap: true, cell: (alert) => alert.text },
  { name: 'Peak', number: true, cell: (alert) => alert.peak ?? UNKNOWN },
  { name: 'Acknowledged', wrap: true, cell: (alert) => (alert.acknowledged ? `${alert.acknowledged.by}: ${alert.acknowledged.note}` : UNKNOWN) },
  { name: 'Webhook', cell: (alert) => (alert.reported ? 'reported' : UNKNOWN) },
  { name: 'Charts', cell: (alert) => {
    const place = chartsOf(alert);
    return place ? html`<a href=${place}>Charts<span class="vh"> of ${alert.service ?? alert.volume ?? alert.kind} at ${moment(alert.opened)}</span></a>` : UNKNOWN;
  } },
];

function History() {
  const { path: place, query } = route.value;
  const hours = TIMES.some(([value]) => value === query.h) ? query.h : '24';
  const load = useLoad(path('/alerts/history', { hours }), 5);
  return html`<section class="panel history"><div class="head"><h2>History</h2>
      <nav class="range" aria-label="Time of the history">${TIMES.map(([value, name]) => html`<a key=${value} href=${href(place, { ...query, h: value })} aria-current=${value === hours ? 'true' : undefined}>${name}</a>`)}</nav></div>
    <${Loaded} load=${load} what="the history">${({ alerts }) => html`<${Rows} label="History of alerts, latest first" rows=${alerts} key=${(alert) => alert.id + alert.opened} columns=${HISTORY} empty="No alert was open in this time." />`}<//></section>`;
}

export function Rules({ rules }) {
  return html`<section class="panel"><h2>Rules</h2>
    <${Rows} label="Rules" rows=${rules} empty="There are no rules." columns=${[
      { name: 'Kind', head: true, cell: (rule) => rule.name },
      { name: 'Figure', wrap: true, cell: (rule) => rule.figure },
      { name: 'Marks', wrap: true, cell: ({ marks, sooner }) => [marks ?? 'opens and closes with the state', sooner].filter(Boolean).join('; ') },
      { name: 'Opens after', number: true, cell: (rule) => duration(rule.enterAfter ?? NaN) },
      { name: 'Closes after', number: true, cell: (rule) => (rule.leaveAfter === 0 ? 'at once' : duration(rule.leaveAfter ?? NaN)) },
      { name: 'For Prometheus', wrap: true, cell: (rule) => (rule.prometheus ? html`<code>${rule.prometheus}</code>` : UNKNOWN) },
    ]} /></section>`;
}

export function AlertsScreen() {
  const load = useLoad('/alerts', 5);
  return html`<h1>Alerts</h1>
    <${Loaded} load=${load} what="the alerts">${({ open, rules }) => html`
      ${open.length === 0
        ? html`<div class="panel empty"><p><${Shape} severity="fine" /> No open alerts</p></div>`
        : html`<ul class="alerts">${open.map((alert) => html`<${Open} key=${alert.id} alert=${alert} again=${load.again} />`)}</ul>`}
      <${History} />
      <${Rules} rules=${rules} />`}<//>`;
}
