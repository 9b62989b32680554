/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What was recorded of a moment in the past (?at=): all services, one of them, and the disks. */
import { html } from '../parts/html.js';
import { bytes, count, counted, duration, figure, number, rate, second, share } from '../format.js';
import { AtField, backToNow, usePast } from '../parts/at.js';
import { Fig, Shape } from '../parts/figure.js';
import { Loaded } from '../parts/load.js';
import { Rows } from '../parts/rows.js';
import { href, serviceHref } from '../router.js';
import { may } from '../store.js';
import { alertHref } from '../parts/jobs.js';
import { StorageChart } from './storage-chart.js';

/** Why there are no figures, if the instance did not run. @param {{stoppedAt: string, startedAt: string, clean: boolean}|null} stopped */
export function stoppedWords(stopped) {
  return stopped && `This instance did not run: ${stopped.clean ? 'stopped' : 'stopped uncleanly'} at ${second(stopped.stoppedAt)} UTC, started again at ${second(stopped.startedAt)} UTC.`;
}

const Stopped = ({ stopped }) => stopped && html`<p class="panel"><${Shape} severity="watch" /> ${stoppedWords(stopped)}</p>`;

const placeOf = ({ service, volume, kind, ...alert }) => (service ? serviceHref(service) : volume || kind === 'memory' ? href('/storage') : alertHref(alert));

/** The alerts that were open, with the text of their peak, which may have been later. */
function Alerts({ alerts }) {
  if (alerts.length === 0) return html`<p class="panel"><${Shape} severity="fine" /> No alert was open.</p>`;
  return html`<section class="panel"><h2>${counted(alerts.length, 'alert')} open then</h2>
    <ul class="open-then">${alerts.map((alert) => html`<li key=${alert.id + alert.opened}><${Shape} severity=${alert.severity} state=${alert.kind} /> <a href=${placeOf(alert)}>${alert.service ?? alert.volume ?? alert.job ?? alert.kind}</a>, ${alert.kind}, from ${second(alert.opened)} UTC ${alert.closed ? `until ${second(alert.closed)} UTC` : 'until now'}. At its peak: ${alert.text}</li>`)}</ul></section>`;
}

const COLUMNS = [
  { name: 'Service', head: true, cell: (one) => html`<${Shape} severity=${one.severity} /> <a href=${serviceHref(one.name)}>${one.name}</a>` },
  { name: 'Behind', number: true, cell: (one) => html`<${Fig} fig=${one.behind} format=${duration} quiet />` },
  { name: 'Waiting', number: true, cell: (one) => html`<${Fig} fig=${one.unperformed} format=${count} quiet />` },
  { name: 'In → done, per second', number: true, cell: (one) => `${figure(one.accepted, number)} → ${figure(one.performed, number)}` },
  { name: 'Workers busy', number: true, cell: (one) => html`<${Fig} fig=${one.busy} format=${share} quiet />` },
  { name: 'p99', number: true, cell: (one) => html`<${Fig} fig=${one.p99} format=${duration} quiet />` },
];

function Disks({ volumes }) {
  return volumes.length > 0 && html`<section class="panel"><h2>Disks</h2>
    <dl class="facts">${volumes.map(({ volume, usedBytes }) => html`<div key=${volume}><dt>${volume}</dt><dd><${Fig} fig=${usedBytes} format=${bytes} /> used</dd></div>`)}</dl></section>`;
}

/** The home page of a moment. */
export function PastServices({ shown }) {
  const load = usePast(shown);
  return html`<div class="head"><h1>${second(shown.time)} UTC</h1><div class="range"><${AtField} /></div></div>
    <${Loaded} load=${load} what="what was recorded">${({ stopped, services, volumes, alerts }) => html`
      <${Stopped} stopped=${stopped} />
      <${Alerts} alerts=${alerts} />
      <section class="panel cards"><${Rows} label="Services, most urgent of that time first" rows=${services} key=${(one) => one.name} columns=${COLUMNS} empty="No service runs here." /></section>
      <${Disks} volumes=${volumes} />`}<//>
    <p class="muted">Not recorded: states and pauses, failures, memory, and forecasts. ${may('operator') && html`The commands of that time are in the <a href="/admin/audit">audit</a>. `}<a href=${backToNow()}>Back to now</a></p>`;
}

/** The head of a service's screen at a moment. */
export function PastService({ shown, name }) {
  const load = usePast(shown);
  return html`<div class="head"><div><h1>${name}</h1><p><a href=${href('/')}>All services at that time</a></p></div></div>
    <${Loaded} load=${load} what="what was recorded">${({ stopped, services, alerts }) => {
      const one = services.find((service) => service.name === name);
      return html`<${Stopped} stopped=${stopped} />
        ${one && html`<section class="lag panel" aria-label="At that time">
          <p><span class="big"><${Fig} fig=${one.behind} format=${duration} /></span> behind</p>
          <ul><li>${figure(one.unperformed, (value) => counted(value, 'message'))} waited</li><li>accepted ${figure(one.accepted, rate)}, performed ${figure(one.performed, rate)}</li><li>workers <${Fig} fig=${one.busy} format=${share} /> busy</li><li>p99 <${Fig} fig=${one.p99} format=${duration} /></li></ul>
          <p class="muted">Its state, pauses and capacity of that time are not recorded.</p></section>`}
        <${Alerts} alerts=${alerts.filter((alert) => alert.service === name)} />`;
    }}<//>`;
}

/** The disks at a moment. */
export function PastStorage({ shown }) {
  const load = usePast(shown);
  return html`<${Loaded} load=${load} what="what was recorded">${({ stopped, volumes }) => html`<${Stopped} stopped=${stopped} />
    ${volumes.length === 0 && html`<p class="panel">This backend stores nothing on disk.</p>`}
    ${volumes.map((one) => html`<section class="volume" key=${one.volume}><div class="panel"><h2>${one.volume}</h2><p class="runway"><span class="big"><${Fig} fig=${one.usedBytes} format=${bytes} /></span> <span class="muted">used at that time</span></p></div><${StorageChart} volume=${one} /></section>`)}
    <p class="muted">Files, forecasts and memory of that time are not recorded. <a href=${backToNow()}>Back to now</a></p>`}<//>`;
}
