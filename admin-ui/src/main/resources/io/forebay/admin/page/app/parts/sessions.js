/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The sessions of a user, in a dialog: one's own, or for administrators those of others. */
import { useState } from 'preact/hooks';
import { html } from './html.js';
import { api } from '../api.js';
import { moment } from '../format.js';
import { ActionButton, closeDialog, Dialog, openDialog } from './dialog.js';
import { Loaded, useLoad } from './load.js';
import { Rows, text } from './rows.js';

/** @param {{user?: string, base: string, of?: (answer: any) => any[]}} props without a user: one's own sessions */
function SessionsDialog({ user, base, of = ({ sessions }) => sessions }) {
  const load = useLoad(base);
  const [error, setError] = useState(null);
  const end = async (session) => {
    try {
      await api(`${base}/${session.id}`, { method: 'DELETE' });
      setError(null);
    } catch (problem) {
      setError(problem.message);
    }
    load.again();
  };
  return html`<${Dialog} wide title=${user ? `Sessions of ${user}` : 'Your sessions'}>
    <${Loaded} load=${load} what="the sessions">${(answer) => html`<${Rows} label="Sessions" rows=${of(answer)} key=${(session) => session.id} empty="There are no sessions." columns=${[
      { name: 'Address', head: true, cell: (session) => html`${text(session.address)}${session.current ? html` <small>(this one)</small>` : ''}` },
      { name: 'Began (UTC)', cell: (session) => html`<span class="nowrap">${moment(session.begunAt)}</span>` },
      { name: 'Last used (UTC)', cell: (session) => html`<span class="nowrap">${moment(session.usedAt)}</span>` },
      { name: 'Ends (UTC)', cell: (session) => html`<span class="nowrap">${moment(session.endsAt)}</span>` },
      { name: '', number: true, cell: (session) => !session.current && html`<${ActionButton} role=${user ? 'admin' : 'viewer'} kind="quiet" label=${`End the session that began ${moment(session.begunAt)}`} onClick=${() => end(session)}>End<//>` },
    ]} />`}<//>
    ${error && html`<p class="error" role="alert">▲ ${error}</p>`}
    <div class="buttons"><button type="button" data-first onClick=${closeDialog}>Close</button></div>
  <//>`;
}

export const openSessions = (user) => openDialog(SessionsDialog, { user, base: user ? `/users/${encodeURIComponent(user)}/sessions` : '/sessions' });

/** Those of a user of the OpenID provider, whose name no path can contain. */
export const openSessionsOfProvider = (user) =>
  openDialog(SessionsDialog, { user, base: '/oidc/sessions', of: ({ users }) => users.find((one) => one.user === user)?.sessions ?? [] });
