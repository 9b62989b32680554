/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What can be done with a service, and how each is asked for. */
import { api, post, service as of } from './api.js';
import { ActDialog, openDialog } from './parts/dialog.js';

const effect = (name, action) => () => api(of(name, '/effect?action=' + action)).then((answer) => answer.lines);

export function askPause(name) {
  openDialog(ActDialog, {
    title: `Pause ${name}?`,
    verb: `Pause ${name}`,
    danger: true,
    lines: effect(name, 'pause'),
    done: `${name} is being paused.`,
    act: (reason) => post(of(name, '/pause'), { reason }),
  });
}

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
    lines: async () => ['Nothing new is accepted; what waits is performed; then the service stands still until it is resumed.'],
    done: `${name} is being drained.`,
    act: (reason) => post(of(name, '/drain'), { reason }),
  });
}

/** The one of pause and resume that makes sense now. */
export const isPaused = (service) => Boolean(service.paused) || service.state === 'paused' || service.state === 'drained';

export const askPauseOrResume = (service) => (isPaused(service) ? askResume : askPause)(service.name);

/** The id of the open alert that a problem of the verdict stands for. */
async function alertOf(problem) {
  const { open } = await api('/alerts');
  const same = (one) => one.kind === problem.kind && (one.service ?? null) === (problem.service ?? null) && (one.volume ?? null) === (problem.volume ?? null);
  const found = open.find(same);
  if (!found) throw new Error('This alert is no longer open.');
  return found.id;
}

/** @param {{id?: string, kind: string, service?: string, volume?: string, text: string}} problem */
export function askSilence(problem, minutes = 30, after = () => {}) {
  openDialog(ActDialog, {
    title: `Silence for ${minutes} minutes?`,
    verb: `Silence ${minutes} m`,
    lines: async () => [problem.text, `It stays on the alerts screen, and comes back here after ${minutes} minutes.`],
    done: `Silenced for ${minutes} minutes.`,
    act: async (reason) => {
      const id = problem.id ?? (await alertOf(problem));
      await post(`/alerts/${encodeURIComponent(id)}/silence`, { reason, minutes });
      after();
    },
  });
}
