/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The open alerts, most urgent first, and the rules that open and close them. */
import { html } from '../parts/html.js';
import { askSilence } from '../actions.js';
import { duration, figure, minute, number, since, UNKNOWN } from '../format.js';
import { ActionButton } from '../parts/dialog.js';
import { Shape } from '../parts/figure.js';
import { alertHref, RestartButton } from '../parts/jobs.js';
import { Loaded, useLoad } from '../parts/load.js';
import { Rows } from '../parts/rows.js';
import { serviceHref } from '../router.js';

const plain = (value, unit) => {
  if (unit === 's' && typeof value === 'number') return duration(value);
  if (value === null || value === undefined) return UNKNOWN;
  if (typeof value === 'object') return figure(value, (v) => (typeof v === 'number' ? number(v) : String(v)));
  return typeof value === 'number' ? number(value) : value;
};

function placeOf(alert) {
  if (alert.service) return serviceHref(alert.service);
  if (alert.job) return alertHref(alert);
  return alert.volume && '/admin/storage';
}

function Open({ alert, again }) {
  const { severity, service, volume, job, text, silenced } = alert;
  const name = service ?? volume ?? job ?? alert.kind;
  const place = placeOf(alert);
  return html`<li class=${'panel alert ' + severity} data-row>
    <div><p><${Shape} severity=${severity} state=${alert.kind} /> <b>${text}</b></p>
      <p class="muted">since ${since(alert.since)} UTC${alert.figure !== undefined && alert.figure !== null ? ` · value ${plain(alert.figure)}, threshold ${plain(alert.threshold)}` : ''}
        ${silenced && html` · silenced by ${silenced.by} until ${minute(silenced.until)} UTC${silenced.reason ? `: ${silenced.reason}` : ''}`}</p></div>
    <div class="buttons">
      ${place && html`<a class="button" href=${place}>Open<span class="vh"> ${name}</span></a>`}
      ${alert.kind === 'job' && alert.execution && html`<${RestartButton} id=${alert.execution} />`}
      ${!silenced && html`<${ActionButton} label=${`Silence… ${name}`} onClick=${() => askSilence(alert, 30, again)}>Silence…<//>`}
    </div>
  </li>`;
}

function Rules({ rules }) {
  return html`<section class="panel"><h2>Rules</h2>
    <${Rows} label="Rules" rows=${rules} empty="There are no rules." columns=${[
      { name: 'Rule', head: true, cell: (rule) => rule.name },
      { name: 'Figure', cell: (rule) => rule.figure },
      { name: 'Watch', number: true, cell: (rule) => html`<${Shape} severity="watch" /> ${plain(rule.watch, rule.unit)}` },
      { name: 'Bad', number: true, cell: (rule) => html`<${Shape} severity="bad" /> ${plain(rule.bad, rule.unit)}` },
      { name: 'Opens after', number: true, cell: (rule) => duration(rule.enterAfter ?? NaN) },
      { name: 'Closes after', number: true, cell: (rule) => duration(rule.leaveAfter ?? NaN) },
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
      <${Rules} rules=${rules} />`}<//>`;
}
