/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What became of a message, in words and on a line of time. The server knows all times; the page draws them. */
import { useEffect, useState } from 'preact/hooks';
import { html } from './html.js';
import { api, path } from '../api.js';
import { count, counted, duration, UNKNOWN } from '../format.js';
import { href, serviceHref } from '../router.js';
import { openDialog } from './dialog.js';
import { FailureDialog, history } from './failure.js';
import { Shape } from './figure.js';
import { Loaded, useLoad } from './load.js';

const ASK_EVERY = 2;
const PENDING = ['WAITING', 'NEXT', 'RETRIED', 'UNKNOWN'];
const SEVERITY = { PERFORMED: 'fine', DECLINED: 'fine', ANSWERED: 'fine', NEXT: 'fine', WAITING: 'watch', RETRIED: 'bad', FAILED: 'bad', EXPIRED: 'watch', CANCELLED: 'watch' };

const place = (queue, partition, position) => href('/messages/' + encodeURIComponent(queue), { at: `${partition}.${position}`, partition, from: position });

/** What a stage says, as a sentence. @param {object} stage */
export function sentence(stage) {
  const { state, service, reason, error, rows, ahead } = stage;
  const because = reason ? `: ${reason}` : '';
  switch (state) {
    case 'PERFORMED': return rows === null ? `Performed by ${service}` : `Performed by ${service}: ${counted(rows, 'row')}`;
    case 'DECLINED': return `Declined by ${service}: ${error}`;
    case 'FAILED': return `Failed in ${service}: ${error ?? 'unknown error'}`;
    case 'EXPIRED': return `Expired in ${service}: not performed, because its time to be performed was over`;
    case 'CANCELLED': return `Cancelled: ${service} did not perform it, because its sender cancelled it`;
    case 'NEXT': return `First in line: ${service} performs it now, or next`;
    case 'RETRIED': return `${service} retries it${because}`;
    case 'WAITING': return `Waits for ${service}, behind at most ${counted(ahead, 'message')}${because}`;
    case 'ANSWERED': return `Answered by ${service} earlier; the answer was deleted, so its outcome is not known here`;
    default: return `Not known${because}`;
  }
}

const STEPS = [
  ['waiting', 'waited', 'appended', 'read'],
  ['performing', 'performed', 'read', 'performed'],
  ['answering', 'answered', 'performed', 'answered'],
];

/**
 * The parts of the line: those whose times are known, or one for a stage of which only begin and end are known.
 * @param {object[]} stages
 */
export function segments(stages) {
  return stages.flatMap((stage) => {
    if (stage.waitingMicros !== null) {
      return STEPS.filter(([name]) => stage[name + 'Micros'] !== null).map(([name, verb]) => ({ name, text: `${verb} ${micros(stage[name + 'Micros'])} in ${stage.service}`, micros: stage[name + 'Micros'] }));
    }
    return stage.totalMicros === null ? [] : [{ name: 'between', text: `appended, and answered by ${stage.service} ${micros(stage.totalMicros)} later`, micros: stage.totalMicros }];
  });
}

/** Clocks of two processes may differ, so a time may be before the one that it follows. */
const micros = (value) => (value === null || value === undefined ? UNKNOWN : value < 0 ? '−' + duration(-value / 1e6) : duration(value / 1e6));

function Line({ stages }) {
  const parts = segments(stages);
  const all = parts.reduce((sum, part) => sum + Math.max(0, part.micros), 0);
  if (all === 0) return null;
  return html`<div class="life-line" role="img" aria-label=${parts.map((part) => part.text).join(', ')}>
    ${parts.map((part, i) => html`<i key=${i} class=${part.name} style=${{ flexGrow: Math.max(0, part.micros) / all }}></i>`)}
  </div>`;
}

const UNRECORDED = html`<span class="muted">not recorded</span>`;

function Events({ stage }) {
  const recorded = stage.waitingMicros !== null;
  const open = stage.answered === null && PENDING.includes(stage.state);
  const rows = [
    ['Appended', stage.appended ?? html`<span class="muted">unknown: it was deleted</span>`, null],
    ['Read', stage.read ?? (open ? html`<span class="muted">not known before the answer</span>` : UNRECORDED), stage.waitingMicros],
    ['Performed', stage.performed ?? (open ? UNKNOWN : UNRECORDED), stage.performingMicros],
    ['Answered', stage.answered ?? (stage.state === 'ANSWERED' ? html`<span class="muted">unknown: it was deleted</span>` : UNKNOWN), recorded ? stage.answeringMicros : stage.totalMicros],
  ];
  return html`<dl class="life-times">${rows.map(([name, time, after]) => html`<div key=${name}><dt>${name}</dt><dd>${typeof time === 'string' && time !== UNKNOWN ? html`<span class="nowrap" title=${time}>${time.slice(11, -1)}</span>` : time}</dd><dd class="n">${after === null ? '' : '+ ' + micros(after)}</dd></div>`)}</dl>`;
}

function Failed({ failure, queue, again }) {
  const [problem, setProblem] = useState(null);
  const state = failure.state.toLowerCase().replace('_', '-');
  const show = async () => {
    try {
      const row = await api(path(`/failures/list/${encodeURIComponent(failure.id)}`, { kind: failure.kind }));
      openDialog(FailureDialog, { row, group: { kind: row.kind, service: row.service, error: row.error }, again });
    } catch (problem_) {
      setProblem(problem_.message);
    }
  };
  return html`<p class="life-failed">${history({ ...failure, state })} <button type="button" onClick=${show}>Failure…</button>
    ${failure.replay && html` <a class="button" href=${href('/messages/' + encodeURIComponent(queue), { id: failure.replay.messageId })}>Find the replay</a>`}
    ${problem && html`<span class="error" role="alert">▲ ${problem}</span>`}</p>`;
}

function Stage({ stage, failures, again }) {
  const severity = SEVERITY[stage.state];
  return html`<li data-stage=${stage.service}>
    <p class=${severity ? 'state ' + severity : 'state'}><${Shape} severity=${severity} /> ${sentence(stage)}</p>
    ${failures.map((failure) => html`<${Failed} key=${failure.kind} failure=${failure} queue=${stage.queue} again=${again} />`)}
    <${Events} stage=${stage} />
    <p class="muted"><a href=${serviceHref(stage.service)}>${stage.service}</a>: <a href=${place(stage.queue, stage.partition, stage.position)}>${stage.queue} ${count(stage.position)}</a>${stage.answer !== null && html` → <a href=${place(stage.answers, stage.partition, stage.answer)}>${stage.answers} ${count(stage.answer)}</a>`}</p>
  </li>`;
}

/** @param {{address: string}} props of the message */
export function Life({ address }) {
  const [pending, setPending] = useState(false);
  const load = useLoad(address + '/life', pending ? ASK_EVERY : 0);
  const waits = Boolean(load.data?.stages.some((stage) => PENDING.includes(stage.state)));
  useEffect(() => setPending(waits), [waits]);
  return html`<h3>What became of it</h3><${Loaded} load=${load} what="its answer">${({ stages, failures, failuresUnknown }) => html`
    ${stages.length === 0 && html`<p class="muted">No service of this process reads this queue.</p>`}
    <${Line} stages=${stages} />
    <ol class="life">${stages.map((stage) => html`<${Stage} key=${stage.service} stage=${stage} failures=${failures.filter((one) => one.service === stage.service && one.position === stage.position)} again=${load.again} />`)}</ol>
    ${failuresUnknown && html`<p class="error" role="status">▲ Whether it is listed as failed is not known: ${failuresUnknown}</p>`}
    ${stages.some((stage) => stage.answered !== null && stage.read === null) && html`<p class="muted">One message in 100 records when it was read and performed, unless <code>history-one-in</code> says otherwise.</p>`}`}<//>`;
}
