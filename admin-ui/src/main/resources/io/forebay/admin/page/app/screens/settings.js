/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Settings: the users and the tokens. Each gets a secret that is shown once; the password of a user must be changed at the first login. */
import { useState } from 'preact/hooks';
import { api, post } from '../api.js';
import { moment } from '../format.js';
import { ActDialog, ActionButton, closeDialog, Dialog, openDialog, useFirstFocus } from '../parts/dialog.js';
import { html, Loaded, Rows, Select, text, useLoad } from '../parts/elements.js';
import { me } from '../store.js';

const ROLES = [
  ['viewer', 'viewer: sees everything except the audit'],
  ['operator', 'operator: also pauses, resumes, replays'],
  ['admin', 'admin: also drains, sets aside, manages users and tokens'],
];

const USER = {
  noun: 'user',
  path: '/users',
  roles: ROLES,
  grants: (role) => role === 'operator' && 'Statements that jobs may perform for this user',
  secret: ({ password }) => password,
  says: 'this password. It is shown only once, and must be changed at the first login.',
  deleted: (name) => [`${name} is logged out everywhere within seconds and cannot log in again.`, 'The audit keeps the actions of this user.'],
};

const TOKEN = {
  noun: 'token',
  path: '/tokens',
  roles: [['none', 'none: only sends the statements below'], ...ROLES],
  grants: () => 'Statements that this token may send',
  secret: ({ token }) => token,
  says: 'this token. It is shown only once; requests have it as “Authorization: Bearer …”.',
  deleted: (name) => [`Requests with the token ${name} are refused within seconds.`, 'The audit keeps the actions of this token.'],
};

const words = (line) => line.split(/[\s,]+/).filter((word) => word);

function Made({ kind, made }) {
  useFirstFocus();
  return html`<p>Give <b>${made.name}</b> ${kind.says}</p>
    <p class="secret"><code>${kind.secret(made)}</code></p>
    <div class="buttons"><button type="button" onClick=${closeDialog}>Done</button></div>`;
}

function AddDialog({ kind, again }) {
  const { noun, path, roles } = kind;
  const [form, setForm] = useState({ name: '', role: roles[0][0], statements: '' });
  const [error, setError] = useState(null);
  const [made, setMade] = useState(null);
  const grants = kind.grants(form.role);
  const add = async (event) => {
    event.preventDefault();
    if (!form.name.trim()) return setError('Enter a name.');
    try {
      setMade(await post(path, { name: form.name.trim(), role: form.role, statements: grants ? words(form.statements) : [] }));
      again();
    } catch (problem) {
      setError(problem.message);
    }
  };
  return html`<${Dialog} title=${made ? `The ${noun} is added` : `Add a ${noun}`}>
    ${made ? html`<${Made} kind=${kind} made=${made} />` : html`<form onSubmit=${add} noValidate>
      <label for="new-name">Name</label>
      <input id="new-name" data-first autocomplete="off" maxlength="100" value=${form.name} onInput=${(event) => setForm({ ...form, name: event.target.value })}
        aria-invalid=${error ? 'true' : undefined} aria-describedby=${error ? 'new-error' : undefined} />
      <div class="filters form-line"><${Select} label="Role" value=${form.role} options=${roles} set=${(role) => setForm({ ...form, role })} /></div>
      ${grants && html`<label for="new-statements">${grants} <small>(names, name.* or *; none: no statement)</small></label>
      <input id="new-statements" autocomplete="off" maxlength="4000" placeholder="orders.* customers.find" value=${form.statements} onInput=${(event) => setForm({ ...form, statements: event.target.value })} />`}
      ${error && html`<p class="error" id="new-error" role="alert">▲ ${error}</p>`}
      <div class="buttons"><button type="button" onClick=${closeDialog}>Cancel</button><${ActionButton} role="admin" type="submit" kind="primary">Add ${noun}<//></div>
    </form>`}
  <//>`;
}

function askDelete({ noun, path, deleted }, { name }, again) {
  openDialog(ActDialog, {
    title: `Delete the ${noun} ${name}?`,
    verb: `Delete ${name}`,
    danger: true,
    role: 'admin',
    reason: 'none',
    lines: async () => deleted(name),
    done: `The ${noun} ${name} is deleted.`,
    act: () => api(`${path}/${encodeURIComponent(name)}`, { method: 'DELETE' }).then(again),
  });
}

function List({ kind, title, what, columns }) {
  const load = useLoad(kind.path);
  const mine = (one) => kind === USER && one.name === me.value.name;
  return html`<section class="panel"><div class="head"><h2>${title}</h2><div class="buttons"><${ActionButton} role="admin" kind="primary" onClick=${() => openDialog(AddDialog, { kind, again: load.again })}>Add a ${kind.noun}…<//></div></div>
    <${Loaded} load=${load} what=${`the ${what}`}>${(data) => html`<${Rows} label=${title} rows=${data[what]} key=${(one) => one.name} empty=${`There are no ${what}.`} columns=${[
      { name: 'Name', head: true, wrap: true, cell: (one) => html`${one.name}${mine(one) ? html` <small>(you)</small>` : ''}` },
      { name: 'Role', cell: (one) => one.role },
      ...columns,
      { name: 'Added by', cell: (one) => text(one.createdBy) },
      { name: 'Added (UTC)', cell: (one) => html`<span class="nowrap">${moment(one.createdAt)}</span>` },
      { name: '', number: true, cell: (one) => !mine(one) && html`<${ActionButton} role="admin" kind="quiet" label=${`Delete… the ${kind.noun} ${one.name}`} onClick=${() => askDelete(kind, one, load.again)}>Delete…<//>` },
    ]} />`}<//></section>`;
}

const statements = (one) => text((one.statements ?? []).join(' '));

export function SettingsScreen() {
  return html`<h1>Settings</h1>
    <${List} kind=${USER} title="Users" what="users" columns=${[
      { name: 'Jobs may perform', wrap: true, cell: (user) => (user.role === 'admin' ? 'all statements' : statements(user)) },
      { name: 'Password', cell: (user) => (user.mustChange ? html`<span class="state watch"><span class="shape" aria-hidden="true">●</span> not changed yet</span>` : 'changed') },
    ]} />
    <${List} kind=${TOKEN} title="Tokens" what="tokens" columns=${[
      { name: 'May send', wrap: true, cell: statements },
      { name: 'Ends (UTC)', cell: (token) => html`<span class="nowrap">${moment(token.expiresAt)}</span>` },
    ]} />`;
}
