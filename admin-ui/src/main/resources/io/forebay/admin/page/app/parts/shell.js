/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What is around the screens: the bar above them with the banner below it, the login, and the change of a password. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { awayDetail, awayText } from '../alerts.js';
import { api, post, retryNow } from '../api.js';
import { clock, count, duration } from '../format.js';
import { href, route, view, visiblePlaces } from '../router.js';
import { openCount } from '../sentences.js';
import { age, allServices, frame, freshness, link, lostSession, me, newVersion, seconds, serviceSignal, systemAway, tell } from '../store.js';
import { closeDialog, Dialog, openDialog } from './dialog.js';
import { html, useLoad } from './elements.js';

const Logo = ({ size }) => html`<svg width=${size} height=${size} viewBox="0 0 32 32" aria-hidden="true"><path d="M4 6h24v6c0 9-5 14-12 14S4 21 4 12z" /><path d="M5 14c4-3 7 2 11 0s7-2 11 0" /></svg>`;

/** How much waits for somebody on a screen: open failures, or jobs that failed; empty if nothing does. */
export function waiting({ path }) {
  if (path === '/jobs') return jobsFailed(frame.value?.tiles.jobs?.failed ?? 0);
  if (path !== '/failed') return '';
  const open = allServices().map((one) => one.open).filter((one) => one?.count > 0);
  const all = { count: open.reduce((sum, one) => sum + one.count, 0), capped: open.some((one) => one.capped) };
  return all.count > 0 ? openCount(all) : '';
}

/** The system database knows the jobs. */
const jobsFailed = (many) => (many > 0 && !systemAway.value ? count(many) : '');

function Count({ place }) {
  const many = waiting(place);
  return many && html`<b class="count">${many}<span class="vh"> ${place.path === '/jobs' ? 'failed' : 'open'}</span></b>`;
}

/** The screen of a service is below home. */
const isHere = (screen, path) => (screen.path === '/' ? path === '/' || path.startsWith('/services') : path.startsWith(screen.path));

function Freshness() {
  const state = freshness.value;
  if (link.value.state === 'lost') return html`<span class="fresh lost"><span aria-hidden="true">✕</span> no connection</span>`;
  if (state === 'waiting') return html`<span class="fresh"><span aria-hidden="true">◌</span> waiting</span>`;
  if (state === 'live') return html`<span class="fresh live"><span aria-hidden="true">●</span> live</span>`;
  return html`<span class="fresh"><span aria-hidden="true">◌</span> ${duration(age.value)} old</span>`;
}

const logout = () => post('/logout').then(lostSession, (problem) => me.value && tell(problem.message));

function Where() {
  const now = frame.value;
  return html`<span class="where">${now ? [now.backend, ...now.profiles.filter((name) => name !== now.backend)].join(' · ') : ''}</span>`;
}

/** The name of a user of the OpenID provider, without what is the same for all of them. */
const shortName = ({ name, provider }) => (provider ? name.slice(name.indexOf(':') + 1, name.lastIndexOf('@')) : name);

function Who() {
  const { name, role, provider } = me.value;
  return html`<button type="button" class="quiet who" title=${name} onClick=${openPassword}><span>${shortName(me.value)}</span> <small>${role}</small><span class="vh">: ${provider ? 'your login' : 'change your password'}</span></button>`;
}

export function TopBar() {
  const [open, setOpen] = useState(false);
  const path = route.value.path;
  const close = () => setOpen(false);
  const menu = useRef(null);
  const escape = (event) => {
    if (event.key !== 'Escape' || !open) return;
    close();
    menu.current.focus();
  };
  return html`<header class="topbar" onKeyDown=${escape}>
    <a class="brand" href="/admin/">
      <${Logo} size="20" /> Forebay
    </a>
    <button type="button" ref=${menu} class="menu quiet" aria-expanded=${open} aria-controls="nav" onClick=${() => setOpen(!open)}>Menu</button>
    <nav id="nav" class=${open ? 'open' : ''} aria-label="Screens" onClick=${close}>
      ${visiblePlaces().map(
        (screen) => html`<a key=${screen.path} href=${href(screen.path)} aria-current=${isHere(screen, path) ? 'page' : undefined}>${screen.name}<${Count} place=${screen} /></a>`,
      )}
    </nav>
    <div class="status">
      <${Freshness} />
      <${Where} />
      <${Who} />
      <button type="button" class="quiet" onClick=${logout}>Log out</button>
    </div>
  </header>`;
}

/** The databases that do not respond. Screen readers announce each once, and not how the time passes. */
function Databases({ away }) {
  return html`<section class="banner bad" aria-label="Databases"><div>
    ${away.map((one) => html`<p key=${one.services.length}><strong role="alert">${awayText(one)}</strong> <span>${awayDetail(one, one.services.map((name) => serviceSignal(name)?.value).filter(Boolean), Date.parse(frame.value.at))}</span></p>`)}
  </div></section>`;
}

/** Problems with the figures themselves, databases that do not respond, and what the server tells the user. */
export function Banner() {
  if (link.value.state === 'lost') {
    seconds.value;
    const left = Math.max(0, Math.ceil((link.value.retryAt - Date.now()) / 1000));
    return html`<div class="banner bad" role="alert">
      <p><strong>${link.value.why || 'No connection to the server.'}</strong> The figures are from ${clock(frame.value?.at)} UTC; actions are disabled.
        <span class="countdown" aria-live="off"> ${left > 0 ? `Next try in ${left} s.` : 'Trying…'}</span></p>
      <button type="button" onClick=${retryNow}>Try now</button>
    </div>`;
  }
  if (freshness.value === 'old') {
    return html`<div class="banner bad" role="alert"><p><strong>Figures stopped at ${clock(frame.value.at)} UTC.</strong> The figures are old.</p></div>`;
  }
  const away = frame.value?.databasesAway ?? [];
  if (away.length) return html`<${Databases} away=${away} />`;
  if (newVersion.value) {
    return html`<div class="banner"><p>The server now runs another version.</p><button type="button" onClick=${() => location.reload()}>Load the new page</button></div>`;
  }
  return me.value.notice ? html`<div class="banner"><p>${me.value.notice}</p></div>` : null;
}

/**
 * @param {{verb: string, act: (values: object) => Promise<any>, cancel?: () => void,
 *   fields: [name: string, label: string, type: string, autocomplete: string, rule?: string][]}} props
 */
function Form({ verb, fields, act, cancel }) {
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
  const submitButton = html`<button type="submit" class="primary" disabled=${busy}>${busy ? 'One moment…' : verb}</button>`;
  return html`<form onSubmit=${submit}>
    ${fields.map(
      ([name, label, type, complete, rule], i) => html`<label for=${name}>${label}</label>
        ${rule && html`<p class="muted rule" id=${name + '-rule'}>${rule}</p>`}
        <input id=${name} name=${name} type=${type} autocomplete=${complete} required data-first=${i === 0 || undefined} ref=${i === 0 ? first : undefined}
          aria-describedby=${[rule && name + '-rule', error && 'form-error'].filter(Boolean).join(' ') || undefined} aria-invalid=${error ? 'true' : undefined}
          value=${values[name] ?? ''} onInput=${(event) => setValues({ ...values, [name]: event.target.value })} />`,
    )}
    ${error && html`<p class="error" id="form-error" role="alert">▲ ${error}</p>`}
    ${cancel
      ? html`<div class="buttons"><button type="button" onClick=${cancel}>Cancel</button>${submitButton}</div>`
      : submitButton}
  </form>`;
}

/** @param {{cancel?: () => void, done?: () => void}} props */
function PasswordForm({ cancel, done }) {
  const change = async ({ old, fresh, again }) => {
    if (fresh !== again) throw new Error('The new passwords do not match.');
    await post('/password', { old, new: fresh });
    me.value = await api('/me');
    done?.();
  };
  return html`<${Form} verb="Change password" act=${change} cancel=${cancel} fields=${[
    ['old', 'Current password', 'password', 'current-password'],
    ['fresh', 'New password', 'password', 'new-password', me.value.passwordRule],
    ['again', 'Repeat new password', 'password', 'new-password'],
  ]} />`;
}

function PasswordDialog() {
  const done = () => {
    closeDialog();
    tell('Your password is changed. You are logged out everywhere else.');
  };
  if (me.value.provider) {
    return html`<${Dialog} title="Your login"><p>You logged in with the OpenID provider, which has your password.</p><//>`;
  }
  return html`<${Dialog} title="Change your password"><${PasswordForm} cancel=${closeDialog} done=${done} /><//>`;
}

const openPassword = () => openDialog(PasswordDialog, {});

function Card({ title, children }) {
  return html`<main class="card-screen">
    <div class="card">
      <p class="brand"><${Logo} size="28" /> Forebay</p>
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

