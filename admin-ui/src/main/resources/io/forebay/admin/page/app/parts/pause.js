/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The question before a pause: its effect, its end and its reason. */
import { html } from './html.js';
import { api, path, post, service as of } from '../api.js';
import { ahead, duration } from '../format.js';
import { ActDialog } from './dialog.js';
import { Until, useUntil } from './until.js';

function known(until) {
  try {
    return until.end();
  } catch {
    return null;
  }
}

/** What to ask if somebody has paused the service meanwhile. */
export function anotherPause({ status, document }, now = Date.now()) {
  const pause = status === 409 && document.paused;
  if (!pause) return null;
  const ago = duration(Math.max(1, Math.round((now - Date.parse(pause.at)) / 1000)));
  const end = pause.until ? ` until ${ahead(pause.until, now)} UTC` : '';
  return {
    text: `Paused ${ago} ago by ${pause.by}${end}${pause.reason ? `: “${pause.reason}”` : ''}. Replace this pause and its reason with yours?`,
    verb: 'Replace the pause',
    seen: pause.at,
  };
}

export function PauseDialog({ name }) {
  const until = useUntil();
  const end = known(until);
  return html`<${ActDialog} title=${`Pause ${name}?`} verb=${`Pause ${name}`} danger=${true} linesOf=${end ?? ''} done=${`${name} is being paused.`}
    lines=${() => api(path(of(name, '/effect'), { action: 'pause', until: end })).then((answer) => answer.lines)}
    act=${(reason, replaces) => post(of(name, '/pause'), { reason, replaces, until: until.end() })} confirm=${anotherPause}>
    ${(marks) => html`<${Until} until=${until} never="until somebody resumes it" marks=${marks} />`}
  <//>`;
}
