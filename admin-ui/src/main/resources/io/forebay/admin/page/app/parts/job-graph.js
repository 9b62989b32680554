/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * An execution of a job as a graph: a box per step in their order, and from it an arrow to each service that it calls or feeds, with
 * what is behind there. The services stand beside the steps, and below them in a narrow window.
 */
import { html } from './html.js';
import { brief, count, counted, duration, figure, rate, share } from '../format.js';
import { serviceHref } from '../router.js';
import { serviceSignal } from '../store.js';
import { Fig, State } from './figure.js';
import { isRunning, JobState } from './jobs.js';

/**
 * The arrows of a step: to the services that it calls in chunks, and to the one whose queue it fills.
 * @param {object} step
 * @param {(name: string) => object|undefined} live the present figures of a service of this process
 */
export function arrows(step, live) {
  const { read } = step.counts;
  const running = isRunning(step.state) && step.perSecond !== null;
  const calls = step.services.map((chunks) => ({
    service: chunks.service,
    perSecond: running && read > 0 ? (step.perSecond * chunks.calls) / read : null,
    collected: Math.max(0, chunks.calls - chunks.sent),
    unanswered: isRunning(step.state) ? Math.max(0, chunks.sent - chunks.results - chunks.failures) : 0,
    fill: chunks.fill,
  }));
  const fed = step.feeds ? [{ service: step.feeds, perSecond: running ? step.perSecond : null }] : [];
  return [...fed, ...calls].map((arrow) => ({ ...arrow, behind: live(arrow.service)?.behind, unperformed: live(arrow.service)?.unperformed }));
}

/** The arrow with the longest wait, or else with the most calls that are not answered; null if nothing waits. */
export function worst(all) {
  const wait = (arrow) => [arrow.behind?.v >= 1 ? arrow.behind.v : 0, arrow.unanswered ?? 0];
  const [first] = [...all].sort((a, b) => wait(b)[0] - wait(a)[0] || wait(b)[1] - wait(a)[1]);
  return first && wait(first).some((value) => value > 0) ? first : null;
}

function Arrow({ arrow, isWorst }) {
  const { behind, unperformed, unanswered, collected, fill, perSecond } = arrow;
  return html`<div class=${'edge' + (isWorst ? ' worst' : '')}>
    <p class="queue">${perSecond !== null && `≈ ${rate(perSecond)}`}${isWorst && html` <b class="watch">● longest wait</b>`}</p>
    ${behind && html`<p class="waiting-now"><b><${Fig} fig=${behind} format=${duration} /></b> behind <small>${figure(unperformed, (value) => counted(value, 'message'))}</small></p>`}
    ${unanswered !== undefined && html`<p class="waiting-now"><b>${count(unanswered)}</b> not answered <small>${count(collected)} not sent</small></p>
      ${fill !== null && html`<p><small>chunks ${share(fill)} full</small></p>`}`}
  </div>`;
}

function Service({ name }) {
  const service = serviceSignal(name)?.value;
  return html`<div class="stage"><p>${service ? html`<a href=${serviceHref(name)}>${name}</a>` : html`<b>${name}</b>`}</p>
    <p>${service ? html`<${State} ...${service} />` : html`<small>no service of this process</small>`}</p></div>`;
}

export function JobGraph({ execution }) {
  const steps = execution.steps.filter((step) => !step.partOf);
  const rows = steps.map((step) => ({ step, out: arrows(step, (name) => serviceSignal(name)?.value) }));
  if (!rows.some(({ out }) => out.length > 0)) return null;
  const slowest = worst(rows.flatMap(({ out }) => out));
  return html`<section class="panel"><div class="head"><h2>Steps and services</h2><p class="muted">What waits between them now</p></div>
    <ol class="job-graph" aria-label="Steps in order, with the services that they call">
      ${rows.map(({ step, out }) => html`<li key=${step.name} data-step=${step.name}>
        <div class="stage"><p><b>${step.name}</b></p><p><${JobState} state=${step.state} dead=${execution.dead && !step.ended} /></p><p><small>${brief(step.counts.read)} read${step.perSecond === null ? '' : ` · ${rate(step.perSecond)}`}</small></p></div>
        <ul class="pipeline">${out.map((arrow) => html`<li key=${arrow.service}><${Arrow} arrow=${arrow} isWorst=${arrow === slowest} /><${Service} name=${arrow.service} /></li>`)}</ul>
      </li>`)}
    </ol></section>`;
}
