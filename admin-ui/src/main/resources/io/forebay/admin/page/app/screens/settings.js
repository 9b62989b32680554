/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Settings: the users and the tokens. Each gets a secret that is shown once; the password of a user must be changed at the first login. */
import { useState } from 'preact/hooks';
import { api, post } from '../api.js';
import { moment } from '../format.js';
import { ActDialog, ActionButton, closeDialog, Dialog, invalid, openDialog } from '../parts/dialog.js';
import { html, Loaded, Rows, Select, text, useLoad } from '../parts/elements.js';
import { me } from '../store.js';

const ROLES = [
  ['viewer', 'viewer: sees figures, storage, failures and jobs'],
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

export const TOKEN = {
  noun: 'token',
  path: '/tokens',
  roles: [['none', 'none: only sends the statements below'], ...ROLES],
  grants: () => 'Statements that this token may send',
  secret: ({ token }) => token,
  says: 'this token. It is shown only once; requests have it as “Authorization: Bearer …”.',
  deleted: (name) => [`Requests with the token ${name} are refused within seconds.`, 'The audit keeps the actions of this token.'],
};

const words = (line) => line.split(/[\s,]+/).filter((word) => word);

/** Only its button closes it: the secret is not shown again. */
function Made({ kind: { noun, says, secret }, made }) {
  return html`<${Dialog} title=${`The ${noun} is added`} onClose=${null}>
    <p>Give <b>${made.name}</b> ${says}</p>
    <p class="secret"><code>${secret(made)}</code></p>
    <div class="buttons"><button type="button" onClick=${closeDialog}>Done</button></div>
  <//>`;
}

/** Also if it is closed before the answer, the secret is shown. */
export function AddDialog({ kind, again }) {
  const { noun, path, roles } = kind;
  const [form, setForm] = useState({ name: '', role: roles[0][0], statements: '' });
  const set = (field) => (event) => setForm({ ...form, [field]: event.target.value });
  const grants = kind.grants(form.role);
  const act = async () => {
    const name = form.name.trim();
    if (!name) throw invalid('name', 'Enter a name.');
    const made = await post(path, { name, role: form.role, statements: grants ? words(form.statements) : [] });
    again();
    return made;
  };
  const done = (made) => {
    openDialog(Made, { kind, made });
    return `The ${noun} ${made.name} is added.`;
  };
  return html`<${ActDialog} title=${`Add a ${noun}`} verb=${`Add ${noun}`} role="admin" reason="none" act=${act} done=${done}>
    ${(marks) => html`<label for="new-name">Name</label>
      <input id="new-name" data-first autocomplete="off" maxlength="100" value=${form.name} onInput=${set('name')} ...${marks('name')} />
      <div class="filters form-line"><${Select} label="Role" value=${form.role} options=${roles} set=${(role) => setForm({ ...form, role })} /></div>
      ${grants && html`<label for="new-statements">${grants} <small>(names, name.* or *; none: no statement)</small></label>
      <input id="new-statements" autocomplete="off" maxlength="4000" placeholder="orders.* customers.find" value=${form.statements} onInput=${set('statements')} ...${marks('statements')} />`}`}
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
