/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { render } from 'preact';
import { ActDialog, closeDialog, DialogHost, openDialog } from '/app/parts/dialog.js';
import { html } from '/app/parts/elements.js';
import { AddDialog, TOKEN } from '/app/screens/settings.js';
import { dialog } from '/app/store.js';
import { equal } from './expect.js';
import { given, texts } from './page.js';

const drawn = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));

/** Opens a dialog, acts on the place where it is drawn, and closes it. */
async function opened(role, component, props, act) {
  given({ role });
  openDialog(component, props);
  const place = document.body.appendChild(document.createElement('div'));
  render(html`<${DialogHost} />`, place);
  await drawn();
  try {
    return await act(place);
  } finally {
    closeDialog();
    render(null, place);
    place.remove();
  }
}

const pause = { title: 'Pause mail?', verb: 'Pause', done: 'Done.', act: async () => {} };

/** What has the focus in an open dialog: the id of a field, else the kind of element. */
const focused = (more) =>
  opened('operator', ActDialog, { ...pause, ...more }, () => document.activeElement.id || document.activeElement.localName);

export async function theFocusOfADialogIsOnItsReason() {
  equal(await focused({}), 'reason', 'required');
  equal(await focused({ reason: 'optional', typed: 'mail' }), 'reason', 'optional');
  equal(await focused({ reason: 'none', typed: 'mail' }), 'typed', 'a name to type');
}

export async function withoutAFieldNoKeyActsByChance() {
  equal(await focused({ reason: 'none' }), 'dialog-title', 'title');
  equal(dialog.value, null, 'closed');
}

/** How often Enter, which is pressed twice, sends the command of a user with this role. */
async function sent(role) {
  let times = 0;
  const act = () => new Promise(() => times++);
  await opened(role, ActDialog, { ...pause, reason: 'optional', act }, async (place) => {
    for (let i = 0; i < 2; i++) {
      place.querySelector('form').dispatchEvent(new Event('submit', { cancelable: true }));
      await drawn();
    }
  });
  return times;
}

export async function enterSendsACommandOnceAndOnlyIfTheButtonWould() {
  equal(await sent('operator'), 1, 'twice');
  equal(await sent('viewer'), 0, 'not allowed');
}

/** The dialog of a new token, to which the server gives this answer; `answer` lets it come. */
async function token(status, body, act) {
  const { fetch } = window;
  let answer;
  const coming = new Promise((come) => (answer = come));
  window.fetch = () => coming.then(() => new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json' } }));
  try {
    await opened('admin', AddDialog, { kind: TOKEN, again: () => {} }, async (place) => {
      place.querySelector('#new-name').value = 'import';
      place.querySelector('#new-name').dispatchEvent(new Event('input'));
      await drawn();
      place.querySelector('form').dispatchEvent(new Event('submit', { cancelable: true }));
      await drawn();
      await act(place, async () => {
        answer();
        await drawn();
        await drawn();
      });
    });
  } finally {
    window.fetch = fetch;
  }
}

export const aSecretIsShownUntilDone = () =>
  token(201, { name: 'import', token: 's3cret' }, async (place, answer) => {
    place.querySelector('dialog').dispatchEvent(new Event('cancel', { cancelable: true }));
    await drawn();
    equal(place.querySelector('dialog'), null, 'closed before the answer');
    await answer();
    equal(texts(place, '.secret'), ['s3cret'], 'shown');
    place.querySelector('dialog').dispatchEvent(new Event('cancel', { cancelable: true }));
    place.querySelector('dialog').click();
    await drawn();
    equal(texts(place, '.secret'), ['s3cret'], 'after Escape and a click outside');
    place.querySelector('dialog button').click();
    await drawn();
    equal(place.querySelector('dialog'), null, 'done');
  });

export const anInvalidFieldIsNamedWithItsRule = () =>
  token(400, { detail: 'One field is not valid; nothing was accepted', errors: [{ field: '/statements/0', message: 'must be a name' }] }, async (place, answer) => {
    await answer();
    equal(texts(place, '.error'), ['▲ statements/0 must be a name'], 'error');
    equal([...place.querySelectorAll('[aria-invalid]')].map((one) => one.id), ['new-statements'], 'its field');
  });
