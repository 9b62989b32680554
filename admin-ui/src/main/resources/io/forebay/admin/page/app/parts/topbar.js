/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The bar above every screen, and the banner below it if the figures are old. */
import { useRef, useState } from 'preact/hooks';
import { html } from './html.js';
import { post } from '../api.js';
import { clock, duration } from '../format.js';
import { visiblePlaces } from '../places.js';
import { href, route } from '../router.js';
import { age, frame, freshness, link, me, newVersion, seconds } from '../store.js';
import { retryNow } from '../stream.js';
import { nextTheme, theme } from '../theme.js';
import { openPassword } from './password.js';

const isHere = (screen, path) =>
  screen.path === path || (screen.path !== '/' && path.startsWith(screen.path)) || (screen.under && path.startsWith(screen.under));

function Freshness() {
  const state = freshness.value;
  if (link.value.state === 'lost') return html`<span class="fresh lost"><span aria-hidden="true">✕</span> no connection</span>`;
  if (state === 'waiting') return html`<span class="fresh"><span aria-hidden="true">◌</span> waiting</span>`;
  if (state === 'live') return html`<span class="fresh live"><span aria-hidden="true">●</span> live</span>`;
  return html`<span class="fresh"><span aria-hidden="true">◌</span> ${duration(age.value)} old</span>`;
}

async function logout() {
  try {
    await post('/logout');
  } finally {
    me.value = null;
  }
}

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
      <svg width="20" height="20" viewBox="0 0 32 32" aria-hidden="true">
        <path d="M4 6h24v6c0 9-5 14-12 14S4 21 4 12z" /><path d="M5 14c4-3 7 2 11 0s7-2 11 0" />
      </svg>
      Forebay
    </a>
    <button type="button" ref=${menu} class="menu quiet" aria-expanded=${open} aria-controls="nav" onClick=${() => setOpen(!open)}>Menu</button>
    <nav id="nav" class=${open ? 'open' : ''} aria-label="Screens" onClick=${close}>
      ${visiblePlaces().map(
        (screen) => html`<a key=${screen.path} href=${href(screen.path)} aria-current=${isHere(screen, path) ? 'page' : undefined}>${screen.name}</a>`,
      )}
    </nav>
    <div class="status">
      <${Freshness} />
      <${Where} />
      <button type="button" class="quiet" onClick=${nextTheme} aria-label=${`Theme: ${theme.value}. Change`}>${{ system: '◐', light: '☀', dark: '☾' }[theme.value]}</button>
      <${Who} />
      <button type="button" class="quiet" onClick=${logout}>Log out</button>
    </div>
  </header>`;
}

/** The databases that do not respond. Screen readers announce each once, and not how the time passes. */
function Databases({ away }) {
  return html`<section class="banner bad" aria-label="Databases"><div>
    ${away.map(({ database, text, outlook }) => html`<p key=${database}><strong role="alert">${text}</strong> <span>${outlook}</span></p>`)}
  </div></section>`;
}

/** Problems with the figures themselves, databases that do not respond, and what the server tells the user. */
export function Banner() {
  if (link.value.state === 'lost') {
    seconds.value;
    const left = Math.max(0, Math.ceil((link.value.retryAt - Date.now()) / 1000));
    return html`<div class="banner bad" role="alert">
      <p><strong>No connection to the server.</strong> The figures are from ${clock(frame.value?.at)} UTC; actions are disabled.
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
