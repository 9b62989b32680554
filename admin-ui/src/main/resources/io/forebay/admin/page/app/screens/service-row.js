/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * One row of the home table. Its texts and cells are computed, so that an unchanged figure costs only its formatting.
 */
import { computed } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { html } from '../parts/html.js';
import { askPauseOrResume, isPaused } from '../actions.js';
import { ahead, brief, count, counted, duration, figure, number, share, since } from '../format.js';
import { ActionButton } from '../parts/dialog.js';
import { Shape, stateClass, stateWord } from '../parts/figure.js';
import { capacity } from '../parts/capacity.js';
import { Bullet, Spark } from '../parts/spark.js';
import { accepting, firstSentence, next, onTime, openCount, pause } from '../sentences.js';
import { serviceHref } from '../router.js';
import { frame, serviceSignal, worstKind } from '../store.js';

/** A pause would make these services later. */
const PAUSE_HARMS = ['growing', 'draining', 'steady', 'resuming', 'refusing'];

/** Whether the banner says why the service waits. */
const isInBanner = (service) => service.state === 'waiting' && frame.value?.databasesAway?.some((one) => one.services.includes(service.name));

/** A computed value that changes only when its JSON does. */
function stable(read) {
  let value;
  let json;
  return computed(() => {
    const now = read();
    const text = JSON.stringify(now);
    if (text !== json) [value, json] = [now, text];
    return value;
  });
}

/** The time of the latest frame, which is that of the server. */
const seen = () => (frame.peek() ? Date.parse(frame.peek().at) : Date.now());

/** The same, for what says how long a service has been paused: its figures may stay the same meanwhile. */
function seenOf(service) {
  if (isPaused(service)) frame.value;
  return seen();
}

/** The content of each cell, computed from the service's signal. */
function cells(service) {
  const one = (read) => computed(() => read(service.value));
  const whole = (read) => stable(() => read(service.value));
  return {
    state: whole((s) => ({ severity: s.severity, state: s.state, reason: isInBanner(s) ? '' : s.reason, accepts: s.accepts, pause: pause({ paused: s.paused }, seenOf(s)), blocking: s.waitsFor.length, kind: s.severity === 'fine' ? undefined : worstKind(s.name) })),
    partitions: one((s) => counted(s.partitions, 'partition')),
    behind: { text: one((s) => figure(s.behind, duration)), why: one((s) => s.behind?.why), count: one((s) => figure(s.unperformed, brief)) },
    spark: whole((s) => ({ values: s.spark ?? [], limit: s.limit, severity: s.severity })),
    rates: one((s) => `${figure(s.accepted, number)} → ${figure(s.performed, number)}`),
    capacity: whole((s) => ({ text: capacity(s), why: s.can?.why, isKnown: s.can?.v !== undefined, slower: s.slowerNow?.perSecond && number(s.slowerNow.perSecond) })),
    bullet: whole((s) => (s.can?.v === undefined ? null : { accepted: round(s.accepted?.v), performed: round(s.performed?.v), can: round(s.slowerNow?.perSecond ?? s.can.v), severity: s.severity })),
    next: whole((s) => next(s, seenOf(s))),
    burst: whole((s) => ({ onTime: onTime(s.burst), accepts: accepting(s.burst) })),
    share: { text: one((s) => figure(s.growthShare, share)), why: one((s) => s.growthShare?.why ?? 'of what all queues of Forebay wrote to this disk in the last hour') },
    p99: { text: one((s) => figure(s.p99, duration)), why: one((s) => s.p99?.why) },
    failed: whole((s) => ({ open: s.open ?? null, inAll: s.failed + s.dead, recent: s.failedRecently, share: s.failingShare, severity: s.severity })),
    verb: one((s) => (isPaused(s) ? 'Resume' : PAUSE_HARMS.includes(s.state) ? '' : 'Pause')),
  };
}

/** Two digits are enough for a drawing. */
const round = (value) => (value ? Number(value.toPrecision(2)) : value);

function Cell({ id, label, none, children }) {
  return html`<td class=${'c-' + id + (none ? ' none' : '')} role="cell" data-label=${label}>${children}</td>`;
}

function StateCell({ of }) {
  const { severity, state, reason, accepts, pause: paused, blocking, kind } = of.value;
  const more = paused ? paused.reason : reason;
  return html`<${Cell} id="state" label="State">
    <span class=${stateClass(severity, state)}><${Shape} severity=${severity} state=${state} /> ${stateWord(state, blocking, kind)}</span>
    ${paused && html`<small title=${`since ${since(paused.began)} UTC`}>${paused.until ? `until ${ahead(paused.until, seen())}` : `for ${paused.held}`}, by ${paused.by}</small>`}
    ${more && state !== 'keeping_up' && html`<small class=${paused ? 'whole' : undefined} title=${more}>${paused ? more : firstSentence(more)}</small>`}
    ${paused?.replaced && html`<small class="whole">first by ${paused.replaced.by}${paused.replaced.reason && `: ${paused.replaced.reason}`}</small>`}
    ${accepts === false && html`<small class="bad">accepts nothing</small>`}
  <//>`;
}

const SparkOf = ({ of }) => html`<${Spark} ...${of.value} />`;

/** Only a capacity that is known is short enough to be beside the rates, whatever they are. */
function Rates({ rates, capacity: of }) {
  const { text, why, isKnown, slower } = of.value;
  return html`<div class=${isKnown ? 'rates-line' : undefined}><span>${rates}</span><small data-why=${why}>${text}${slower && html`, <b class="watch">now ${slower}</b>`}</small></div>`;
}

/** Without a capacity there is nothing to compare with. */
const BulletOf = ({ of }) => of.value && html`<${Bullet} ...${of.value} />`;

function NextCell({ of }) {
  const { text, severity, why } = of.value;
  return html`<${Cell} id="next" label="Next" none=${!text}><span class=${severity ? 'state ' + severity : 'muted'} data-why=${why}>${severity && severity !== 'fine' && html`<${Shape} severity=${severity} /> `}${text}</span><//>`;
}

function BurstCell({ of }) {
  const { onTime: first, accepts } = of.value;
  return html`<${Cell} id="burst" label="If 10× now"><span data-why=${first.why} class=${first.severity ?? ''}>${first.text}</span><small data-why=${accepts.why}>${accepts.text}</small><//>`;
}

const TextCell = ({ of, id, label }) => html`<${Cell} id=${id} label=${label}><span data-why=${of.why}>${of.text}</span><//>`;

function FailedCell({ of, name }) {
  const { open, inAll, recent, share: failing, severity } = of.value;
  const level = failing && severity === 'bad' ? 'bad' : 'watch';
  const now = failing && html`<small class=${level}>${share(failing)} fail</small>`;
  const why = `open; ${count(inAll)} failed since the start`;
  if (!open) return html`<${Cell} id="failed" label="Failed"><span class="muted" data-why="not counted yet">–</span>${now}<//>`;
  if (open.count === 0) return html`<${Cell} id="failed" label="Failed"><span class="muted" data-why=${why}>0</span>${now}<//>`;
  return html`<${Cell} id="failed" label="Failed"><a href=${serviceHref(name, { t: 'failed' })} data-why=${why} class=${recent ? 'state ' + level : ''}>${recent > 0 && html`<${Shape} severity=${level} /> `}${openCount(open)}</a>${now}<//>`;
}

function ActCell({ of, name }) {
  const verb = of.value;
  return html`<${Cell} id="act" label="" none=${!verb}>${verb && html`<${ActionButton} kind="quiet" label=${`${verb} ${name}`} onClick=${() => askPauseOrResume(serviceSignal(name).peek())}>${verb}…<//>`}<//>`;
}

export function ServiceRow({ name }) {
  const figures = serviceSignal(name);
  const of = useMemo(() => cells(figures), [figures]);
  return html`<tr role="row" data-row data-service=${name}>
    <th scope="row" role="rowheader" class="c-service"><a href=${serviceHref(name)}>${name}</a><small>${of.partitions}</small></th>
    <${StateCell} of=${of.state} />
    <${Cell} id="behind" label="Behind"><div class="pair"><div><span class="big" data-why=${of.behind.why}>${of.behind.text}</span><small>${of.behind.count} waiting</small></div><${SparkOf} of=${of.spark} /></div><//>
    <${Cell} id="rates" label="In → done /s"><${Rates} rates=${of.rates} capacity=${of.capacity} /><${BulletOf} of=${of.bullet} /><//>
    <${NextCell} of=${of.next} />
    <${BurstCell} of=${of.burst} />
    <${TextCell} of=${of.share} id="share" label="Share of Forebay’s growth" />
    <${TextCell} of=${of.p99} id="p99" label="p99, 10 min" />
    <${FailedCell} of=${of.failed} name=${name} />
    <${ActCell} of=${of.verb} name=${name} />
  </tr>`;
}
