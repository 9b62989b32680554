/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Login, and the change of a generated password. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { html } from '../parts/html.js';
import { api, post } from '../api.js';
import { me } from '../store.js';

function Card({ title, children }) {
  return html`<main class="card-screen">
    <div class="card">
      <p class="brand"><svg width="28" height="28" viewBox="0 0 32 32" aria-hidden="true"><path d="M4 6h24v6c0 9-5 14-12 14S4 21 4 12z" /><path d="M5 14c4-3 7 2 11 0s7-2 11 0" /></svg> Forebay</p>
      <h1>${title}</h1>
      ${children}
    </div>
  </main>`;
}

/** A form with named fields that shows its error. */
function Form({ verb, fields, act }) {
  const [values, setValues] = useState({});
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  const first = useRef(null);
  useEffect(() => first.current.focus(), []);
  const submit = async (event) => {
    event.preventDefault();
    setBusy(true);
    try {
      await act(values);
    } catch (problem) {
      setError(problem.message);
      setBusy(false);
      first.current?.focus();
    }
  };
  return html`<form onSubmit=${submit}>
    ${fields.map(
      ([name, label, type, complete], i) => html`<label for=${name}>${label}</label>
        <input id=${name} name=${name} type=${type} autocomplete=${complete} required ref=${i === 0 ? first : undefined}
          aria-describedby=${error ? 'form-error' : undefined} aria-invalid=${error ? 'true' : undefined}
          value=${values[name] ?? ''} onInput=${(event) => setValues({ ...values, [name]: event.target.value })} />`,
    )}
    ${error && html`<p class="error" id="form-error" role="alert">▲ ${error}</p>`}
    <button type="submit" class="primary" disabled=${busy}>${busy ? 'One moment…' : verb}</button>
  </form>`;
}

function refusal(problem) {
  if (problem.status === 401) return 'Wrong user name or password.';
  if (problem.status === 429) return 'Too many attempts. Wait a moment, then try again.';
  return problem.message;
}

export function LoginScreen() {
  const login = async ({ user, password }) => {
    try {
      me.value = await post('/login', { user, password });
    } catch (problem) {
      throw new Error(refusal(problem));
    }
  };
  document.title = 'Log in · Forebay';
  return html`<${Card} title="Log in">
    <${Form} key="login" verb="Log in" act=${login} fields=${[
      ['user', 'User', 'text', 'username'],
      ['password', 'Password', 'password', 'current-password'],
    ]} />
    <p class="muted">At the first start, the server shows the password of <code>admin</code> once, or names the file that has it.</p>
  <//>`;
}

export function PasswordScreen() {
  const change = async ({ old, fresh, again }) => {
    if (fresh !== again) throw new Error('The two new passwords are different.');
    await post('/password', { old, new: fresh });
    me.value = await api('/me');
  };
  return html`<${Card} title="Choose your own password">
    <p>The password of <b>${me.value.name}</b> was generated. Replace it with your own to continue.</p>
    <${Form} key="password" verb="Change password" act=${change} fields=${[
      ['old', 'Current password', 'password', 'current-password'],
      ['fresh', 'New password', 'password', 'new-password'],
      ['again', 'New password again', 'password', 'new-password'],
    ]} />
  <//>`;
}
