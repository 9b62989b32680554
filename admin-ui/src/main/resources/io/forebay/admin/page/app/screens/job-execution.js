/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* One execution: its steps, how full the chunks of calls were and why they were sent, and its failure. */
import { count, counted, duration, figure, second, share, UNKNOWN } from '../format.js';
import { html, Loaded, Rows, useLoad } from '../parts/elements.js';
import { Meter } from '../parts/figure.js';
import { Commands, Failure, isRunning, jobHref, JobState, skips, StepPace, took } from '../parts/jobs.js';
import { serviceHref } from '../router.js';
import { serviceSignal } from '../store.js';

const REASONS = {
  ITEMS: 'full',
  BYTES: 'size limit',
  ALL_WAITING: 'all callers waiting',
  TICKER: 'linger time over',
  CLOSE: 'closed',
};

/** How many items were skipped, and where. */
const skipped = ({ readSkips, processSkips, writeSkips }) => {
  const where = Object.entries({ read: readSkips, processed: processSkips, written: writeSkips }).filter(([, many]) => many > 0);
  return where.length ? where.map(([verb, many]) => `${count(many)} when ${verb}`).join(', ') : '0';
};

/** A service that a step calls or feeds, with how far it is behind now; of another process only the name. */
function Called({ name }) {
  const service = serviceSignal(name)?.value;
  return service ? html`<div><a href=${serviceHref(name)}>${name}</a>${service.behind?.v >= 1 && html` <small>${figure(service.behind, duration)} behind now</small>`}</div>` : html`<div>${name}</div>`;
}

const calledBy = ({ feeds, services }) => [...(feeds ? [feeds] : []), ...services.map((one) => one.service)];

function Steps({ execution }) {
  return html`<section class="panel"><h2>Steps <small>the progress includes earlier executions, the counts do not</small></h2>
    <${Rows} label="Steps" rows=${execution.steps} key=${(step) => step.name} empty="No step has begun." columns=${[
      { name: 'Step', head: true, wrap: true, cell: (step) => (step.partOf ? html`<span class="part">${step.name}</span>` : step.name) },
      { name: 'State', cell: (step) => html`<span class="nowrap"><${JobState} run=${step} dead=${execution.dead && !step.ended} /></span>` },
      { name: 'Progress', cell: (step) => html`<${StepPace} step=${step} dead=${execution.dead} />` },
      { name: 'Services', wrap: true, cell: (step) => calledBy(step).map((name) => html`<${Called} key=${name} name=${name} />`) },
      { name: 'Read', number: true, cell: (step) => count(step.counts.read) },
      { name: 'Written', number: true, cell: (step) => count(step.counts.written) },
      { name: 'Filtered', number: true, cell: (step) => count(step.counts.filtered) },
      { name: 'Skipped', number: true, cell: (step) => skipped(step.counts) },
      { name: 'Commits', number: true, cell: (step) => count(step.counts.commits) },
      { name: 'Rollbacks', number: true, cell: (step) => count(step.counts.rollbacks) },
      { name: 'Took', number: true, cell: took },
    ]} /></section>`;
}

/** Why chunks were sent: one bar per reason, with figures beside the bars. */
function Reasons({ chunks }) {
  const entries = Object.entries(chunks.reasons).sort((a, b) => b[1] - a[1]);
  const all = entries.reduce((sum, [, one]) => sum + one, 0);
  if (all === 0) return html`<p class="muted">No chunk was sent.</p>`;
  return html`<table class="plain reasons"><caption class="vh">Why chunks of ${chunks.service} were sent</caption>
    <thead class="vh"><tr><th scope="col">Reason</th><th scope="col">Share</th><th scope="col">Chunks</th></tr></thead>
    <tbody>${entries.map(([reason, one]) => html`<tr key=${reason}><th scope="row">${REASONS[reason] ?? reason}</th>
      <td class="bar"><${Meter} share=${one / all} /></td><td class="n nowrap">${count(one)} <small>${share(one / all)}</small></td></tr>`)}</tbody>
  </table>`;
}

function Service({ step, chunks }) {
  const { calls, sent, results, failures, timedOut, fill } = chunks;
  return html`<section class="panel chunks"><h2>Calls of ${chunks.service} <small>step ${step.name}</small></h2>
    <dl class="facts">
      <div><dt>Chunk fill</dt><dd>${fill === null ? UNKNOWN : share(fill)}</dd></div>
      <div><dt>Calls</dt><dd>${count(calls)}</dd></div>
      <div><dt>Sent</dt><dd>${count(sent)}</dd></div>
      <div><dt>Results</dt><dd>${count(results)}</dd></div>
      <div><dt>Failures</dt><dd><span class=${failures ? 'bad' : ''}>${count(failures)}</span></dd></div>
      <div><dt>Timed out</dt><dd><span class=${timedOut ? 'bad' : ''}>${counted(timedOut, 'chunk')}</span></dd></div>
    </dl>
    ${fill !== null && html`<${Meter} share=${fill} tone=${fill < 0.5 ? 'watch' : 'plain'} />`}
    <h3>Why chunks were sent</h3>
    <${Reasons} chunks=${chunks} /></section>`;
}

/** The exit messages of steps that did not fail. */
function Messages({ execution }) {
  const saying = execution.steps.filter((step) => step.message);
  return saying.length > 0 && html`<section class="panel"><h2>Messages</h2>
    ${saying.map((step) => html`<p key=${step.name}>Step ${step.name}: ${step.message}</p>`)}</section>`;
}

/** "at 650 of 5,000 items", or without a total "after 1,200 items of this execution". */
export const failedWhere = ({ counts, progress }) => (progress?.unit === 'items' ? `at ${count(progress.done)} of ${counted(progress.total, 'item')}` : `after ${counted(counts.written + counts.filtered + skips(counts), 'item')} of this execution`);

function Failures({ execution }) {
  const failed = execution.steps.filter((step) => step.failure);
  if (!execution.failure && failed.length === 0) return null;
  return html`<section class="panel"><h2>Failure</h2>
    ${failed.map((step) => html`<h3 key=${step.name}>Step ${step.name} <small>${failedWhere(step)}</small></h3><${Failure} text=${step.failure} />`)}
    ${failed.length === 0 && html`<${Failure} text=${execution.failure} />`}</section>`;
}

const SOON = 0.3;
const SOON_ANSWERS = 15;
const EVERY = 2;

/** Seconds until an execution is asked for again: soon at first, because many runs are short. */
const askAgain = (execution, answers) => (execution && isRunning(execution.state) && answers <= SOON_ANSWERS ? SOON : EVERY);

export function Execution({ id, parameters }) {
  const load = useLoad('/jobs/executions/' + encodeURIComponent(id), askAgain);
  return html`<${Loaded} load=${load} what="the execution">${(execution) => html`
    <div class="head"><div><p><a href="/admin/jobs">Jobs</a> › <a href=${jobHref(execution.job)}>${execution.job}</a></p><h1>Execution ${execution.id} of ${execution.job}</h1></div>
      <div class="buttons"><${Commands} execution=${execution} again=${load.again} /></div></div>
    <section class="panel"><dl class="facts">
      <div><dt>State</dt><dd><${JobState} run=${execution} /></dd></div>
      <div><dt>Started (UTC)</dt><dd>${second(execution.started ?? execution.created)}</dd></div>
      <div><dt>Ended (UTC)</dt><dd>${second(execution.ended)}</dd></div>
      <div><dt>Took</dt><dd>${took(execution)}</dd></div>
      <div><dt>Parameters</dt><dd class="any">${parameters(execution)}</dd></div>
      <div><dt>Started by</dt><dd class="any">${execution.startedBy}</dd></div>
      <div><dt>Process</dt><dd class="any">${execution.instance ?? UNKNOWN}</dd></div>
    </dl></section>
    <${Failures} execution=${execution} />
    <${Messages} execution=${execution} />
    <${Steps} execution=${execution} />
    ${execution.steps.filter((step) => !step.partOf).flatMap((step) => step.services.map((chunks) => html`<${Service} key=${step.name + '/' + chunks.service} step=${step} chunks=${chunks} />`))}`}<//>`;
}
