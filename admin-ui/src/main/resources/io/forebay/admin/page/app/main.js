/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * The page of Forebay. Plain ES modules, served as they are.
 *
 *   main.js        start; the screen of each path; other screens than home are loaded when they are opened
 *   store.js       the state: user, latest frame, a signal per service, age; nothing else holds state of the server
 *   api.js         requests, CSRF, problems, and the stream of frames
 *   router.js      the address as state; the screens of the menu, and who sees them
 *   format.js      the only place that formats figures as text
 *   sentences.js   what is said of a service
 *   actions.js     commands to a service: pause, resume, drain
 *   parts/         elements (templates, data, tables), figure, chart, dialog, shell (bar, banner, login), and what several screens share
 *   screens/       one file per screen; service-*.js are sections of a service, job-execution.js is below jobs.js
 *
 * Data flows one way: stream -> store -> screens. A screen's own requests go through useLoad of parts/elements.js. Java computes the
 * figures; the page draws them. The document names the files of home, so that the browser loads them at the same time.
 */
import { effect } from '@preact/signals';
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { api, startStream } from './api.js';
import { DialogHost } from './parts/dialog.js';
import { html, startWhy } from './parts/elements.js';
import { Banner, LoginScreen, PasswordScreen, TopBar } from './parts/shell.js';
import { isVisible, PLACES, route, startRouter, UNLISTED } from './router.js';
import { HomeScreen } from './screens/home.js';
import { me, newVersion, notice, startClock, startTheme } from './store.js';

/** Files of two versions do not fit together: the page is loaded again, at its address. */
const reloaded = () => new Promise(() => location.reload());

/** A screen whose file is loaded when it is drawn for the first time. @param {() => Promise<Function>} get */
function lazy(name, get) {
  let component = null;
  return function Lazy(props) {
    const [state, setState] = useState('loading');
    useEffect(() => {
      let open = true;
      const show = (next) => open && setState(next);
      if (state === 'loading' && !component) (newVersion.peek() ? reloaded() : get()).then((loaded) => { component = loaded; show('loaded'); }, () => show('failed'));
      return () => (open = false);
    }, [state]);
    if (component) return html`<${component} ...${props} />`;
    if (state !== 'failed') return html`<p class="muted waiting">Loading the screen ${name}…</p>`;
    return html`<h1>${name}</h1><div class="panel problem" role="alert">
      <p>▲ The server did not send the files of this screen.</p>
      <button type="button" onClick=${() => setState('loading')}>Try again</button>
      <button type="button" onClick=${() => location.reload()}>Reload the page</button>
    </div>`;
  };
}

const SCREENS = {
  '/': HomeScreen,
  '/services': lazy('Service', () => import('./screens/service.js').then((it) => it.ServiceScreen)),
  '/storage': lazy('Storage', () => import('./screens/storage.js').then((it) => it.StorageScreen)),
  '/failed': lazy('Failed', () => import('./screens/failed.js').then((it) => it.FailedScreen)),
  '/jobs': lazy('Jobs', () => import('./screens/jobs.js').then((it) => it.JobsScreen)),
  '/messages': lazy('Messages', () => import('./screens/messages.js').then((it) => it.MessagesScreen)),
  '/callers': lazy('Callers', () => import('./screens/callers.js').then((it) => it.CallersScreen)),
  '/audit': lazy('Audit', () => import('./screens/audit.js').then((it) => it.AuditScreen)),
  '/settings': lazy('Settings', () => import('./screens/settings.js').then((it) => it.SettingsScreen)),
};

function placeOf([first = '', second]) {
  const path = '/' + (first === 'services' && !second ? '' : first);
  const place = [...PLACES, ...UNLISTED].find((one) => one.path === path);
  return place && { ...place, screen: SCREENS[path] };
}

function Missing({ text }) {
  return html`<h1>${text}</h1>
    <p><a href="/admin/">All services</a></p>`;
}

function Screen() {
  const { parts } = route.value;
  const found = placeOf(parts);
  document.title = [parts[0] === 'services' && parts[1], found?.name ?? 'Not found', 'Forebay'].filter(Boolean).join(' · ');
  if (!found) return html`<${Missing} text="Page not found" />`;
  if (!isVisible(found)) return html`<${Missing} text=${'This page needs role ' + found.role} />`;
  return html`<${found.screen} key=${parts.join('/')} />`;
}

function App() {
  if (me.value === undefined) return html`<main class="start"><p class="muted">Connecting to the server…</p></main>`;
  if (me.value === null) return html`<${LoginScreen} />`;
  if (me.value.mustChange) return html`<${PasswordScreen} />`;
  return html`<a class="skip" href="#main">Skip to content</a>
    <${TopBar} />
    <${Banner} />
    <main id="main" tabindex="-1"><${Screen} /></main>
    <div class="notice" role="status">${notice.value}</div>
    <${DialogHost} />`;
}

async function askWho() {
  try {
    me.value = await api('/me', { signal: AbortSignal.timeout(10_000) });
  } catch (problem) {
    if (problem.status !== 401) setTimeout(askWho, 2000);
  }
}

startTheme();
startRouter();
startClock();
startWhy();
const app = document.getElementById('app');
app.replaceChildren();
render(html`<${App} />`, app);
effect(() => {
  if (me.value && !me.value.mustChange) startStream();
});
askWho();
