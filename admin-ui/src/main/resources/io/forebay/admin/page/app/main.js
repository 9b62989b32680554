/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * The page of Forebay. Plain ES modules, served as they are.
 *
 *   main.js        start; the screen of each path
 *   store.js       the state: user, latest frame, a signal per service, age; nothing else holds state of the server
 *   stream.js      the stream of frames
 *   api.js         requests, CSRF, problems
 *   router.js      the address as state
 *   places.js      the screens of the menu, and who sees them
 *   format.js      the only place that formats figures as text
 *   actions.js     pause, resume, drain
 *   theme.js       light and dark
 *   parts/         html (templates), figure, spark, pipeline, chart, range, dialog, why (tooltips), topbar, lazy (screens that are loaded later), load (requests of a screen)
 *   screens/       one file per screen; service-*.js are the sections of a service, job-execution.js is below jobs.js, message.js below messages.js
 *
 * Data flows one way: stream -> store -> screens. A screen's own requests go through parts/load.js. Java computes the figures;
 * the page draws them.
 */
import { effect } from '@preact/signals';
import { render } from 'preact';
import { api } from './api.js';
import { html } from './parts/html.js';
import { isVisible, PLACES, visiblePlaces } from './places.js';
import { DialogHost } from './parts/dialog.js';
import { lazy, loadWhenIdle } from './parts/lazy.js';
import { Banner, TopBar } from './parts/topbar.js';
import { startWhy } from './parts/why.js';
import { route, startRouter } from './router.js';
import { LoginScreen, PasswordScreen } from './screens/login.js';
import { ServicesScreen } from './screens/services.js';
import { hasFrame, me, notice, startClock } from './store.js';
import { startStream } from './stream.js';
import { startTheme } from './theme.js';

/** Home is there from the start; its own modules are all that the first figures wait for. */
const SCREENS = {
  '/': ServicesScreen,
  '/jobs': lazy('Jobs', () => import('./screens/jobs.js').then((it) => it.JobsScreen)),
  '/storage': lazy('Storage', () => import('./screens/storage.js').then((it) => it.StorageScreen)),
  '/failed': lazy('Failed', () => import('./screens/failed.js').then((it) => it.FailedScreen)),
  '/messages': lazy('Messages', () => import('./screens/messages.js').then((it) => it.MessagesScreen)),
  '/audit': lazy('Audit', () => import('./screens/audit.js').then((it) => it.AuditScreen)),
  '/callers': lazy('Callers', () => import('./screens/callers.js').then((it) => it.CallersScreen)),
  '/users': lazy('Users', () => import('./screens/users.js').then((it) => it.UsersScreen)),
};
const ServiceScreen = lazy('Service', () => import('./screens/service.js').then((it) => it.ServiceScreen));

function placeOf(parts) {
  if (parts[0] === 'services' && parts.length > 1) return { name: 'Service', screen: ServiceScreen };
  const path = '/' + (parts[0] === 'services' ? '' : (parts[0] ?? ''));
  const place = PLACES.find((one) => one.path === path);
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
effect(() => {
  // so that they open even if the server is not responding by then
  if (hasFrame.value) loadWhenIdle([ServiceScreen, ...visiblePlaces().map((place) => SCREENS[place.path]).filter((screen) => screen.load)]);
});
askWho();
