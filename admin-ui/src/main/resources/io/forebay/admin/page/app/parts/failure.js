/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* One failed message: what is known of it without its values, and the commands that it accepts. */
import { api, path, post } from '../api.js';
import { bytes, count, counted, since } from '../format.js';
import { ActDialog, ActionButton, closeDialog, Dialog, openDialog } from './dialog.js';
import { html, text } from './elements.js';
import { CALLERS, Counted, groupTitle, unlessChanged } from './replay.js';
import { ValuesDialog } from './values.js';

const WORD = 'failed message';
const OUTCOMES = { DONE: 'it took effect', FAILED: 'it failed again', PENDING: 'not performed yet' };
const STATES = { open: 'Open', replayed: 'Replayed', 'set-aside': 'Set aside', discarded: 'Discarded' };

const command = (id, name) => `/failures/${encodeURIComponent(id)}/${name}`;

/** "Set aside by olga, 04:12: ask the sender", or "Replayed by olga, 04:12: it took effect". */
export function history({ state, decision, replay }) {
  if (state === 'open') return STATES.open;
  const [who, what] = state === 'replayed' ? [replay, OUTCOMES[replay.outcome] ?? replay.outcome] : [decision, decision.reason];
  return `${STATES[state] ?? state} by ${who.by}, ${since(who.at)} UTC${what ? `: ${what}` : ''}`;
}

export function askValues(id) {
  openDialog(ValuesDialog, {
    id,
    load: async () => {
      const values = await post(command(id, 'values'));
      return { ...values, error: values.error ?? 'unknown' };
    },
  });
}

/** Offers a document as a file to save. */
function save(document_, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([JSON.stringify(document_, null, 2) + '\n'], { type: 'application/json' }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

export const COMMANDS = {
  replay: {
    verb: 'Replay', reason: 'required', done: 'The message is sent again; the state “replayed” shows whether it took effect.',
    says: ['A new message with the same calls is sent. Only the replay shows whether it succeeds now.', CALLERS],
  },
  'set-aside': {
    verb: 'Set aside', past: 'set aside', reason: 'required', done: 'The message is set aside.',
    says: ['A message that is set aside no longer counts as open. It stays listed under “set aside” until somebody reopens or discards it.', 'One of your own service is still deleted at the end of its time (30 days unless configured otherwise).'],
  },
  reopen: {
    verb: 'Reopen', past: 'open again', reason: 'optional', done: 'The message is open again.',
    says: ['A reopened message counts as open, and is part of the next replay of its group.'],
  },
  export: {
    verb: 'Export', reason: 'optional', done: 'The file is saved by your browser.',
    says: ['The file has the position of the message and its bytes, which may be personal data. Your name, this message and the time are recorded in the audit.', 'The message stays as it is.'],
  },
  discard: {
    verb: 'Discard', past: 'discarded', reason: 'required', role: 'admin', danger: true, done: 'The message is discarded.',
    says: [
      'A discarded message is never performed: nobody can replay or reopen it.',
      'Its caller has already received the error, if the message named its caller. For the caller, nothing changes.',
      'It is deleted later. Export it first if somebody may still need it.',
    ],
  },
};

function ask(name, row, again) {
  const { verb, says, ...rest } = COMMANDS[name];
  openDialog(ActDialog, {
    ...rest,
    verb,
    title: `${verb} ${WORD} ${row.position} of ${row.service}?`,
    lines: async () => says,
    act: async (reason) => {
      const answer = await post(command(row.id, name), reason ? { reason } : {});
      if (name === 'export') save(answer, `failed-${row.service}-${row.partition}-${row.position}.json`);
      again();
    },
  });
}

/** The commands that a message accepts in a state, besides a replay. */
export const ALLOWED = { open: ['set-aside', 'export', 'discard'], 'set-aside': ['reopen', 'export', 'discard'] };

/** Of those that are exported, and of those that are decided about. */
const AT_ONCE = 500;
const MOST_DECIDED = 10_000;

/** The messages of a group, oldest first; of many, the newest. */
async function messages({ service, error, cause }, state) {
  const page = await api(path('/failures/list', { service, error, cause, state: state ?? 'open', limit: AT_ONCE }));
  return page.failures.reverse();
}

/** The messages that another operator decided about first are not among them. */
export const decidedText = (name, decided, count) =>
  `${counted(decided, 'message')} ${COMMANDS[name].past}.${decided < count ? ' The others were deleted, or another operator decided about them first.' : ''}`;

/** Asks for a decision about all messages of a group. */
export function DecisionDialog({ name, group, state, again }) {
  const { verb, says, ...rest } = COMMANDS[name];
  const { service, error, cause } = group;
  const title = groupTitle(group, group.text);
  return html`<${Counted} title=${`${verb} all of ${title}?`} group=${group} state=${state}>${({ count: number, before, fingerprint }, recount) => {
    const all = counted(number, WORD);
    const act = (reason) => unlessChanged(post(`/failures/group/${name}`, { service, error, cause, state, before, fingerprint, ...(reason && { reason }) }), recount).finally(again);
    return html`<${ActDialog} ...${rest} title=${`${verb} ${all}?`} verb=${`${verb} ${all}`} act=${act}
      lines=${async () => [`All of ${title}, of any age${number < MOST_DECIDED ? '' : ': the newest; repeat the command for the others'}.`, ...says]}
      done=${({ decided }) => decidedText(name, decided, number)} />`;
  }}<//>`;
}

/** Asks for a command about all messages of a group. */
export function askAll(name, group, state, again) {
  if (name === 'export') exportAll(group, state, again);
  else openDialog(DecisionDialog, { name, group, state, again });
}

function exportAll(group, state, again) {
  const name = 'export';
  const { verb, says, done, ...rest } = COMMANDS[name];
  let rows = [];
  openDialog(ActDialog, {
    ...rest,
    verb,
    done: () => (rows.length === 1 ? done : `${verb}: ${counted(rows.length, 'message')}, done.`),
    title: `${verb} all of ${groupTitle(group, group.text)}?`,
    lines: async () => {
      rows = await messages(group, state);
      const newest = rows.length === AT_ONCE ? `, the newest; repeat the command for the others` : '';
      return [`${counted(rows.length, WORD)}${newest}. The audit has an entry for each.`, ...says];
    },
    act: async (reason) => {
      if (rows.length === 0) throw new Error('The messages of the group are not known. Close this dialog and try again.');
      const answers = [];
      try {
        for (const row of rows) answers.push(await post(command(row.id, name), reason ? { reason } : {}));
      } catch (problem) {
        throw new Error(`${count(answers.length)} of ${count(rows.length)} done, then: ${problem.message}`);
      } finally {
        if (answers.length > 0) save(answers.length === 1 ? answers[0] : answers, `failed-${group.service}-${group.error}.json`);
        again();
      }
    },
  });
}

/** A key without the mark of one that was generated for a caller who gave none. */
export const keyText = (key) => key?.replace(/^¶(?=[^¶]*$)/, '');

/** @param {{row: object, group: object, again: () => void}} props the message, its group, and what to do after a command */
export function FailureDialog({ row, group, again }) {
  const { origin } = row;
  const waits = row.state === 'open' || row.state === 'set-aside';
  const replay = () => ask('replay', row, again);
  return html`<${Dialog} wide title=${`Failed message ${row.position} of ${row.service}`}>
    <p>${row.detail}</p>
    ${waits && row.undecodable && html`<p>A replay does not help while this version of Forebay cannot decode the message. Export it for its sender; set it aside if a newer version may decode it, or discard it.</p>`}
    <dl class="facts">
      <div><dt>State</dt><dd class="any">${history(row)}</dd></div>
      <div><dt>At (UTC)</dt><dd>${since(row.at)}</dd></div>
      <div><dt>Partition, position</dt><dd>${row.partition}, ${count(row.position)}</dd></div>
      <div><dt>Size</dt><dd>${bytes(row.bytes)}</dd></div>
      <div><dt>Replays</dt><dd>${count(row.replays)}</dd></div>
      ${origin && html`<div><dt>Statement</dt><dd class="any">${text(origin.statement ?? group.statement)}</dd></div>
        <div><dt>Caller</dt><dd class="any">${text(origin.client)}</dd></div>
        <div><dt>Key</dt><dd class="any">${text(keyText(origin.key))}</dd></div>`}
      ${row.traceId && html`<div><dt>Trace</dt><dd class="any"><code>${row.traceId}</code></dd></div>`}
      <div><dt>Arguments</dt><dd>hidden <${ActionButton} onClick=${() => askValues(row.id)}>Show values…<//></dd></div>
      <div><dt>Id</dt><dd class="any"><code>${row.id}</code></dd></div>
    </dl>
    <div class="buttons">
      <button type="button" onClick=${closeDialog}>Close</button>
      ${(ALLOWED[row.state] ?? ['export']).map((name) => html`<${ActionButton} key=${name} role=${COMMANDS[name].role} kind=${COMMANDS[name].danger ? 'danger' : ''} onClick=${() => ask(name, row, again)}>${COMMANDS[name].verb}…<//>`)}
      ${waits && html`<${ActionButton} kind=${row.undecodable ? '' : 'primary'} onClick=${replay}>Replay…<//>`}
    </div>
  <//>`;
}
