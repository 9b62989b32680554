/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Home: the three figures, what needs attention, a chart of all services, and a row per service. */
import { askPauseOrResume, isPaused, limitText } from '../actions.js';
import { firstSentence } from '../alerts.js';
import { post } from '../api.js';
import { clock, count, counted, duration, figure, number, rate, share } from '../format.js';
import { Chart } from '../parts/chart.js';
import { ActionButton } from '../parts/dialog.js';
import { html } from '../parts/elements.js';
import { Fig, Shape, State, stateClass, stateWord } from '../parts/figure.js';
import { LastAlerts } from '../parts/last-alerts.js';
import { LAG, Tiles } from '../parts/tiles.js';
import { Verdict } from '../parts/verdict.js';
import { href, route, serviceHref, view } from '../router.js';
import { openCount } from '../sentences.js';
import { frame, hasFrame, may, me, problemsOf, serviceNames, serviceSignal, tell, worstKind } from '../store.js';

/** What the last unclean stop means. */
export function UncleanStop() {
  const stop = frame.value.uncleanStop;
  return stop && html`<section class="unclean" aria-label="Unclean stop"><p>${stop.text}</p></section>`;
}

/** The limits that operators have set, so that none is forgotten. */
export function Limited() {
  const limited = frame.value.door?.limited ?? [];
  return limited.length > 0 && html`<section class="limited" aria-label="Limited callers"><p>${limited.map((one) => `${one.caller} is limited to ${limitText(one)}`).join('; ')}. ${may('operator') && html`<a href=${href('/callers')}>Callers</a>`}</p></section>`;
}

/** What all services accept and perform, over the last minutes. The axis has the numbers. */
export function Flow() {
  const { flow } = frame.value;
  if (!flow) return null;
  const { first, step, accepted, performed } = flow;
  const begin = Date.parse(first) / 1000;
  return html`<${Chart} title="Accepted and performed" sentence="Messages per second, of all services." height=${150}
    x=${{ values: accepted.map((_, i) => begin + i * step) }} y=${{ format: rate }}
    series=${[
      { label: 'accepted', values: accepted, color: 'c1', fill: 'band' },
      { label: 'performed', values: performed, color: 'c2', width: 2 },
    ]} />`;
}

const COLUMNS = [
  ['service', 'Service'],
  ['state', 'State'],
  ['behind', 'Behind'],
  ['rates', 'In → done, per second'],
  ['failed', 'Failed'],
  ['act', 'Action'],
];

/** A pause would make these services later. */
const PAUSE_HARMS = ['growing', 'draining', 'steady', 'resuming', 'refusing'];

function Cell({ id, label, none, children }) {
  return html`<td class=${'c-' + id + (none ? ' none' : '')} role="cell" data-label=${label}>${children}</td>`;
}

/** An alert of its lag, or the banner, has the reason of a state; that of its retention has not. Why it is paused is always said. */
function StateCell({ service }) {
  const { name, severity, state, accepts, waitsFor } = service;
  const kind = worstKind(name);
  const isTold = !isPaused(service) && problemsOf(name).some((one) => LAG.includes(one.kind) && one.kind !== 'loss');
  const reason = isTold || state === 'keeping_up' ? '' : service.reason;
  return html`<${Cell} id="state" label="State">
    <span class=${stateClass(severity, state)}><${Shape} severity=${severity} state=${state} /> ${stateWord(state, waitsFor.length, severity === 'fine' ? undefined : kind)}</span>
    ${reason && html`<small title=${reason}>${firstSentence(reason)}</small>`}
    ${accepts === false && html`<small class="bad">accepts nothing</small>`}
  <//>`;
}

function FailedCell({ service }) {
  const { name, open, failed, dead, failedRecently: recent, failingShare: failing, severity } = service;
  const level = failing && severity === 'bad' ? 'bad' : 'watch';
  const now = failing && html`<small class=${level}>${share(failing)} fail</small>`;
  const shown = open?.count > 0 && html`<a href=${serviceHref(name, { t: 'failed' })} data-why=${`open; ${count(failed + dead)} failed since the start`} class=${recent ? 'state ' + level : ''}>${recent > 0 && html`<${Shape} severity=${level} /> `}${openCount(open)}</a>`;
  return html`<${Cell} id="failed" label="Failed" none=${!shown && !now}>${shown}${now}<//>`;
}

export function ServiceRow({ name }) {
  const service = serviceSignal(name).value;
  const { behind, accepted, performed, state } = service;
  const verb = isPaused(service) ? 'Resume' : PAUSE_HARMS.includes(state) ? '' : 'Pause';
  return html`<tr role="row" data-row data-service=${name}>
    <th scope="row" role="rowheader" class="c-service"><a href=${serviceHref(name)}>${name}</a></th>
    <${StateCell} service=${service} />
    <${Cell} id="behind" label="Behind"><span class="big" data-why=${behind?.why}>${figure(behind, duration)}</span><//>
    <${Cell} id="rates" label="In → done /s">${figure(accepted, number)}${state !== 'keeping_up' && ` → ${figure(performed, number)}`}<//>
    <${FailedCell} service=${service} />
    <${Cell} id="act" label="" none=${!verb}>${verb && html`<${ActionButton} kind="quiet" label=${`${verb} ${name}`} onClick=${() => askPauseOrResume(service)}>${verb}…<//>`}<//>
  </tr>`;
}

function Table({ names }) {
  return html`<table class="services" role="table" aria-label="Services">
    <thead role="rowgroup"><tr role="row">${COLUMNS.map(([id, name]) => html`<th key=${id} role="columnheader" scope="col" class=${'c-' + id}>${id === 'act' ? html`<span class="vh">Action</span>` : name}</th>`)}</tr></thead>
    <tbody role="rowgroup">${names.map((name) => html`<${ServiceRow} key=${name} name=${name} />`)}</tbody>
  </table>`;
}

/** Only in the demonstration: half a minute of more load than its database can perform. */
function DemoBurst() {
  const { demo } = frame.value;
  if (!demo) return null;
  const burst = () => post('/demo/burst', { seconds: 30 }).then(() => tell('A burst of 30 s has started.'), (problem) => tell(problem.message));
  return html`<${ActionButton} busy=${demo.bursting} onClick=${burst}>${demo.bursting ? 'Burst running' : 'Start a burst'}<//>`;
}

/** So many services need no filter. */
const FEW = 10;

function Services() {
  const { q = '' } = route.value.query;
  const all = serviceNames.value;
  const names = all.filter((name) => name.toLowerCase().includes(q.toLowerCase()));
  if (all.length === 0) {
    return html`<p class="panel">No service runs here yet: define a gateway (docs/start.md) or a service (docs/services.md), and restart.</p>`;
  }
  return html`<div class="table-head">
      <h2>${names.length === all.length ? 'Services' : `${count(names.length)} of ${count(all.length)} services`}</h2>
      <${DemoBurst} />
      ${(all.length > FEW || q) && html`<label class="vh" for="filter">Filter services</label>
      <input id="filter" type="search" placeholder="Filter" value=${q} onInput=${(event) => view({ q: event.target.value }, true)} />`}
    </div>
    ${names.length ? html`<${Table} names=${names} />` : html`<p class="muted">No match</p>`}`;
}

function Instance({ one }) {
  const { worst } = one;
  return html`<li data-instance=${one.name}>
    <div><b>${one.name}</b>${one.self ? ' (this one)' : ''} <small>${one.backend} · seen ${clock(one.seenAt)} UTC · ${counted(one.count, 'service')}${one.bad > 1 ? `, ${count(one.bad)} of them bad` : ''}</small></div>
    ${worst && html`<p><b>${worst.name}</b> <${State} severity=${worst.severity} state=${worst.state} /> <span>behind <${Fig} fig=${worst.behind} format=${duration} quiet /></span></p>`}
  </li>`;
}

/** The processes that share the system database, each with its most urgent service; shown as soon as there are two. */
function Instances() {
  const instances = frame.value.instances ?? [];
  if (instances.length < 2) return null;
  return html`<section class="panel instances"><h2>${instances.length} instances</h2>
    <ul>${instances.map((one) => html`<${Instance} key=${one.name} one=${one} />`)}</ul>
  </section>`;
}

/** A viewer would look in vain for the others. */
function Viewer() {
  if (may('operator')) return null;
  return html`<p class="foot muted">Your login is read-only (role ${me.value.role}): it has no commands, and does not show Callers, Audit, Messages and Settings.</p>`;
}

export function HomeScreen() {
  if (!hasFrame.value) {
    return html`<h1 class="vh">Home</h1><div class="skeleton" aria-hidden="true"><i></i><i></i><i></i><i></i></div><p class="muted waiting">Waiting for the first figures…</p>`;
  }
  return html`<${Tiles} /><${Verdict} /><${UncleanStop} /><${Limited} /><${Flow} /><${Services} /><${Instances} /><${LastAlerts} /><${Viewer} />`;
}
