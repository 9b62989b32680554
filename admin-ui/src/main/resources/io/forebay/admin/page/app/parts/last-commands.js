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

/** "olga paused mail: “migration”". @param {{actor: string, action: string, target: string, reason: string, outcome: string}} entry */
export function commandLine({ action, target, reason, outcome }) {
  const what = `${VERBS[action] ?? action} ${target}${reason ? `: “${reason}”` : ''}`;
  if (outcome === 'allowed') return what;
  const how = outcome.replace('allowed, ', '').replace(/until (\S+Z)$/, (_, time) => `until ${moment(time)} UTC`);
  return `${what} (${outcome.startsWith('failed') ? 'failed' : how})`;
}

const key = ({ actor, action, target, reason }) => JSON.stringify([actor, action, target, reason]);

/** The newest commands, each once: the entry before a failed command is skipped. @param {object[]} entries newest first */
export function lastCommands(entries) {
  const failed = new Set();
  return entries
    .filter((entry) => {
      if (entry.outcome.startsWith('failed')) return failed.add(key(entry));
      return !failed.delete(key(entry));
    })
    .slice(0, SHOWN);
}

function Entry({ entry }) {
  const ago = Math.max(0, (Date.parse(frame.value.at) - Date.parse(entry.at)) / 1000);
  return html`<li><span class="nowrap muted" title=${entry.at}>${duration(Math.round(ago))} ago</span> <span title=${entry.outcome}><b>${entry.actor}</b> ${commandLine(entry)}</span></li>`;
}

export function LastCommands() {
  const load = useLoad(may('operator') ? `/audit?commands=true&limit=${READ}` : null, EVERY);
  const entries = lastCommands(load.data?.entries ?? []);
  if (entries.length === 0) return load.problem && html`<p class="muted">Last commands unknown: ${load.problem.message}</p>`;
  return html`<section class="last-commands" aria-label="Last commands"><h2><a href="/admin/audit">Last commands</a></h2>
    <ul>${entries.map((entry) => html`<${Entry} key=${entry.id} entry=${entry} />`)}</ul></section>`;
}
