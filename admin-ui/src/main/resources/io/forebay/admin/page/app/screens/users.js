/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The users. A new user gets a password that is shown once and must be changed at the first login. */
import { useState } from 'preact/hooks';
import { html } from '../parts/html.js';
import { api, post } from '../api.js';
import { moment } from '../format.js';
import { ActDialog, ActionButton, closeDialog, Dialog, openDialog, useFirstFocus } from '../parts/dialog.js';
import { Loaded, useLoad } from '../parts/load.js';
import { Rows, text } from '../parts/rows.js';
import { Select } from '../parts/select.js';
import { me } from '../store.js';

const ROLES = [
  ['viewer', 'viewer: sees everything except the audit'],
  ['operator', 'operator: also pauses, resumes, replays'],
  ['admin', 'admin: also drains, sets aside, manages users'],
];

const words = (line) => line.split(/[\s,]+/).filter((word) => word);

function Made({ user }) {
  useFirstFocus();
  return html`<p>Give <b>${user.name}</b> this password. It is shown only once, and must be changed at the first login.</p>
    <p class="secret"><code>${user.password}</code></p>
    <div class="buttons"><button type="button" data-first onClick=${closeDialog}>Done</button></div>`;
}

function AddDialog({ again }) {
  const [form, setForm] = useState({ name: '', role: 'viewer', statements: '' });
  const [error, setError] = useState(null);
  const [made, setMade] = useState(null);
  const add = async (event) => {
    event.preventDefault();
    if (!form.name.trim()) return setError('Enter a name.');
    try {
      setMade(await post('/users', { name: form.name.trim(), role: form.role, statements: form.role === 'operator' ? words(form.statements) : [] }));
      again();
    } catch (problem) {
      setError(problem.message);
    }
  };
  return html`<${Dialog} title=${made ? 'User added' : 'Add a user'}>
    ${made ? html`<${Made} user=${made} />` : html`<form onSubmit=${add} noValidate>
      <label for="user-name">Name</label>
      <input id="user-name" data-first autocomplete="off" maxlength="60" value=${form.name} onInput=${(event) => setForm({ ...form, name: event.target.value })}
        aria-invalid=${error ? 'true' : undefined} aria-describedby=${error ? 'user-error' : undefined} />
      <div class="filters form-line"><${Select} label="Role" value=${form.role} options=${ROLES} set=${(role) => setForm({ ...form, role })} /></div>
      ${form.role === 'operator' && html`<label for="user-statements">Statements that jobs may perform for this user <small>(names, name.* or *; none: no statement)</small></label>
      <input id="user-statements" autocomplete="off" maxlength="4000" placeholder="orders.* customers.find" value=${form.statements} onInput=${(event) => setForm({ ...form, statements: event.target.value })} />`}
      ${error && html`<p class="error" id="user-error" role="alert">▲ ${error}</p>`}
      <div class="buttons"><button type="button" onClick=${closeDialog}>Cancel</button><${ActionButton} role="admin" type="submit" kind="primary">Add user<//></div>
    </form>`}
  <//>`;
}

function askDelete(user, again) {
  openDialog(ActDialog, {
    title: `Delete ${user.name}?`,
    verb: `Delete ${user.name}`,
    danger: true,
    role: 'admin',
    reason: 'none',
    lines: async () => [`${user.name} is logged out everywhere within seconds and cannot log in again.`, 'The audit keeps the actions of this user.'],
    done: `${user.name} is deleted.`,
    act: () => api('/users/' + encodeURIComponent(user.name), { method: 'DELETE' }).then(again),
  });
}

export function UsersScreen() {
  const load = useLoad('/users');
  return html`<div class="head"><h1>Users</h1><div class="buttons"><${ActionButton} role="admin" kind="primary" onClick=${() => openDialog(AddDialog, { again: load.again })}>Add a user…<//></div></div>
    <${Loaded} load=${load} what="the users">${({ users }) => html`<div class="panel"><${Rows} label="Users" rows=${users} key=${(user) => user.name} empty="There are no users." columns=${[
      { name: 'Name', head: true, cell: (user) => html`${user.name}${user.name === me.value.name ? html` <small>(you)</small>` : ''}` },
      { name: 'Role', cell: (user) => user.role },
      { name: 'Jobs may perform', cell: (user) => (user.role === 'admin' ? 'all statements' : text((user.statements ?? []).join(' '))) },
      { name: 'Password', cell: (user) => (user.mustChange ? html`<span class="state watch"><span class="shape" aria-hidden="true">●</span> not changed yet</span>` : 'changed') },
      { name: 'Added by', cell: (user) => text(user.createdBy) },
      { name: 'Added (UTC)', cell: (user) => html`<span class="nowrap">${moment(user.createdAt)}</span>` },
      { name: '', number: true, cell: (user) => user.name !== me.value.name && html`<${ActionButton} role="admin" kind="quiet" label=${`Delete… ${user.name}`} onClick=${() => askDelete(user, load.again)}>Delete…<//>` },
    ]} /></div>`}<//>`;
}
