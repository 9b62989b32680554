/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * The replay of a group: the server counts what can be sent; a replay of exactly these messages can then be started, with a
 * rate, a stop rule and a reason. Closing the dialog does not stop it: it is listed with its button.
 */
import { useEffect, useState } from 'preact/hooks';
import { api, path, post } from '../api.js';
import { clock, count, counted, duration, since } from '../format.js';
import { ActDialog, ActionButton, closeDialog, Dialog, openDialog } from './dialog.js';
import { html, useLoad } from './elements.js';
import { Meter } from './figure.js';

const ASK_EVERY = 1000;
const LIST_EVERY = 2;
const ENDED_SHOWN = 3;
const WORDS = { RUNNING: 'Running', DONE: 'Done', STOPPED: 'Stopped', FAILED: 'Failed' };

const stop = (run) =>
  openDialog(ActDialog, {
    title: `Stop the replay of ${run.service}?`, verb: 'Stop the replay', reason: 'optional', done: 'The replay is stopped.',
    lines: async () => ['Messages that were already sent are still performed. The others stay open.'],
    act: (reason) => post(`/failures/replays/${run.id}/stop`, reason ? { reason } : {}),
  });

/** "61 of 265 sent: 58 performed, 0 failed again, 3 not performed yet; 204 to go, about 9 s left". */
export function progressLine({ state, count: all, sent, done, failed, perSecond }) {
  const running = state === 'RUNNING';
  const pending = sent - done - failed;
  const part = (value, words) => (value > 0 ? [`${count(value)} ${words}`] : []);
  const of = [`${count(done)} performed`, `${count(failed)} failed again`, ...part(pending, running ? 'not performed yet' : 'with unknown outcome')];
  const left = all - sent;
  const others = part(left, running ? 'to go' : 'not attempted').map((it) => '; ' + it).join('');
  const time = running && left > 0 && perSecond > 0 ? `, about ${duration(Math.max(1, Math.round(left / perSecond)))} left` : '';
  return `${count(sent)} of ${count(all)} sent: ${of.join(', ')}${others}${time}`;
}

/** One replay: its state, the figures, and why it ended. */
export function Course({ run }) {
  return html`<p><b>${run.text || `${WORDS[run.state] ?? run.state}:`}</b> ${progressLine(run)}.</p>
    ${run.state === 'RUNNING' && html`<${Meter} share=${run.count ? (run.done + run.failed) / run.count : 0} tone=${run.failed ? 'watch' : 'plain'} />`}`;
}

/** A replay that was just started. @param {{id: string, group: object, again: () => void}} props `again` is called when it ends */
function ProgressDialog({ id, group, again }) {
  const [run, setRun] = useState(null);
  const [problem, setProblem] = useState(null);
  const running = !run || run.state === 'RUNNING';
  useEffect(() => {
    let over = false;
    const ask = async () => {
      try {
        const answer = await api('/failures/replays/' + id);
        setRun(answer);
        setProblem(null);
        over ||= answer.state !== 'RUNNING';
        if (answer.state !== 'RUNNING') again();
      } catch (failure) {
        setProblem(failure.message);
      }
      if (!over) setTimeout(ask, ASK_EVERY);
    };
    ask();
    return () => (over = true);
  }, [id]);
  return html`<${Dialog} wide title=${`${running ? 'Replay' : 'Replay ended'}: ${groupTitle(group, group.text)}`}>
    <div role="status">${run ? html`<${Course} run=${run} />` : html`<p>Starting…</p>`}</div>
    ${problem && html`<p class="error">▲ ${problem}</p>`}
    ${running && html`<p class="muted">You can close this dialog: the replay continues, and the screen <i>Failed</i> shows it with its button <i>Stop</i>.</p>`}
    <div class="buttons">
      ${running && html`<${ActionButton} onClick=${() => post(`/failures/replays/${id}/stop`).catch((failure) => setProblem(failure.message))}>Stop the replay<//>`}
      <button type="button" onClick=${closeDialog}>Close</button>
    </div>
  <//>`;
}

/** All running replays, and the last ended ones. @param {object[]} runs newest first */
export function shownRuns(runs, service) {
  const of = runs.filter((run) => !service || run.service === service);
  const ended = of.filter((run) => run.state !== 'RUNNING');
  return [...of.filter((run) => run.state === 'RUNNING'), ...ended.slice(0, ENDED_SHOWN)];
}

/** The replays of the last hour, with Stop. @param {{service?: string, again: () => void, running: (some: boolean) => void}} props `again` is called when one ends, `running` when the first begins and the last ends */
export function Replays({ service, again, running }) {
  const load = useLoad('/failures/replays', LIST_EVERY);
  const runs = shownRuns(load.data?.runs ?? [], service);
  const some = runs.some((run) => run.state === 'RUNNING');
  // a short one is never seen running
  const ended = runs.filter((run) => run.state !== 'RUNNING').map((run) => run.id).join();
  useEffect(() => again(), [ended]);
  useEffect(() => running(some), [some]);
  if (runs.length === 0) return load.problem && html`<p class="muted">Running replays unknown: ${load.problem.message}</p>`;
  return html`<section class="panel replays" aria-label="Replays"><h2>Replays of the last hour</h2>
    ${runs.map((run) => html`<div key=${run.id} class="replay"><div>
      <p><b>${groupTitle(run, run.what)}</b> <span class="muted">${run.by}, ${since(run.started)} UTC${run.ended ? `–${since(run.ended)}` : ''}: “${run.reason}”</span></p>
      <${Course} run=${run} /></div>
      ${run.state === 'RUNNING' && html`<${ActionButton} label=${`Stop… ${groupTitle(run, run.what)}`} onClick=${() => stop(run)}>Stop…<//>`}</div>`)}
  </section>`;
}

/** What the callers of messages know, and what a replay means for them. */
export const CALLERS = 'Their callers have received the error, if the messages named them. What a caller has sent again meanwhile would take effect twice.';

/** A warning while statements of a group still fail; or null. */
export const stillFails = ({ lastMinute, ended, countCapped }) =>
  lastMinute > 0 && !ended ? `The cause is still there: ${count(lastMinute)}${countCapped ? '+' : ''} failed in the last minute. Messages that are replayed now may fail again.` : null;

/** SQLState classes 22 (data exception) and 23 (integrity constraint violation). */
const OF_VALUES = /^2[23][0-9A-Z]{3}$/;

/** A warning if the database refused the values themselves; or null. */
export const refusesValues = ({ error }) =>
  OF_VALUES.test(error) ? `The database refuses these values (${error}). They fail again unless its tables or rules have changed since; otherwise set them aside or discard them.` : null;

/** @param {{group: object, found: object, recount: () => void, again: () => void}} props what `Counted` found */
function ReplayForm({ group, found: { count: all, ...selected }, recount, again }) {
  const [form, setForm] = useState({ perSecond: 5, stopAfterFailures: 3 });
  const number = (name, label) => html`<label>${label} <input type="number" min="1" max="1000" value=${form[name]} onInput=${(event) => setForm({ ...form, [name]: Number(event.target.value) })} /></label>`;
  const { service, error, cause } = group;
  const warning = stillFails(group) ?? refusesValues(group);
  const lines = async () => [
    `${counted(all, 'message')} that failed before ${clock(selected.before)} UTC; none that fails later.`,
    'Only the replay shows whether they succeed now.',
    `Effect: ${service} gets up to ${count(form.perSecond)} more per second, for ${duration(form.perSecond > 0 ? all / form.perSecond : NaN)} or longer: at first fewer, until it is known that they take effect.`,
    ...(warning ? [`● ${warning}`] : []),
    CALLERS,
  ];
  const started = ({ id }) => {
    openDialog(ProgressDialog, { id, group, again });
    return 'The replay has started.';
  };
  return html`<${ActDialog} title=${`Replay: ${groupTitle(group, group.text)}`} verb=${`Replay ${counted(all, 'message')}`} lines=${lines} linesOf=${`${form.perSecond} ${selected.fingerprint}`} done=${started}
    act=${(reason) => unlessChanged(post('/failures/replays', { service, error, cause, ...selected, reason, ...form }), recount)}>
    ${() => html`<div class="filters form-line">${number('perSecond', 'Per second')}${number('stopAfterFailures', 'Stop after this many failures in a row')}</div>`}
  <//>`;
}

/** "orders.place: 23505 of main" */
const SQL_STATE = /^[0-9A-Z]{5}$/;

/** "orders: orders.place, unique constraint orders_pkey of orders violated (23505)". @param {string} [what] the error in words */
export function groupTitle({ statement, error, service }, what) {
  const words = what && SQL_STATE.test(error) ? `${what} (${error})` : error;
  return `${service}: ${statement ? statement + ', ' : ''}${words}`;
}

/** Counts the messages again if a command was refused because they are no longer the same. */
export const unlessChanged = (answer, recount) =>
  answer.catch((failure) => {
    if (failure.status === 409) recount();
    throw failure;
  });

/** A dialog about all messages of a group in a state, whose number is fixed when it opens. @param {{title: string, group: object, state?: string, children: (found: object, recount: () => void) => any}} props */
export function Counted({ title, group: { service, error, cause }, state = 'open', children }) {
  const [found, setFound] = useState(null);
  const [problem, setProblem] = useState(null);
  const recount = () => api(path('/failures/count', { service, error, cause, state })).then(setFound, setProblem);
  useEffect(() => {
    recount();
  }, []);
  if (found?.count) return children(found, recount);
  return html`<${Dialog} title=${title}>
    ${problem ? html`<p class="error" role="alert">▲ ${problem.message}</p>` : html`<p class="muted">${found ? 'No message of this group is in this state now.' : 'Counting the messages…'}</p>`}
    <div class="buttons"><button type="button" onClick=${closeDialog}>Close</button></div>
  <//>`;
}

/** @param {{group: object, again: () => void}} props */
export const ReplayDialog = ({ group, again }) => html`<${Counted} title=${`Replay: ${groupTitle(group, group.text)}`} group=${group}>
  ${(found, recount) => html`<${ReplayForm} group=${group} found=${found} recount=${recount} again=${again} />`}<//>`;
