/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * One service: its state in a line, then a section for each question. A link may name one of them (?t=): slowest, latency, burst,
 * failed, partitions.
 */
import { useEffect } from 'preact/hooks';
import { html } from '../parts/html.js';
import { askDrain, askPauseOrResume, isPaused } from '../actions.js';
import { ahead, clock, count, duration, since } from '../format.js';
import { service as of } from '../api.js';
import { ActionButton } from '../parts/dialog.js';
import { Fig, Shape, State } from '../parts/figure.js';
import { FailureGroups } from '../parts/failures.js';
import { useLoad } from '../parts/load.js';
import { Pipelines } from '../parts/pipeline.js';
import { Range } from '../parts/range.js';
import { href, route } from '../router.js';
import { lagParts, openCount, pause } from '../sentences.js';
import { frame, may, problemsOf, serviceSignal } from '../store.js';
import { Blocked } from './service-blocked.js';
import { BurstPlanner } from './service-burst.js';
import { Latency } from './service-latency.js';
import { ServiceCharts } from './service-charts.js';
import { Partitions } from './service-partitions.js';
import { Slowest } from './service-slowest.js';

const SECTIONS = [
  ['charts', 'Charts'],
  ['latency', 'Latency'],
  ['burst', 'Plan a burst'],
  ['failed', 'Failed'],
  ['partitions', 'Partitions'],
];

/** While a section above it may still get its height. */
const SETTLES_WITHIN = 4000;

/** Alerts whose text says more than the figures and the state. */
const SAID = ['failing', 'dead'];

function Paused({ paused }) {
  const { until, held, by, began, replaced, reason, lateAt } = paused;
  const now = Date.parse(frame.value.at);
  const how = until ? html`until <b>${ahead(until, now)}</b> UTC` : html`for <b>${held}</b>, until somebody resumes it,`;
  return html`<p>❚❚ Paused ${how} by <b>${by}</b> (since ${since(began)} UTC)${reason && html`: “${reason}”`}${replaced && html`; first by <b>${replaced.by}</b>${replaced.reason && html`: “${replaced.reason}”`}`}${lateAt && html`; its oldest message will be late at <b>${ahead(lateAt, now)}</b> UTC`}</p>`;
}

function Head({ service }) {
  const { name, waitsFor } = service;
  const paused = pause(service, Date.parse(frame.value.at));
  // the panel of a blocking message has its reason; the last error is often the reason for waiting
  const { reason, lastError } = waitsFor.length > 0 ? {} : service;
  return html`<div class="head">
      <div><h1>${name}</h1><p><${State} ...${service}>${service.since && html`<small>since ${since(service.since)} UTC</small>`}<//>${service.accepts === false && html` <b class="bad">accepts nothing</b>`}</p></div>
      <div class="buttons">
        <${ActionButton} label=${(isPaused(service) ? 'Resume' : 'Pause') + '… ' + name} onClick=${() => askPauseOrResume(service)}>${isPaused(service) ? 'Resume…' : 'Pause…'}<//>
        <${ActionButton} role="admin" onClick=${() => askDrain(name)}>Drain…<//>
      </div>
    </div>
    <section class="lag panel" aria-label="Now">
      <p><span class="big"><${Fig} fig=${service.behind} format=${duration} /></span> behind</p>
      <ul>${lagParts(service).map((part) => html`<li class=${part.severity ? 'state ' + part.severity : ''} data-why=${part.why} tabindex=${part.why ? 0 : undefined}>${part.text}</li>`)}</ul>
      ${problemsOf(name).filter(({ kind }) => SAID.includes(kind)).map(({ id, severity, text }) => html`<p key=${id}><${Shape} severity=${severity} /> ${text}</p>`)}
      ${paused && html`<${Paused} paused=${paused} />`}
      ${!paused && reason && html`<p class="muted">${reason}</p>`}
      ${service.declined > 0 && html`<p class="muted"><b>${count(service.declined)}</b> declined since the start: the component refused these calls as a normal outcome, and the callers got the reason.</p>`}
      ${lastError && lastError.text !== reason && html`<p class="muted">${service.state === 'waiting' || service.state === 'failed' ? 'Last error' : 'Last error, which is over:'} ${since(lastError.at)} UTC: <code>${lastError.text}</code></p>`}
    </section>`;
}

/** Scrolls to the section of the address, and stays there until the data above it have come or the user moves. */
function useSection(section, name) {
  useEffect(() => {
    if (!section) return undefined;
    const follow = new ResizeObserver(() => document.getElementById(section)?.scrollIntoView());
    const stop = () => follow.disconnect();
    follow.observe(document.querySelector('main'));
    const timer = setTimeout(stop, SETTLES_WITHIN);
    const moves = ['wheel', 'keydown', 'pointerdown'];
    moves.forEach((one) => addEventListener(one, stop, { once: true }));
    return () => {
      stop();
      clearTimeout(timer);
      moves.forEach((one) => removeEventListener(one, stop));
    };
  }, [section, name]);
}

function Sections({ service }) {
  const { name, open } = service;
  const { data, problem } = useLoad(of(name), 10);
  useSection(route.value.query.t, name);
  return html`<nav class="tabs" aria-label="Sections">
      ${SECTIONS.map(([id, text]) => html`<a key=${id} href=${'#' + id}>${text}${id === 'failed' && open && open.count > 0 ? ` ${openCount(open)}` : ''}</a>`)}
      ${may('operator') && html`<a href=${href('/messages', { service: name })}>Messages</a>`}
    </nav>
    <section class="part-of" id="charts"><h2 class="vh">Charts</h2><${Range} /><${ServiceCharts} service=${service} /></section>
    ${data && html`<${Slowest} ...${data.slowest} />`}
    <${Latency} name=${name} />
    <${BurstPlanner} service=${service} />
    <section class="part-of" id="failed"><h2>Failed messages</h2><${FailureGroups} service=${name} from="-3650d" /></section>
    ${data && html`<${Partitions} partitions=${data.partitions} />`}
    ${problem && html`<p class="muted">Slowest statements and partitions unknown: ${problem.message}</p>`}`;
}

export function ServiceScreen() {
  const name = route.value.parts[1];
  const known = frame.value && serviceSignal(name);
  if (!frame.value) return html`<h1>${name}</h1><p class="muted waiting">Waiting for the first figures…</p>`;
  if (!known) {
    return html`<h1>${name}</h1><div class="panel"><p>No service of this name runs here (checked at ${clock(frame.value.at)} UTC).</p><p><a href="/admin/">All services</a></p></div>`;
  }
  const service = known.value;
  return html`<${Head} service=${service} /><${Blocked} service=${service} /><${Pipelines} service=${name} /><${Sections} service=${service} />`;
}
