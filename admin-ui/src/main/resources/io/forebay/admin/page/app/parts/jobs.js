/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Shared by the job screens: a state, the progress of a step, and the dialogs of commands. */
import { useState } from 'preact/hooks';
import { post } from '../api.js';
import { brief, counted, duration, rate, share, UNKNOWN } from '../format.js';
import { go, href } from '../router.js';
import { ActDialog, ActionButton, openDialog } from './dialog.js';
import { html } from './elements.js';
import { Meter } from './figure.js';

const STATES = {
  STARTING: ['▶', 'Starting', 'plain'],
  STARTED: ['▶', 'Running', 'plain'],
  STOPPING: ['❚❚', 'Stopping', 'watch'],
  STOPPED: ['❚❚', 'Stopped', 'watch'],
  COMPLETED: ['✓', 'Complete', 'fine'],
  FAILED: ['▲', 'Failed', 'bad'],
  ABANDONED: ['▲', 'Abandoned', 'bad'],
  UNKNOWN: ['▲', 'Unknown', 'bad'],
};

export const skips = ({ readSkips, processSkips, writeSkips }) => readSkips + processSkips + writeSkips;

function stateOf({ state, steps, counts }) {
  const skipped = steps ? steps.filter((step) => !step.partOf).reduce((sum, step) => sum + skips(step.counts), 0) : skips(counts);
  return state === 'COMPLETED' && skipped > 0 ? ['●', `Complete, ${counted(skipped, 'item')} skipped`, 'watch'] : (STATES[state] ?? ['?', state, 'watch']);
}

/** @param {{run: object, dead?: boolean}} props an execution or a step */
export function JobState({ run, dead = run.dead }) {
  const [shape, word, tone] = dead ? ['▲', 'Its process is dead', 'bad'] : stateOf(run);
  return html`<span class=${'state ' + tone}><span class=${'shape ' + tone} aria-hidden="true">${shape}</span> ${word}</span>`;
}

export const isRunning = (state) => state === 'STARTING' || state === 'STARTED' || state === 'STOPPING';

export const executionHref = (id) => href('/jobs/executions/' + id);

export const jobHref = (name) => href('/jobs/' + encodeURIComponent(name));

export const took = ({ started, ended }) => (started && ended ? duration((Date.parse(ended) - Date.parse(started)) / 1000) : UNKNOWN);

/** The step that runs, else the one that did not complete, else the last one that read anything; not a partition. */
export function currentStep(execution) {
  const steps = execution.steps.filter((step) => !step.partOf);
  return steps.find(({ state }) => isRunning(state)) ?? steps.findLast(({ state }) => state !== 'COMPLETED')
    ?? steps.findLast(({ counts }) => counts.read > 0) ?? steps.at(-1);
}

/** "744 k of 1.2 M · 1,180/s · ends in 6 m 40 s": unknown parts are omitted. */
export function pace(step, running = isRunning(step.state)) {
  const { progress, counts, perSecond } = step;
  const parts = [];
  if (progress) {
    const unit = progress.unit === 'partitions' ? ' partitions' : '';
    parts.push(`${brief(progress.done)} of ${brief(progress.total)}${unit} (${share(progress.total ? progress.done / progress.total : 1)})`);
  }
  if (progress?.unit !== 'items') parts.push(`${brief(counts.read)} read`);
  if (perSecond !== null) parts.push(rate(perSecond));
  if (running) parts.push(progress?.secondsLeft != null ? `≈ ${duration(progress.secondsLeft)} left` : 'time left unknown');
  return parts.join(' · ');
}

/** The progress of a step, with a bar if the job reports progress. */
export function StepPace({ step, dead }) {
  const { progress } = step;
  return html`<div class="pace">
    ${progress && html`<${Meter} share=${progress.total ? progress.done / progress.total : 1} tone=${step.state === 'FAILED' || dead ? 'bad' : 'plain'} />`}
    <small>${pace(step, isRunning(step.state) && !dead)}</small>
  </div>`;
}

const reasoned = (reason) => (reason ? { reason } : {});

const COMMANDS = {
  stop: { verb: 'Stop', danger: true, done: 'The execution was asked to stop.', says: 'The execution stops at the end of its current chunk, and can be restarted from there.' },
  restart: { verb: 'Restart', done: ({ id }) => `Execution ${id} was started.`, says: 'A new execution resumes where this one ended; it skips complete steps.' },
  abandon: { verb: 'Abandon', danger: true, done: 'The execution is abandoned.', says: 'This run is never restarted, and its parameters cannot be used again. Its alert closes.' },
  recover: { verb: 'Recover', done: 'The execution is marked as failed and can be restarted.', says: 'No live process runs this execution. It is marked as failed; if its process still tries to write, that is refused.' },
};

/** Asks before a command to an execution. */
function askCommand(execution, name, again) {
  const command = COMMANDS[name];
  const title = `${command.verb} execution ${execution.id} of ${execution.job}`;
  const step = currentStep(execution);
  openDialog(ActDialog, {
    title: title + '?',
    verb: command.verb,
    danger: command.danger,
    reason: 'optional',
    lines: async () => [...(step ? [`Step ${step.name}: ${pace(step, false)}.`] : []), command.says],
    done: command.done,
    act: async (reason) => {
      const answer = await post(`/jobs/executions/${execution.id}/${name}`, reasoned(reason));
      if (name === 'restart') go(executionHref(answer.id));
      again();
      return answer;
    },
  });
}

/** The buttons of the commands that an execution accepts now. */
export function Commands({ execution, again }) {
  const button = (name, kind = '') => html`<${ActionButton} key=${name} kind=${kind} label=${`${COMMANDS[name].verb}… execution ${execution.id}`} onClick=${() => askCommand(execution, name, again)}>${COMMANDS[name].verb}…<//>`;
  return html`${execution.mayStop && button('stop')}${execution.mayRestart && button('restart')}${execution.mayRestart && button('abandon')}${execution.mayRecover && button('recover', 'primary')}`;
}

const KINDS = { integer: 'number', decimal: 'number', date: 'date', time: 'datetime-local' };

function Field({ parameter, value, set }) {
  const id = 'parameter-' + parameter.name;
  return html`<label for=${id}>${parameter.name}${parameter.required ? '' : html` <small>(optional)</small>`}</label>
    <input id=${id} data-first type=${KINDS[parameter.type] ?? 'text'} step=${parameter.type === 'decimal' ? 'any' : undefined} autocomplete="off" value=${value} aria-describedby=${id + '-help'}
      onInput=${(event) => set(event.target.value)} />
    <small id=${id + '-help'}>${parameter.description}${parameter.identifying ? ' A different value starts a separate run.' : ''}</small>`;
}

/** Lines of name=value, for a job that does not describe its parameters. */
function parseLines(text) {
  const lines = text.split('\n').filter((line) => line.trim());
  const wrong = lines.find((line) => line.indexOf('=') < 1);
  if (wrong !== undefined) throw new Error('Each line must be name=value.');
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')).trim(), line.slice(line.indexOf('=') + 1)]));
}

function StartDialog({ job, again }) {
  const { name, description, described, parameters } = job;
  const [values, setValues] = useState(Object.fromEntries(parameters.map((one) => [one.name, one.byDefault ?? ''])));
  const [lines, setLines] = useState('');
  const act = async () => {
    const given = described ? Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')) : parseLines(lines);
    const { id } = await post(`/jobs/${encodeURIComponent(name)}/executions`, { parameters: given });
    again();
    go(executionHref(id));
  };
  return html`<${ActDialog} title=${`Start ${name}`} verb=${`Start ${name}`} reason="none" act=${act} done=${`${name} has started.`}>
    ${() => html`${description && html`<p>${description}</p>`}
      ${described && parameters.length === 0 && html`<p class="muted">The job has no parameters.</p>`}
      ${parameters.map((one) => html`<${Field} key=${one.name} parameter=${one} value=${values[one.name]} set=${(value) => setValues({ ...values, [one.name]: value })} />`)}
      ${!described && html`<label for="parameter-lines">Parameters <small>(one name=value per line; the job does not describe its parameters)</small></label>
        <textarea id="parameter-lines" data-first rows="4" value=${lines} onInput=${(event) => setLines(event.target.value)}></textarea>`}`}
  <//>`;
}

const askStart = (job, again) => openDialog(StartDialog, { job, again });

export const StartButton = ({ job, again, kind = '' }) =>
  html`<${ActionButton} kind=${kind} label=${`Start… ${job.name}`} onClick=${() => askStart(job, again)}>Start…<//>`;

/** The failure of an execution or a step: its exceptions, outermost first. */
export const Failure = ({ text }) => text && html`<pre class="failure">${text}</pre>`;
