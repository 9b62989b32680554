/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * The plan of a replay: the server freezes the list of messages and counts what can be sent (dry run); only then can it
 * be run, with a rate, a stop rule and a reason. Closing the dialog does not stop a running plan: it is listed with its button.
 */
import { useEffect, useState } from 'preact/hooks';
import { api, post } from '../api.js';
import { clock, count, counted, duration, since } from '../format.js';
import { may } from '../store.js';
import { ActDialog, ActionButton, barred, closeDialog, Dialog, openDialog, useFirstFocus } from './dialog.js';
import { html, useLoad } from './elements.js';
import { Meter, Shape } from './figure.js';
import { progressLine } from './running-replays.js';

const ASK_EVERY = 1000;
const LIST_EVERY = 2;
const ENDED_SHOWN = 3;
const WORDS = { running: 'Running', done: 'Done', stopped: 'Stopped', failed: 'Failed' };

const stop = (run) =>
  openDialog(ActDialog, {
    title: `Stop the replay of ${run.service}?`, verb: 'Stop the replay', reason: 'optional', done: 'The replay is stopped.',
    lines: async () => ['Messages that were already sent are still performed. The others stay open.'],
    act: (reason) => post(`/failures/plans/${run.id}/stop`, reason ? { reason } : {}),
  });

/** One replay: its state, the figures, and why it ended. */
export function Course({ run }) {
  const over = run.count - run.notAttempted - run.pending;
  return html`<p><b>${WORDS[run.state] ?? run.state}</b>: ${progressLine(run)}. ${run.text}</p>
    ${run.state === 'running' && html`<${Meter} share=${run.count ? over / run.count : 0} tone=${run.failed || run.refused ? 'watch' : 'plain'} />`}`;
}

function Progress({ id, again, ended }) {
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
        if (answer.state !== 'running') {
          again();
          ended();
        }
        over ||= answer.state !== 'running';
      } catch (failure) {
        setProblem(failure.message);
      }
      if (!over) setTimeout(ask, ASK_EVERY);
    };
    ask();
    return () => (over = true);
  }, [id]);
  const running = !run || run.state === 'running';
  return html`<div role="status">${run ? html`<${Course} run=${run} />` : html`<p>Starting…</p>`}</div>
    ${problem && html`<p class="error">▲ ${problem}</p>`}
    ${running && html`<p class="muted">You can close this dialog: the replay continues, and the screen <i>Failed</i> shows it with its button <i>Stop</i>.</p>`}
    <div class="buttons">
      ${running && html`<${ActionButton} onClick=${() => post(`/failures/plans/${id}/stop`).catch((failure) => setProblem(failure.message))}>Stop the replay<//>`}
      <button type="button" onClick=${closeDialog}>Close</button>
    </div>`;
}

/** All running replays, and the last ended ones. @param {object[]} runs newest first */
export function shownRuns(runs, service) {
  const of = runs.filter((run) => !service || run.service === service);
  const ended = of.filter((run) => run.state !== 'running');
  return [...of.filter((run) => run.state === 'running'), ...ended.slice(0, ENDED_SHOWN)];
}

/** The replays of the last hour, with Stop. @param {{service?: string, again: () => void, running: (some: boolean) => void}} props `again` is called when one ends, `running` when the first begins and the last ends */
export function Replays({ service, again, running }) {
  const load = useLoad('/failures/plans', LIST_EVERY);
  const runs = shownRuns(load.data?.runs ?? [], service);
  const some = runs.some((run) => run.state === 'running');
  // a short one is never seen running
  const ended = runs.filter((run) => run.state !== 'running').map((run) => run.id).join();
  useEffect(() => again(), [ended]);
  useEffect(() => running(some), [some]);
  if (runs.length === 0) return load.problem && html`<p class="muted">Running replays unknown: ${load.problem.message}</p>`;
  return html`<section class="panel replays" aria-label="Replays"><h2>Replays of the last hour</h2>
    ${runs.map((run) => html`<div key=${run.id} class="replay"><div>
      <p><b>${groupTitle(run, run.what)}</b> <span class="muted">${run.started.by}, ${since(run.started.at)} UTC${run.ended ? `–${since(run.ended)}` : ''}: “${run.started.reason}”</span></p>
      <${Course} run=${run} /></div>
      ${run.state === 'running' && html`<${ActionButton} label=${`Stop… ${groupTitle(run, run.what)}`} onClick=${() => stop(run)}>Stop…<//>`}</div>`)}
  </section>`;
}

/** What the callers of messages know, and what a replay means for them. */
const CALLERS = 'Their callers have received the error, if the messages named them. What a caller has sent again meanwhile would take effect twice.';

/** A warning while statements of a group still fail; or null. */
export const stillFails = ({ lastMinute, ended, countCapped }) =>
  lastMinute > 0 && !ended ? `The cause is still there: ${count(lastMinute)}${countCapped ? '+' : ''} failed in the last minute. Messages that are replayed now may fail again.` : null;

/** SQLState classes 22 (data exception) and 23 (integrity constraint violation). */
const OF_VALUES = /^2[23][0-9A-Z]{3}$/;

/** A warning if the database refused the values themselves; or null. */
export const refusesValues = ({ error }) =>
  OF_VALUES.test(error) ? `The database refuses these values (${error}). They fail again unless its tables or rules have changed since; otherwise set them aside or discard them.` : null;

function Plan({ plan, group, started }) {
  useFirstFocus();
  const [form, setForm] = useState({ perSecond: 5, stopAfterFailures: 3, reason: '' });
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  const set = (name) => (event) => setForm({ ...form, [name]: event.target.value });
  const guarded = plan.overReplays > 0 && !may('admin');
  const run = async (event) => {
    event.preventDefault();
    if (busy || barred('operator')) return;
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
  const warning = stillFails(group) ?? refusesValues(group);
  return html`<form onSubmit=${run} noValidate>
    <ul class="effect">
      <li><b>${counted(plan.count, 'message')}</b>, frozen; the plan is valid until ${clock(plan.expires)} UTC</li>
      <li>Dry run: ${count(plan.performable)} can be sent again. Only the replay shows whether they succeed now.${plan.overReplays > 0 ? ` Only an admin can replay ${count(plan.overReplays)} of the messages, because they were replayed three times or more.` : ''}</li>
      <li>Effect: ${group.service} gets ${count(Number(form.perSecond))} more per second, for about ${duration(seconds)}</li>
      ${warning && html`<li class="state watch"><${Shape} severity="watch" /> ${warning}</li>`}
      <li>${CALLERS}</li>
    </ul>
    <div class="filters form-line">
      <label>Per second <input type="number" min="1" max="1000" value=${form.perSecond} onInput=${set('perSecond')} /></label>
      <label>Stop after this many failures in a row <input type="number" min="1" max="1000" value=${form.stopAfterFailures} onInput=${set('stopAfterFailures')} /></label>
    </div>
    <label for="reason">Reason</label>
    <input id="reason" data-first value=${form.reason} maxlength="300" autocomplete="off" onInput=${set('reason')} aria-invalid=${error?.field ? 'true' : undefined} aria-describedby=${error ? 'replay-error' : undefined} />
    ${guarded && html`<p class="muted">The replay skips messages that were replayed three times or more, because you do not have role admin.</p>`}
    ${error && html`<p class="error" id="replay-error" role="alert">▲ ${error.text}</p>`}
    <div class="buttons">
      <button type="button" onClick=${closeDialog}>Cancel</button>
      <${ActionButton} type="submit" kind="primary" busy=${busy}>Replay ${counted(plan.count, 'message')}<//>
    </div>
  </form>`;
}

/** "orders.place: 23505 of main" */
const SQL_STATE = /^[0-9A-Z]{5}$/;

/** "orders: orders.place, unique constraint orders_pkey of orders violated (23505)". @param {string} [what] the error in words */
export function groupTitle({ statement, error, service }, what) {
  const words = what && SQL_STATE.test(error) ? `${what} (${error})` : error;
  return `${service}: ${statement ? statement + ', ' : ''}${words}`;
}

/** @param {{group: object, again: () => void, ids?: string[]}} props without `ids`, all open messages of the group */
export function ReplayDialog({ group, again, ids = null }) {
  const [plan, setPlan] = useState(null);
  const [problem, setProblem] = useState(null);
  const [running, setRunning] = useState(null);
  const [ended, setEnded] = useState(false);
  useEffect(() => {
    post('/failures/plans', { service: group.service, error: group.error, cause: group.cause, ids }).then((made) => {
      setPlan(made);
      setRunning(made.running);
    }, setProblem);
  }, []);
  return html`<${Dialog} wide title=${`${ended ? 'Replay ended' : running ? 'Replay' : 'Replay plan'}: ${ids?.length === 1 ? ids[0] : groupTitle(group, group.text)}`}>
    ${problem && html`<p class="error" role="alert">▲ ${problem.message}</p>`}
    ${!plan && !problem && html`<p class="muted">Selecting the messages for a dry run…</p>`}
    ${plan && running === plan.id && html`<${Progress} id=${running} again=${again} ended=${() => setEnded(true)} />`}
    ${plan && running && running !== plan.id && html`<p>Another replay of ${group.service} is running; a service has one at a time. <i>Failed</i> shows it, with <i>Stop…</i>.</p><div class="buttons"><button type="button" data-first onClick=${closeDialog}>Close</button></div>`}
    ${plan && !running && plan.count > 0 && html`<${Plan} plan=${plan} group=${group} started=${() => setRunning(plan.id)} />`}
    ${plan && !running && plan.count === 0 && html`<p>No message of this group is open now.</p><div class="buttons"><button type="button" onClick=${closeDialog}>Close</button></div>`}
    ${!plan && html`<div class="buttons"><button type="button" onClick=${closeDialog}>Cancel</button></div>`}
  <//>`;
}
