/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * The plan of a replay: the server freezes the list of messages and predicts the outcome (dry run); only then can it
 * be run, with a rate, a stop rule and a reason. Closing the dialog does not stop a running plan; its button does.
 */
import { useEffect, useState } from 'preact/hooks';
import { html } from './html.js';
import { api, post } from '../api.js';
import { clock, count, counted, duration } from '../format.js';
import { may } from '../store.js';
import { ActionButton, closeDialog, Dialog, useFirstFocus } from './dialog.js';
import { Meter } from './figure.js';

const ASK_EVERY = 1000;
const WORDS = { running: 'Running', done: 'Done', stopped: 'Stopped', failed: 'Failed', planned: 'Planned' };

function Progress({ id, count: all, again }) {
  useFirstFocus();
  const [run, setRun] = useState(null);
  const [problem, setProblem] = useState(null);
  useEffect(() => {
    let over = false;
    const ask = async () => {
      try {
        const answer = await api('/failures/plans/' + id);
        setRun(answer);
        setProblem(null);
        if (answer.state !== 'running') again();
        over ||= answer.state !== 'running';
      } catch (failure) {
        setProblem(failure.message);
      }
      if (!over) setTimeout(ask, ASK_EVERY);
    };
    ask();
    return () => (over = true);
  }, [id]);
  const done = run ? run.done + run.failed : 0;
  return html`<p role="status"><b>${WORDS[run?.state] ?? 'Starting'}</b>: ${count(run?.done ?? 0)} of ${count(all)} performed${run?.failed ? `, ${count(run.failed)} failed again` : ''}. ${run?.text ?? ''}</p>
    <${Meter} share=${all ? done / all : 0} tone=${run?.failed ? 'watch' : 'plain'} />
    ${problem && html`<p class="error">▲ ${problem}</p>`}
    <div class="buttons">
      ${(!run || run.state === 'running') && html`<${ActionButton} onClick=${() => post(`/failures/plans/${id}/stop`).catch((failure) => setProblem(failure.message))}>Stop the replay<//>`}
      <button type="button" data-first onClick=${closeDialog}>Close</button>
    </div>`;
}

function Plan({ plan, started }) {
  useFirstFocus();
  const [form, setForm] = useState({ perSecond: 5, stopAfterFailures: 3, reason: '' });
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  const set = (name) => (event) => setForm({ ...form, [name]: event.target.value });
  const guarded = plan.overReplays > 0 && !may('admin');
  const run = async (event) => {
    event.preventDefault();
    if (!form.reason.trim()) return setError({ field: 'reason', text: 'Enter a reason; it is recorded in the audit.' });
    setBusy(true);
    try {
      await post(`/failures/plans/${plan.id}/run`, { reason: form.reason.trim(), perSecond: Number(form.perSecond), stopAfterFailures: Number(form.stopAfterFailures) });
      started();
    } catch (problem) {
      setBusy(false);
      setError({ text: problem.status === 409 ? `Not done: ${problem.message} Close this dialog and create a new plan.` : problem.message });
    }
  };
  const seconds = form.perSecond > 0 ? plan.performable / form.perSecond : NaN;
  return html`<form onSubmit=${run} noValidate>
    <ul class="effect">
      <li><b>${counted(plan.count, 'message')}</b>, frozen; the plan is valid until ${clock(plan.expires)} UTC</li>
      <li>Dry run: ${count(plan.performable)} can be sent again. Only the replay shows whether they succeed now.${plan.overReplays > 0 ? ` Only an admin can replay ${count(plan.overReplays)} of the messages, because they were replayed three times or more.` : ''}</li>
      <li>Effect: ${plan.effect}; done in about ${duration(seconds)}</li>
      <li>For example: ${plan.sample.map((id) => html`<code>${id}</code> `)}</li>
    </ul>
    <div class="filters form-line">
      <label>Per second <input type="number" min="1" max="1000" value=${form.perSecond} onInput=${set('perSecond')} /></label>
      <label>Stop after this many failures in a row <input type="number" min="1" max="1000" value=${form.stopAfterFailures} onInput=${set('stopAfterFailures')} /></label>
    </div>
    <label for="reason">Reason</label>
    <input id="reason" value=${form.reason} maxlength="300" autocomplete="off" onInput=${set('reason')} aria-invalid=${error?.field ? 'true' : undefined} aria-describedby=${error ? 'replay-error' : undefined} />
    ${guarded && html`<p class="muted">The replay skips messages that were replayed three times or more, because you do not have role admin.</p>`}
    ${error && html`<p class="error" id="replay-error" role="alert">▲ ${error.text}</p>`}
    <div class="buttons">
      <button type="button" data-first onClick=${closeDialog}>Cancel</button>
      <${ActionButton} type="submit" kind="primary" busy=${busy}>Replay ${counted(plan.count, 'message')}<//>
    </div>
  </form>`;
}

/** "orders.place: 23505 of main" */
export const groupTitle = ({ statement, error, service }) => `${statement ? statement + ': ' : ''}${error} of ${service}`;

/** @param {{group: object, again: () => void, ids?: string[]}} props without `ids`, all open messages of the group */
export function ReplayDialog({ group, again, ids = null }) {
  const [plan, setPlan] = useState(null);
  const [problem, setProblem] = useState(null);
  const [running, setRunning] = useState(false);
  useEffect(() => {
    post('/failures/plans', { kind: group.kind, service: group.service, error: group.error, cause: group.cause, ids }).then(setPlan, setProblem);
  }, []);
  return html`<${Dialog} wide title=${`Replay plan: ${ids?.length === 1 ? ids[0] : groupTitle(group)}`}>
    ${problem && html`<p class="error" role="alert">▲ ${problem.message}</p>`}
    ${!plan && !problem && html`<p class="muted">Selecting the messages for a dry run…</p>`}
    ${plan && running && html`<${Progress} id=${plan.id} count=${plan.count} again=${again} />`}
    ${plan && !running && html`<${Plan} plan=${plan} started=${() => setRunning(true)} />`}
    ${!plan && html`<div class="buttons"><button type="button" data-first onClick=${closeDialog}>Cancel</button></div>`}
  <//>`;
}
