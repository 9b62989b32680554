/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The last commands of all users, so that operators see what the others do; for those who may read the audit. */
import { html } from './html.js';
import { duration, moment } from '../format.js';
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
  'failures.replay': 'replayed',
  'failures.replay.stop': 'stopped the replay of',
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
};

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

/** The id of an alert is its kind, ~, and its subject, with _ in place of /. */
function alertWords(id) {
  const [kind, ...rest] = id.split('~');
  const subject = rest.join('~');
  const volume = frame.peek()?.tiles.disk?.volume;
  return ALERTS[kind] ? `the alert that ${ALERTS[kind](volume?.replaceAll('/', '_') === subject ? volume : subject)}` : id;
}

const REPLAYED = /^(failed|dead) (\S+) of (.+?)(?: \((.*)\))?, ([\d,]+) messages$/;
const RESULT = /^(\w+): ([\d,]+) done, ([\d,]+) failed, of ([\d,]+)(?:\. (.*))?$/s;
const KINDS = { failed: 'failed statement', dead: 'dead letter' };

/** "failed 23514 of crm (contacts.add), 967 messages" as "967 failed statements of crm (contacts.add, 23514)". */
function replayed(target) {
  const [, kind, error, service, cause, messages] = REPLAYED.exec(target) ?? [];
  if (!kind) return target;
  return `${messages} ${KINDS[kind]}${messages === '1' ? '' : 's'} of ${service} (${cause ? cause.split('; ')[0] + ', ' : ''}${error})`;
}

/** "replay of crm failed: 3 failed again": the end of a replay. */
function resultLine({ target, outcome }) {
  const [, state, done, failed, all, text] = RESULT.exec(outcome) ?? [];
  if (!state) return `replay of ${target} ended: ${outcome}`;
  const of = REPLAYED.exec(target)?.[3] ?? target;
  const figures = state === 'failed' && failed !== '0' ? `${failed} failed again` : `${done} of ${all} performed${failed === '0' ? '' : `, ${failed} failed again`}`;
  const why = text && state !== 'done' && failed === '0' ? `. ${text.replace(/\.$/, '')}` : '';
  return `replay of ${of} ${state === 'stopped' ? 'was stopped' : state}: ${figures}${why}`;
}

const isResult = ({ action }) => action === 'failures.replay.result';

/** What a command was about, in words: for an alert, a partition or a message, the audit has its id. */
function subjectOf(action, target) {
  if (action.startsWith('alert.')) return alertWords(target);
  if (action.startsWith('failures.replay')) return replayed(target);
  const [service, partition, position] = target.split('/');
  if (action === 'service.fail-message') return `${position} of ${service}, partition ${partition}`;
  if (action === 'service.set-aside') return `${service}, partition ${partition}`;
  return target;
}

/** "olga paused mail: “migration”". @param {{actor: string, action: string, target: string, reason: string, outcome: string}} entry */
export function commandLine(entry) {
  const { action, target, reason, outcome } = entry;
  if (isResult(entry)) return resultLine(entry);
  if (action === 'demo.burst') return `${VERBS[action]} ${reason}`;
  const what = `${VERBS[action] ?? action} ${subjectOf(action, target)}${reason ? `: “${reason}”` : ''}`;
  if (outcome === 'allowed') return what;
  if (outcome.startsWith('refused: ')) return `${what.replace(/^paused/, 'tried to pause')} (${outcome.replace(/ since \S+Z$/, '')})`;
  const how = outcome.replace('allowed, ', '').replace(/until (\S+Z)$/, (_, time) => `until ${moment(time)} UTC`);
  return `${what} (${outcome.startsWith('failed') ? 'failed' : how})`;
}

const key = ({ actor, action, target, reason }) => JSON.stringify([actor, action, target, reason]);

/** The newest commands, each once: skipped are the entry before a failed command, and one that was refused before the same one was allowed. @param {object[]} entries newest first */
export function lastCommands(entries) {
  const failed = new Set();
  const done = new Set();
  return entries
    .filter((entry) => {
      if (isResult(entry)) return true;
      if (entry.outcome.startsWith('refused')) return !done.has(key(entry));
      done.add(key(entry));
      if (entry.outcome.startsWith('failed')) return failed.add(key(entry));
      return !failed.delete(key(entry));
    })
    .slice(0, SHOWN);
}

function Entry({ entry }) {
  const ago = Math.max(0, (Date.parse(frame.value.at) - Date.parse(entry.at)) / 1000);
  return html`<li><span class="nowrap muted" title=${entry.at}>${ago < 2 ? 'just now' : `${duration(Math.round(ago))} ago`}</span> <span title=${entry.outcome}><b>${entry.actor}${isResult(entry) ? '’s' : ''}</b> ${commandLine(entry)}</span></li>`;
}

export function LastCommands() {
  const load = useLoad(may('operator') ? `/audit?commands=true&limit=${READ}` : null, EVERY);
  const entries = lastCommands(load.data?.entries ?? []);
  if (entries.length === 0) return load.problem && html`<p class="muted">Last commands unknown: ${load.problem.message}</p>`;
  return html`<section class="last-commands" aria-label="Last commands"><h2><a href="/admin/audit">Last commands</a></h2>
    <ul>${entries.map((entry) => html`<${Entry} key=${entry.id} entry=${entry} />`)}</ul></section>`;
}
