/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * One row of the home table. Each cell is drawn from one computed text, so that an unchanged figure costs
 * only its formatting. Rows out of sight are not updated (parts/in-sight.js).
 */
import { computed } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { html } from '../parts/html.js';
import { askPauseOrResume, isPaused } from '../actions.js';
import { ahead, brief, count, counted, duration, figure, number, share, since } from '../format.js';
import { ActionButton } from '../parts/dialog.js';
import { Shape, stateClass, stateWord } from '../parts/figure.js';
import { useWhileInSight } from '../parts/in-sight.js';
import { capacity } from '../parts/judged.js';
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
  const text = computed(() => JSON.stringify(read()));
  return computed(() => JSON.parse(text.value));
}

/** The time of the latest frame, which is that of the server. */
const seen = () => (frame.peek() ? Date.parse(frame.peek().at) : Date.now());

/** The content of each cell, computed from the service's signal. */
function cells(service) {
  const one = (read) => computed(() => read(service.value));
  const whole = (read) => stable(() => read(service.value));
  return {
    state: whole((s) => ({ severity: s.severity, state: s.state, reason: isInBanner(s) ? '' : s.reason, accepts: s.accepts, pause: pause(s, seen()), blocking: s.waitsFor.length, kind: s.severity === 'fine' ? undefined : worstKind(s.name) })),
    partitions: one((s) => counted(s.partitions, 'partition')),
    behind: whole((s) => ({ text: figure(s.behind, duration), why: s.behind?.why, count: figure(s.unperformed, brief), severity: s.severity })),
    spark: whole((s) => ({ values: s.spark ?? [], limit: s.limit, severity: s.severity })),
    rates: whole((s) => ({ text: `${figure(s.accepted, number)} → ${figure(s.performed, number)}`, can: capacity(s), why: s.can?.why, slower: s.slowerNow?.perSecond && number(s.slowerNow.perSecond) })),
    bullet: whole((s) => ({ accepted: round(s.accepted?.v), performed: round(s.performed?.v), can: round(s.can?.v), severity: s.severity })),
    next: whole((s) => next(s, seen())),
    burst: whole((s) => ({ onTime: onTime(s.burst), accepts: accepting(s.burst) })),
    share: whole((s) => ({ text: figure(s.growthShare, share), why: s.growthShare?.why ?? 'of what all queues of Forebay wrote to this disk in the last hour' })),
    p99: whole((s) => ({ text: figure(s.p99, duration), why: s.p99?.why })),
    failed: whole((s) => ({ open: s.open ?? null, inAll: s.failed + s.dead, recent: s.failedRecently, share: s.failingShare, severity: s.severity })),
    verb: one((s) => (isPaused(s) ? 'Resume' : PAUSE_HARMS.includes(s.state) ? '' : 'Pause')),
  };
}

/** Two digits are enough for a drawing. */
const round = (value) => (value ? Number(value.toPrecision(2)) : value);

function Cell({ id, label, none, children }) {
  return html`<td class=${'c-' + id + (none ? ' none' : '')} role="cell" data-label=${label}>${children}</td>`;
}

const Text = ({ of }) => html`<span data-why=${of.why}>${of.text}</span>`;

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

const BehindText = ({ of }) => html`<span class="big" data-why=${of.value.why}>${of.value.text}</span><small>${of.value.count} waiting</small>`;
const SparkOf = ({ of }) => html`<${Spark} ...${of.value} />`;
const RatesText = ({ of }) => html`<span>${of.value.text}</span><small data-why=${of.value.why}>${of.value.can}${of.value.slower && html`, <b class="watch">now ${of.value.slower}</b>`}</small>`;
/** Without a capacity there is nothing to compare with. */
const BulletOf = ({ of }) => of.value.can !== undefined && html`<${Bullet} ...${of.value} />`;

function NextCell({ of }) {
  const { text, severity, why } = of.value;
  return html`<${Cell} id="next" label="Next" none=${!text}><span class=${severity ? 'state ' + severity : 'muted'} data-why=${why}>${severity && severity !== 'fine' && html`<${Shape} severity=${severity} /> `}${text}</span><//>`;
}

function BurstCell({ of }) {
  const { onTime: first, accepts } = of.value;
  return html`<${Cell} id="burst" label="If 10× now"><span data-why=${first.why} class=${first.severity ?? ''}>${first.text}</span><small data-why=${accepts.why}>${accepts.text}</small><//>`;
}

const TextCell = ({ of, id, label }) => html`<${Cell} id=${id} label=${label}><${Text} of=${of.value} /><//>`;

function FailedCell({ of, name }) {
  const { open, inAll, recent, share: failing, severity } = of.value;
  const level = failing && severity === 'bad' ? 'bad' : 'watch';
  const now = failing && html`<small class=${level}>${share(failing)} fail</small>`;
  const why = `open; ${count(inAll)} failed since the start`;
  if (!open) return html`<${Cell} id="failed" label="Failed"><span class="muted" data-why="not counted yet">–</span>${now}<//>`;
  const all = open.failed + open.dead;
  if (all === 0) return html`<${Cell} id="failed" label="Failed"><span class="muted" data-why=${why}>0</span>${now}<//>`;
  return html`<${Cell} id="failed" label="Failed"><a href=${serviceHref(name, { t: 'failed' })} data-why=${why} class=${recent ? 'state ' + level : ''}>${recent > 0 && html`<${Shape} severity=${level} /> `}${openCount(open)}</a>${open.dead > 0 && html`<small>${open.failed === 0 ? 'dead' : `${count(open.dead)} of them dead`}</small>`}${now}<//>`;
}

function ActCell({ of, name }) {
  const verb = of.value;
  return html`<${Cell} id="act" label="" none=${!verb}>${verb && html`<${ActionButton} kind="quiet" label=${`${verb} ${name}`} onClick=${() => askPauseOrResume(serviceSignal(name).peek())}>${verb}…<//>`}<//>`;
}

export function ServiceRow({ name }) {
  const { ref, shown } = useWhileInSight(serviceSignal(name));
  const of = useMemo(() => cells(shown), [shown]);
  return html`<tr ref=${ref} role="row" data-row data-service=${name}>
    <th scope="row" role="rowheader" class="c-service"><a href=${serviceHref(name)}>${name}</a><small>${of.partitions}</small></th>
    <${StateCell} of=${of.state} />
    <${Cell} id="behind" label="Behind"><div class="pair"><div><${BehindText} of=${of.behind} /></div><${SparkOf} of=${of.spark} /></div><//>
    <${Cell} id="rates" label="In → done /s"><div class="rates-line"><${RatesText} of=${of.rates} /></div><${BulletOf} of=${of.bullet} /><//>
    <${NextCell} of=${of.next} />
    <${BurstCell} of=${of.burst} />
    <${TextCell} of=${of.share} id="share" label="Share of Forebay’s growth" />
    <${TextCell} of=${of.p99} id="p99" label="p99, 10 min" />
    <${FailedCell} of=${of.failed} name=${name} />
    <${ActCell} of=${of.verb} name=${name} />
  </tr>`;
}
