/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Login, and the change of a generated password. */
import { useEffect, useState } from 'preact/hooks';
import { html } from '../parts/html.js';
import { post } from '../api.js';
import { Form } from '../parts/form.js';
import { useLoad } from '../parts/load.js';
import { PasswordForm } from '../parts/password.js';
import { route, view } from '../router.js';
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

/** Why a login with the OpenID provider was refused (?login=); the server names the reason. */
const REFUSED = {
  not_begun: 'This browser did not begin the login, or more than 10 minutes ago. Log in again.',
  not_confirmed: 'The OpenID provider did not confirm your login. Log in again; the log of the server has the reason.',
  no_rights: 'The OpenID provider knows you, but none of your groups has a role here. Ask an administrator for one.',
  provider_away: 'The OpenID provider does not respond. Try again later, or log in with a password.',
  system_away: 'The system database does not respond. Try again later, or use a token.',
};

/** Shown once: the address does not keep it. */
function RefusedByProvider() {
  const [reason] = useState(() => REFUSED[route.peek().query.login]);
  useEffect(() => view({ login: '' }, true), []);
  return reason && html`<p class="error" role="alert">▲ ${reason}</p>`;
}

function refusal(problem) {
  if (problem.status === 401) return 'Wrong user name or password.';
  if (problem.status === 429) return 'Too many attempts. Wait a moment, then try again.';
  return problem.message;
}

export function LoginScreen() {
  const login = async ({ user, password }) => {
    try {
      me.value = await post('/login', new URLSearchParams({ user, password }));
    } catch (problem) {
      throw new Error(refusal(problem));
    }
  };
  const provider = useLoad('/oidc');
  document.title = 'Log in · Forebay';
  return html`<${Card} title="Log in">
    <${RefusedByProvider} />
    <${Form} key="login" verb="Log in" act=${login} fields=${[
      ['user', 'User name', 'text', 'username'],
      ['password', 'Password', 'password', 'current-password'],
    ]} />
    ${provider.data?.login && html`<p><a class="button" href="/admin/api/v1/oidc/login/provider" target="_self">Log in with the OpenID provider</a></p>`}
    <p class="muted">First start? The password of <code>admin</code> is in the file <code>admin-credentials</code> in the data directory.</p>
  <//>`;
}

export function PasswordScreen() {
  return html`<${Card} title="Choose your own password">
    <p>The password of <b>${me.value.name}</b> was generated. Replace it with your own to continue.</p>
    <${PasswordForm} />
  <//>`;
}
