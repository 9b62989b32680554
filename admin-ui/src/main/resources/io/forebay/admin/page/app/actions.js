/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The actions on a service, and their dialogs. */
import { api, post, service as of } from './api.js';
import { counted, since } from './format.js';
import { ActDialog, openDialog } from './parts/dialog.js';
import { PauseDialog } from './parts/pause.js';

const effect = (name, action) => () => api(of(name, '/effect?action=' + action)).then((answer) => answer.lines);

const askPause = (name) => openDialog(PauseDialog, { name });

export function askResume(name) {
  openDialog(ActDialog, {
    title: `Resume ${name}?`,
    verb: `Resume ${name}`,
    reason: 'optional',
    lines: effect(name, 'resume'),
    done: `${name} is being resumed.`,
    act: (reason) => post(of(name, '/resume'), reason ? { reason } : {}),
  });
}

export function askDrain(name) {
  openDialog(ActDialog, {
    title: `Drain ${name}?`,
    verb: `Drain ${name}`,
    danger: true,
    role: 'admin',
    typed: name,
    lines: async () => ['The service accepts nothing new and performs all waiting messages. Then it stops until it is resumed.'],
    done: `${name} is being drained.`,
    act: (reason) => post(of(name, '/drain'), { reason }),
  });
}

const partition = (name, number, command) => of(name, `/partitions/${number}/${command}`);

/** @param {{partition: number, message: {position: number, since: string, attempts: number, reason: string}}} waits */
export function askFailMessage(name, { partition: number, message }) {
  const { position, since: first, attempts, reason: why } = message;
  openDialog(ActDialog, {
    title: `Fail message ${position} of ${name}?`,
    verb: 'Fail this message',
    danger: true,
    lines: async () => [
      `Partition ${number} has waited for it since ${since(first)} UTC (${counted(attempts, 'attempt')}): ${why}.`,
      'A statement then takes no effect; what a component of your own has done stays done. The sender gets a failed result with your reason.',
      'Later messages are performed, even those that depend on its effect.',
      'The message stays listed under Failed, and you can send it again from there.',
    ],
    done: `Message ${position} of ${name} will be failed within seconds.`,
    act: (reason) => post(partition(name, number, 'fail-message'), { position, reason }),
  });
}

const WITHOUT = {
  in: 'Unreadable statements were accepted and are never performed; inform their senders.',
  out: 'The statements were performed; only unreadable answers are lost.',
};

/** @param {{partition: number, queue: 'in'|'out', damage: {position: number, what: string}}} damaged */
export function askSetAside(name, { partition: number, queue, damage }) {
  openDialog(ActDialog, {
    title: `Set aside damaged messages of ${name}?`,
    verb: 'Set aside at the next start',
    danger: true,
    role: 'admin',
    typed: name,
    lines: async () => [
      `The ${queue}-queue of partition ${number} is damaged at message ${damage.position}: ${damage.what}.`,
      'If you have a copy of its files made after the last write, cancel and restore the copy instead.',
      'Nothing changes until the next start of Forebay. That start keeps every readable message and skips the others.',
      WITHOUT[queue],
      'The damaged files are moved to a separate directory.',
    ],
    done: (answer) => `${missing(answer.damaged)} Restart Forebay to set the damage aside.`,
    act: (reason) => post(partition(name, number, 'set-aside'), { reason }),
  });
}

function missing(damaged) {
  const gaps = damaged.flatMap((one) => one.missing.map(({ from, to }) => `${one.queue} ${from === to ? from : `${from} to ${to}`}`));
  return gaps.length ? `These messages will be missing: ${gaps.join(', ')}.` : 'All messages can be read.';
}

/** Whether the service can be resumed; otherwise it can be paused. */
export const isPaused = (service) => Boolean(service.paused) || service.state === 'paused' || service.state === 'drained';

export const askPauseOrResume = (service) => (isPaused(service) ? askResume : askPause)(service.name);
