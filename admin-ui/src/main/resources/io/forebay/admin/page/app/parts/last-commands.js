/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The last commands of all users, so that operators see what the others do; for those who may read the audit. */
import { useComputed } from '@preact/signals';
import { html } from './html.js';
import { count, counted, duration, moment } from '../format.js';
import { frame, may } from '../store.js';
import { useLoad } from './load.js';

const SHOWN = 3;
/** More are read, because a failed command has two entries. */
const READ = 10;
const EVERY = 5;

const VERBS = {
  'service.pause': 'paused',
  'service.resume': 'resumed',
  'service.drain': 'drained',
  'service.fail-message': 'failed message',
  'service.set-aside': 'set aside damage in',
  'schedule.pause': 'paused schedule',
  'schedule.resume': 'resumed schedule',
  'schedule.run': 'ran schedule',
  'job.import': 'imported',
  'job.start': 'started job',
  'job.stop': 'stopped job',
  'job.restart': 'restarted job',
  'job.recover': 'recovered job',
  'job.abandon': 'abandoned job',
  'failed.replay': 'replayed failed statement',
  'failed.set-aside': 'set aside failed statement',
  'failed.reopen': 'reopened failed statement',
  'failed.discard': 'discarded failed statement',
  'failed.export': 'exported failed statement',
  'dead-letter.replay': 'replayed dead letter',
  'dead-letter.set-aside': 'set aside dead letter',
  'dead-letter.reopen': 'reopened dead letter',
  'dead-letter.discard': 'discarded dead letter',
  'dead-letter.export': 'exported dead letter',
  'failures.replay': 'started a replay of',
  'failures.replay.result': 'ended the replay of',
  'failures.replay.stop': 'stopped the replay of',
  'failures.set-aside': 'set aside',
  'failures.reopen': 'reopened',
  'failures.discard': 'discarded',
  'demo.burst': 'started a burst of',
  'alert.silence': 'silenced',
  'alert.acknowledge': 'acknowledged',
  'alert.end-silence': 'ended the silence of',
  'alert.withdraw-acknowledgement': 'withdrew the acknowledgement of',
  'user.create': 'added user',
  'user.delete': 'deleted user',
  'user.end-session': 'ended a session of',
  'token.create': 'added token',
  'token.delete': 'deleted token',
  'token.replace': 'replaced token',
  'catalogue.reload': 'reloaded the catalogue',
  'caller.limit': 'limited',
  'caller.lift': 'lifted the limit of',
};

/** Actions that are only in the audit. */
const OTHERS = {
  'session.login': 'logged in',
  'session.logout': 'logged out',
  'session.end': 'ended a session',
  'user.password': 'changed the password',
  'failed.values': 'looked at the values of failed statement',
  'dead-letter.values': 'looked at the values of dead letter',
  'message.values': 'looked at the values of message',
  'audit.export': 'exported the audit',
  'audit.expire': 'deleted expired entries',
};

/** The words of each known action. */
export const ACTIONS = { ...VERBS, ...OTHERS };

const HTTP = 'http.';

/** The words of an action, also of the refused requests of an HTTP method; undefined if this version does not know it. */
export const actionWords = (action) => (action.startsWith(HTTP) ? `sent a ${action.slice(HTTP.length)} request` : ACTIONS[action]);

/** The kinds of alerts: "silenced the alert that …". */
const ALERTS = {
  failed: (name) => `${name} stopped with an error`,
  waiting: (name) => `${name} is waiting`,
  refusing: (name) => `${name} refuses messages`,
  stalled: (name) => `a partition of ${name} is stalled`,
  late: (name) => `${name} will be late`,
  behind: (name) => `${name} is behind`,
  paused: (name) => `${name} is paused and behind`,
  loss: (name) => `messages of ${name} are deleted soon`,
  disk: (name) => `the disk ${name} will be full`,
  space: (name) => `the disk ${name} has little space`,
  memory: () => 'too much memory waits for the disk',
  database: (name) => `the database workers of ${name} are busy`,
  dead: (name) => `${name} has dead letters`,
  failing: (name) => `statements of ${name} fail`,
  burst: (name) => `${name} cannot take a usual burst`,
  instance: (name) => `the instance ${name} is not seen`,
  job: (name) => `the job ${name} needs an operator`,
  window: (name) => `the schedule ${name} misses its window`,
};

/** The subject of an alert has _ in place of /. */
function alertWords({ kind, object }, target) {
  const volume = frame.peek()?.tiles.disk?.volume;
  return ALERTS[kind] ? `the alert that ${ALERTS[kind](volume?.replaceAll('/', '_') === object ? volume : object)}` : target;
}

const KINDS = { failed: 'failed statement', dead: 'dead letter' };

/** "replay of 430 failed statements of crm (23514) stopped: 3 of 430 sent, 0 performed, 3 failed again". */
function resultLine(entry) {
  const { outcome, parts = {} } = entry;
  const { state, sent, count: all, done, failed, why } = parts;
  const object = subjectOf(entry);
  if (!state) return `replay of ${object} ended: ${outcome}`;
  const figures = `${count(sent)} of ${count(all)} sent, ${count(done)} performed, ${count(failed)} failed again`;
  return `replay of ${object} ${state === 'done' ? 'done' : 'stopped'}: ${figures}${why && !failed ? `. ${why}` : ''}`;
}

const isResult = ({ action }) => action === 'failures.replay.result';

/** What a command was about, in words. The server names the parts of its target. */
function subjectOf({ action, target, parts = {} }) {
  const { kind, object, error, cause, messages, partition, position, file, given } = parts;
  if (action.startsWith('alert.')) return alertWords(parts, target);
  if (file !== undefined) return `${file} with ${object}`;
  if (given !== undefined) return `${object} with ${given}`;
  if (messages !== undefined) return `${counted(messages, KINDS[kind])} of ${object} (${[cause, error].filter(Boolean).join(', ')})`;
  if (position !== undefined) return `${position} of ${object}, partition ${partition}`;
  return partition === undefined ? target : `${object}, partition ${partition}`;
}

/** What was unusual about its outcome; empty if nothing was. */
function outcomeOf({ action, outcome, parts: { note, until, by, since } = {} }) {
  if (by) return `refused: already ${VERBS[action]} by ${by} since ${moment(since)} UTC`;
  if (outcome.startsWith('failed')) return 'failed';
  const words = [note, until && `until ${moment(until)} UTC`].filter(Boolean).join(', ');
  return words || (outcome.startsWith('allowed') ? '' : outcome);
}

/** "olga paused mail: “migration”". @param {{actor: string, action: string, target: string, reason: string, outcome: string, parts?: object}} entry */
export function commandLine(entry) {
  const { action, reason, parts } = entry;
  if (isResult(entry)) return resultLine(entry);
  if (action === 'demo.burst') return `${VERBS[action]} ${reason}`;
  if (action === 'catalogue.reload') return VERBS[action];
  if (parts?.file) return `${VERBS[action]} ${subjectOf(entry)} (${[reason, outcomeOf(entry)].filter(Boolean).join(', ')})`;
  const verb = parts?.by ? `tried to ${action.split('.')[1]}` : (VERBS[action] ?? action);
  const how = outcomeOf(entry);
  return `${verb} ${subjectOf(entry)}${reason ? `: “${reason}”` : ''}${how && ` (${how})`}`;
}

const key = ({ actor, action, target, reason }) => JSON.stringify([actor, action, target, reason]);

const replayKey = ({ actor, target, reason }) => JSON.stringify([actor, target, reason]);

/** The newest commands, each once: skipped are the entry before a failed command, the start of a replay that ended, and one that was refused before the same one was allowed. @param {object[]} entries newest first */
export function lastCommands(entries) {
  const failed = new Set();
  const done = new Set();
  const ended = new Set();
  return entries
    .filter((entry) => {
      if (isResult(entry)) return ended.add(replayKey(entry));
      if (entry.action === 'failures.replay' && ended.delete(replayKey(entry))) return false;
      if (entry.outcome.startsWith('refused')) return !done.has(key(entry));
      done.add(key(entry));
      if (entry.outcome.startsWith('failed')) return failed.add(key(entry));
      return !failed.delete(key(entry));
    })
    .slice(0, SHOWN);
}

/** How long ago something was; to the minute after the first one, so that it does not tick. */
export function agoWords(at, now) {
  const seconds = Math.round((Date.parse(now) - Date.parse(at)) / 1000);
  if (seconds < 2) return 'just now';
  return `${duration(seconds < 60 ? seconds : seconds - (seconds % 60))} ago`;
}

function Entry({ entry }) {
  const ago = useComputed(() => agoWords(entry.at, frame.value.at));
  return html`<li><span class="nowrap muted" title=${entry.at}>${ago}</span> <span title=${entry.outcome}><b>${entry.actor}${isResult(entry) ? '’s' : ''}</b> ${commandLine(entry)}</span></li>`;
}

export function LastCommands() {
  const load = useLoad(may('operator') ? `/audit?commands=true&limit=${READ}` : null, EVERY);
  const entries = lastCommands(load.data?.entries ?? []);
  if (entries.length === 0) return load.problem && html`<p class="muted">Last commands unknown: ${load.problem.status === 503 ? 'the system database is not responding.' : load.problem.message}</p>`;
  return html`<section class="last-commands" aria-label="Last commands"><h2><a href="/admin/audit">Last commands</a></h2>
    <ul>${entries.map((entry) => html`<${Entry} key=${entry.id} entry=${entry} />`)}</ul></section>`;
}
