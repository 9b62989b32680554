/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * One service: its state in a line, what blocks it, its pipeline, then a section for each question. A link may name one of them
 * (?t=): charts, latency, burst, failed, partitions.
 */
import { useEffect } from 'preact/hooks';
import { askDrain, askFailMessage, askPauseOrResume, askSetAside, isPaused } from '../actions.js';
import { sentence } from '../alerts.js';
import { service as of } from '../api.js';
import { bytes, clock, count, counted, duration, figure, rate, share, since } from '../format.js';
import { Range } from '../parts/chart.js';
import { ActionButton } from '../parts/dialog.js';
import { html, Rows, text, useLoad } from '../parts/elements.js';
import { FailureGroups } from '../parts/failures.js';
import { Fig, Shape, State } from '../parts/figure.js';
import { href, route, serviceHref } from '../router.js';
import { figures, openCount } from '../sentences.js';
import { frame, may, problemsOf, serviceSignal } from '../store.js';
import { BurstPlanner } from './service-burst.js';
import { ServiceCharts } from './service-charts.js';
import { Latency } from './service-latency.js';

function Queue({ name }) {
  return may('operator') ? html`<a href=${href('/messages/' + encodeURIComponent(name))}>${name}</a>` : name;
}

/** The service whose messages wait longest, for a second at least; undefined if there is none. @param {object[]} services */
export const slowest = (services) =>
  services.filter((one) => one?.behind?.v >= 1).reduce((most, one) => (most && most.behind.v >= one.behind.v ? most : one), undefined);

function Edge({ stage, service, isWorst }) {
  return html`<div class=${'edge' + (isWorst ? ' worst' : '')}>
    <p class="queue"><${Queue} name=${stage.queue} /></p>
    <p class=${'waiting-now ' + (service.behind?.v > 0 ? service.severity : '')}><b><${Fig} fig=${service.behind} format=${duration} /></b> behind${' '}
      <small>${figure(service.unperformed, (value) => counted(value, 'message'))}</small></p>
    <p class="arrive"><small><${Fig} fig=${service.accepted} format=${rate} /> arrive${service.can?.v > 0 && service.accepted?.v !== undefined && `, ${figure({ ...service.can, v: service.accepted.v / service.can.v }, share)} of capacity`}</small>${isWorst && html` <b class="watch">● longest wait</b>`}</p>
  </div>`;
}

function Stage({ stage, here, isWorst }) {
  const service = serviceSignal(stage.service)?.value;
  if (!service) return null;
  return html`<li data-stage=${stage.service}>
    <${Edge} stage=${stage} service=${service} isWorst=${isWorst} />
    <div class=${'stage' + (here ? ' here' : '')}>
      <p><a href=${serviceHref(stage.service)} aria-current=${here ? 'page' : undefined}>${stage.service}</a></p>
      <p><${State} ...${service} /></p>
    </div>
  </li>`;
}

function Graph({ pipeline, here }) {
  const worst = slowest(pipeline.stages.map((stage) => serviceSignal(stage.service)?.value))?.name;
  return html`<ol class="pipeline" aria-label=${`Stages from ${pipeline.stages[0].service}, in order`}>
    ${pipeline.stages.map((stage) => html`<${Stage} key=${stage.service} stage=${stage} here=${stage.service === here} isWorst=${stage.service === worst} />`)}
    <li class="edge last"><p class="queue"><${Queue} name=${pipeline.answers} /></p></li>
  </ol>`;
}

/** The pipeline of which the service is a stage; nothing if there is none. */
export function Pipeline({ service }) {
  const shown = (frame.value.pipelines ?? []).find(({ stages }) => stages.some((stage) => stage.service === service));
  return shown && html`<section class="panel"><h2>Pipeline</h2><${Graph} pipeline=${shown} here=${service} /></section>`;
}

const Facts = ({ of }) => html`<dl class="facts">${of.map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;

function Waits({ name, one }) {
  const { partition, message } = one;
  return html`<section class="panel blocked" aria-label=${`Partition ${partition} waits for one message`}>
    <h2><${Shape} severity="watch" /> Partition ${partition} waits for one message</h2>
    <${Facts} of=${[['Position', message.position], ['Since', since(message.since) + ' UTC'], ['Attempts', count(message.attempts)], ['Reason', message.reason]]} />
    <p class="muted">Failed attempts are retried. A call that still waits for its result is not repeated. Later messages of the partition wait.</p>
    <div class="buttons"><${ActionButton} onClick=${() => askFailMessage(name, one)}>Fail this message…<//></div>
  </section>`;
}

function Damaged({ name, one }) {
  const { partition, queue, damage } = one;
  return html`<section class="panel blocked" aria-label=${`The ${queue}-queue of partition ${partition} is damaged`}>
    <h2><${Shape} severity="bad" /> The ${queue}-queue of partition ${partition} is damaged</h2>
    <${Facts} of=${[['Position', damage.position], ['Found', since(damage.since) + ' UTC'], ['Damage', damage.what]]} />
    ${damage.setAsideNext
      ? html`<p>The damaged files are set aside at the next start: restart Forebay.</p>`
      : html`<p class="muted">The partition accepts nothing, and performs nothing after this position, until you decide.</p>
        <div class="buttons"><${ActionButton} role="admin" onClick=${() => askSetAside(name, one)}>Set aside damaged messages…<//></div>`}
  </section>`;
}

function Blocked({ service }) {
  const { name, waitsFor, damaged } = service;
  return html`${damaged.map((one) => html`<${Damaged} key=${`d${one.partition}${one.queue}`} name=${name} one=${one} />`)}
    ${waitsFor.map((one) => html`<${Waits} key=${`w${one.partition}`} name=${name} one=${one} />`)}`;
}

const PARTITION_COLUMNS = [
  { name: 'Partition', head: true, cell: (one) => text(one.partition) },
  { name: 'State', cell: (one) => text(one.state).replaceAll('_', ' ').toLowerCase() },
  { name: 'Performed up to', number: true, cell: (one) => text(one.position) },
  { name: 'Appended up to', number: true, cell: (one) => text(one.end) },
  { name: 'Waiting', number: true, cell: (one) => count(one.behind ?? NaN) },
  { name: 'Oldest waits since (UTC)', cell: (one) => html`<span class="nowrap">${since(one.oldest)}</span>` },
  { name: 'In-queue', number: true, cell: (one) => bytes(one.in?.bytes ?? NaN) },
  { name: 'Out-queue', number: true, cell: (one) => bytes(one.out?.bytes ?? NaN) },
  { name: 'Reason', wrap: true, cell: (one) => text(one.refusal ? `refuses: ${one.refusal.reason}` : one.reason) },
];

export const Partitions = ({ partitions }) => html`<section class="panel" id="partitions"><h2>Partitions</h2>
  <${Rows} label="Partitions" empty="No partitions yet" rows=${partitions} columns=${PARTITION_COLUMNS} /></section>`;

const SECTIONS = [
  ['charts', 'Charts'],
  ['latency', 'Latency'],
  ['burst', 'Plan a burst'],
  ['failed', 'Failed'],
  ['partitions', 'Partitions'],
];

/** While a section above it may still get its height. */
const SETTLES_WITHIN = 4000;

function Head({ service }) {
  const { name, waitsFor } = service;
  // the panel of a blocking message has its reason; the last error is often the reason for waiting
  const problems = problemsOf(name).filter(({ kind }) => kind !== 'waiting' || waitsFor.length === 0);
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
      <ul>${figures(service).map((text) => html`<li>${text}</li>`)}</ul>
      ${problems.map((one) => html`<p key=${one.id}><${Shape} severity=${one.severity} /> ${sentence(one, Date.parse(frame.value.at))}</p>`)}
      ${problems.length === 0 && reason && html`<p class="muted">${reason}</p>`}
      ${service.declined > 0 && html`<p class="muted"><b>${count(service.declined)}</b> declined since the start: the component refused these calls as a normal outcome, and the callers got the reason.</p>`}
      ${lastError && lastError.message !== reason && html`<p class="muted">${service.state.startsWith('waiting') || service.state === 'failed' ? 'Last error' : 'Last error, which is over:'} ${since(lastError.at)} UTC: <code>${lastError.message}</code></p>`}
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
    <${Latency} name=${name} />
    <${BurstPlanner} service=${service} />
    <section class="part-of" id="failed"><h2>Failed messages</h2><${FailureGroups} service=${name} from="-3650d" /></section>
    ${data && html`<${Partitions} partitions=${data.partitions} />`}
    ${problem && html`<p class="muted">Partitions unknown: ${problem.message}</p>`}`;
}

export function ServiceScreen() {
  const name = route.value.parts[1];
  const known = frame.value && serviceSignal(name);
  if (!frame.value) return html`<h1>${name}</h1><p class="muted waiting">Waiting for the first figures…</p>`;
  if (!known) {
    return html`<h1>${name}</h1><div class="panel"><p>No service of this name runs here (checked at ${clock(frame.value.at)} UTC).</p><p><a href="/admin/">All services</a></p></div>`;
  }
  const service = known.value;
  return html`<${Head} service=${service} /><${Blocked} service=${service} /><${Pipeline} service=${name} /><${Sections} service=${service} />`;
}
