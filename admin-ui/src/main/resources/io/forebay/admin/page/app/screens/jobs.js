/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Batch jobs: all of them, one of them with its executions, one execution with its steps. */
import { moment, since, UNKNOWN } from '../format.js';
import { html, Loaded, Rows, useLoad } from '../parts/elements.js';
import { Commands, currentStep, executionHref, isRunning, jobHref, JobState, StartButton, StepPace, took } from '../parts/jobs.js';
import { href, route } from '../router.js';
import { Execution } from './job-execution.js';

const EVERY = 2;
const PAGE = 20;

function NoJobs() {
  return html`<div class="panel empty">
    <p>This process has no jobs.</p>
    <p class="muted">A job is a Spring bean of type <code>Job</code> in the application, or in a jar on its class path. It appears here after the next start. A <code>JobDescription</code> describes the job and its parameters.</p>
  </div>`;
}

function Last({ execution }) {
  if (!execution) return html`<span class="muted">never</span>`;
  return html`<a href=${executionHref(execution.id)}><span class="nowrap">${since(execution.started ?? execution.created)}</span><span class="vh">, execution ${execution.id} of ${execution.job}</span></a>`;
}

function Progress({ execution }) {
  const step = execution && currentStep(execution);
  return step ? html`<${StepPace} step=${step} dead=${execution.dead} />` : UNKNOWN;
}

const isTrouble = ({ last }) => last && (last.dead || ['FAILED', 'UNKNOWN'].includes(last.state));

/** Jobs whose last execution failed come first. */
const troubleFirst = (jobs) => [...jobs.filter(isTrouble), ...jobs.filter((job) => !isTrouble(job))];

function List() {
  const load = useLoad('/jobs', EVERY);
  return html`<h1>Jobs</h1>
    <${Loaded} load=${load} what="the jobs">${({ jobs }) => (jobs.length === 0 ? html`<${NoJobs} />` : html`
      <div class="panel jobs"><${Rows} label="Jobs" rows=${troubleFirst(jobs)} key=${(job) => job.name} empty="" columns=${[
        { name: 'Job', head: true, wrap: true, cell: (job) => html`<a href=${jobHref(job.name)}>${job.name}</a>${job.description && html`<small>${job.description}</small>`}` },
        { name: 'Last started (UTC)', cell: (job) => html`<${Last} execution=${job.last} />` },
        { name: 'State', cell: (job) => (job.last ? html`<span class="nowrap"><${JobState} run=${job.last} /></span>` : UNKNOWN) },
        { name: 'Progress', cell: (job) => html`<${Progress} execution=${job.last} />` },
        { name: 'Took', number: true, cell: (job) => (job.last ? took(job.last) : UNKNOWN) },
        { name: '', number: true, cell: (job) => html`<span class="row-do">${job.last && html`<${Commands} execution=${job.last} again=${load.again} />`}${!(job.last && isRunning(job.last.state)) && html`<${StartButton} job=${job} again=${load.again} />`}</span>` },
      ]} /></div>`)}<//>`;
}

const parameters = (execution) => Object.entries(execution.parameters).sort().map(([name, value]) => `${name}=${value}`).join(', ') || 'none';

function History({ name, before }) {
  const load = useLoad(`/jobs/${encodeURIComponent(name)}/executions?limit=${PAGE}${before ? '&before=' + before : ''}`, before ? 0 : EVERY);
  return html`<section class="panel"><h2>Executions</h2>
    <${Loaded} load=${load} what="the executions">${({ executions, next }) => html`
      <${Rows} label="Executions" rows=${executions} key=${(one) => one.id} empty="Never started" columns=${[
        { name: 'Execution', head: true, cell: (one) => html`<a href=${executionHref(one.id)}>${one.id}</a>` },
        { name: 'Started (UTC)', cell: (one) => html`<span class="nowrap">${moment(one.started ?? one.created)}</span>` },
        { name: 'State', cell: (one) => html`<span class="nowrap"><${JobState} run=${one} /></span>` },
        { name: 'Took', number: true, cell: took },
        { name: 'Parameters', wrap: true, cell: parameters },
        { name: 'Started by', cell: (one) => one.startedBy },
        { name: '', number: true, cell: (one) => html`<span class="row-do"><${Commands} execution=${one} again=${load.again} /></span>` },
      ]} />
      ${(next || before) && html`<p class="buttons">${before && html`<a class="button" href=${jobHref(name)}>Newest</a>`}${next && html`<a class="button" href=${href(route.value.path, { before: next })}>Older</a>`}</p>`}`}<//></section>`;
}

function Job({ name }) {
  const load = useLoad('/jobs/' + encodeURIComponent(name), EVERY);
  return html`<${Loaded} load=${load} what="the job">${(job) => html`
    <div class="head"><div><p><a href="/admin/jobs">Jobs</a></p><h1>${job.name}</h1>${job.description && html`<p class="muted">${job.description}</p>`}${job.nextDue && html`<p>Next due: ${moment(job.nextDue)} (UTC)</p>`}</div>
      <div class="buttons"><${StartButton} job=${job} again=${load.again} kind="primary" /></div></div>
    ${job.last && html`<section class="panel"><h2><a href=${executionHref(job.last.id)}>Execution ${job.last.id}</a></h2>
      <div class="facts"><${JobState} run=${job.last} /><span>${parameters(job.last)}</span></div>
      <${Progress} execution=${job.last} /></section>`}
    <${History} name=${name} before=${route.value.query.before} />`}<//>`;
}

export function JobsScreen() {
  const { parts } = route.value;
  if (parts[1] === 'executions' && parts[2]) return html`<${Execution} id=${parts[2]} parameters=${parameters} />`;
  return parts[1] ? html`<${Job} name=${parts[1]} />` : html`<${List} />`;
}
