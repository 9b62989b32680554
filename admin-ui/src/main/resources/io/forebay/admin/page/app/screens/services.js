/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Home: what needs attention, the shared resources, and a row per service, most urgent first. */
import { useComputed } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { html } from '../parts/html.js';
import { post } from '../api.js';
import { clock, count, counted } from '../format.js';
import { ActionButton } from '../parts/dialog.js';
import { Headroom } from '../parts/headroom.js';
import { LastAlerts } from '../parts/last-alerts.js';
import { LastCommands } from '../parts/last-commands.js';
import { Pipelines } from '../parts/pipeline.js';
import { RunningReplays } from '../parts/running-replays.js';
import { UncleanStop } from '../parts/restarts.js';
import { Tiles } from '../parts/tiles.js';
import { Verdict } from '../parts/verdict.js';
import { hiddenPlaces } from '../places.js';
import { route, view } from '../router.js';
import { applyOrder, frame, holdOrder, may, me, order, otherOrder, serviceSignal, tell } from '../store.js';
import { Instances } from './instances.js';
import { ServiceRow } from './service-row.js';

const COLUMNS = [
  ['service', 'Service'],
  ['state', 'State'],
  ['behind', 'Behind'],
  ['rates', 'In → done, per second'],
  ['next', 'Next'],
  ['burst', 'If 10× now'],
  ['share', 'Share of Forebay’s growth'],
  ['p99', 'p99, 10 min'],
  ['failed', 'Failed'],
  ['act', 'Action'],
];

function Table({ names }) {
  const focused = useRef(null);
  const hold = () => holdOrder(true);
  const take = (event) => {
    focused.current = event.target;
    hold();
  };
  const lose = (event) => {
    if (event.relatedTarget) focused.current = null;
  };
  useEffect(() => () => holdOrder(false), []);
  // a row that moves loses the focus
  useLayoutEffect(() => {
    if (document.activeElement === document.body && focused.current?.isConnected) focused.current.focus({ preventScroll: true });
  }, [names]);
  return html`<table class="services" role="table" aria-label="Services, most urgent first" onPointerMove=${hold} onPointerLeave=${() => holdOrder(false)} onKeyDown=${hold} onFocusIn=${take} onFocusOut=${lose}>
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

/** The rows shown; recreated only when the order or the filter changes, never because of a figure. */
function Rows() {
  const filter = useComputed(() => (route.value.query.q ?? '').toLowerCase());
  const names = useComputed(() => order.value.filter((name) => name.toLowerCase().includes(filter.value) && serviceSignal(name)));
  if (order.value.length === 0) {
    return html`<p class="panel">No service runs here yet: define a gateway (docs/start.md) or a service (docs/services.md), and restart.</p>`;
  }
  return html`<div class="table-head">
      <h2>${names.value.length === order.value.length ? counted(order.value.length, 'service') : `${count(names.value.length)} of ${count(order.value.length)} services`}</h2>
      ${otherOrder.value && html`<button type="button" class="chip" onClick=${applyOrder}>Update the order</button>`}
      <${DemoBurst} />
      <label class="vh" for="filter">Filter services</label>
      <input id="filter" type="search" placeholder="Filter" value=${route.value.query.q ?? ''} onInput=${(event) => view({ q: event.target.value }, true)} />
    </div>
    ${names.value.length ? html`<${Table} names=${names.value} />` : html`<p class="muted">No match</p>`}`;
}

/** A viewer would look in vain for the others. */
function Viewer() {
  if (may('operator')) return null;
  return html`<p class="foot muted">Your login is read-only (role ${me.value.role}): it may not use commands, and does not show ${hiddenPlaces()}.</p>`;
}

function Foot() {
  const now = frame.value;
  return html`<${Viewer} /><p class="foot muted"><span>snapshot ${count(now.seq)} · ${clock(now.at)} UTC</span></p>`;
}

export function ServicesScreen() {
  const waiting = useComputed(() => frame.value === null);
  if (waiting.value) {
    return html`<h1 class="vh">Services</h1><div class="skeleton" aria-hidden="true"><i></i><i></i><i></i><i></i></div><p class="muted waiting">Waiting for the first figures…</p>`;
  }
  return html`<${Verdict} /><${UncleanStop} /><${Tiles} /><${RunningReplays} /><${LastCommands} /><${Rows} /><${Headroom} /><${Pipelines} /><${Instances} /><${LastAlerts} /><${Foot} />`;
}
