/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Screens whose modules are loaded when they are opened, or before that while the page is idle. */
import { useEffect, useState } from 'preact/hooks';
import { html } from './html.js';

/**
 * A component that is loaded when it is drawn for the first time. Its `load` does so before; a failed attempt is repeated by the next one.
 * @param {string} name for people
 * @param {() => Promise<Function>} get
 */
export function lazy(name, get) {
  let component = null;
  let loading = null;
  const load = () =>
    (loading ??= get().then(
      (loaded) => (component = loaded),
      (problem) => {
        loading = null;
        throw problem;
      },
    ));
  function Lazy(props) {
    const [state, setState] = useState('loading');
    useEffect(() => {
      let open = true;
      const show = (next) => open && setState(next);
      if (state === 'loading' && !component) load().then(() => show('loaded'), () => show('failed'));
      return () => (open = false);
    }, [state]);
    if (component) return html`<${component} ...${props} />`;
    if (state !== 'failed') return html`<p class="muted waiting">Loading the screen ${name}…</p>`;
    return html`<h1>${name}</h1><div class="panel problem" role="alert">
      <p>▲ The server did not send the files of this screen.</p>
      <button type="button" onClick=${() => setState('loading')}>Try again</button>
      <button type="button" onClick=${() => location.reload()}>Reload the page</button>
    </div>`;
  }
  Lazy.load = load;
  return Lazy;
}

/** Loads one after another, each when the page is idle. Drawing one that failed tries again and says so. */
export function loadWhenIdle(lazies) {
  const idle = window.requestIdleCallback ?? ((then) => setTimeout(then, 200)); // Safari has no requestIdleCallback
  const next = ([first, ...rest]) => first && idle(() => first.load().then(() => next(rest), () => next(rest)));
  next(lazies);
}
