/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What a command changed, and the question before it is undone. */
import { html } from './html.js';
import { api, post } from '../api.js';
import { ActDialog, ActionButton, closeDialog, Dialog, openDialog } from './dialog.js';

/** "state: running → paused". @param {{name: string, before: string, after: string}} field */
export const changeLine = ({ name, before, after }) => `${name}: ${before || 'none'} → ${after || 'none'}`;

/** What a command changed, a line for each field. */
export function Changes({ fields = [], undoes }) {
  return html`${fields.map((field) => html`<div key=${field.name}>${changeLine(field)}</div>`)}${undoes && html`<div>undoes entry ${undoes}</div>`}`;
}

function NotPossible({ title, why }) {
  return html`<${Dialog} title=${title}><p role="alert">● It cannot be undone now. ${why}</p>
    <div class="buttons"><button type="button" data-first onClick=${closeDialog}>Close</button></div><//>`;
}

async function ask({ number, action, target, undo }, again) {
  const address = `/audit/${number}/undo`;
  const title = `Undo ${action} of ${target}?`;
  let plan;
  try {
    plan = await api(address);
  } catch (problem) {
    plan = { possible: false, why: problem.message };
  }
  if (!plan.possible) return openDialog(NotPossible, { title, why: plan.why });
  return openDialog(ActDialog, {
    title,
    verb: 'Undo',
    role: undo,
    reason: 'optional',
    lines: async () => [...plan.changes.map(changeLine), `The audit gets an entry ${plan.action} that names entry ${number}.`],
    done: `Entry ${number} is undone.`,
    act: (reason) => post(address, { reason }).then(again),
  });
}

/** For an entry that has an inverse; the server says whether the state still allows it. */
export function UndoButton({ entry, again }) {
  return html`<${ActionButton} role=${entry.undo} kind="quiet" label=${`Undo… entry ${entry.number}`} onClick=${() => ask(entry, again)}>Undo…<//>`;
}
