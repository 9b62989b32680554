/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { render } from 'preact';
import { ActDialog, closeDialog, DialogHost, openDialog } from '/app/parts/dialog.js';
import { html } from '/app/parts/elements.js';
import { dialog } from '/app/store.js';
import { equal } from './expect.js';
import { given } from './page.js';

/** What has the focus in an open dialog: the id of a field, else the kind of element. */
async function focused(more) {
  given({});
  openDialog(ActDialog, { title: 'Pause mail?', verb: 'Pause', done: 'Done.', act: async () => {}, ...more });
  const place = document.body.appendChild(document.createElement('div'));
  render(html`<${DialogHost} />`, place);
  await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
  try {
    return document.activeElement.id || document.activeElement.localName;
  } finally {
    closeDialog();
    render(null, place);
    place.remove();
  }
}

export async function theFocusOfADialogIsOnItsReason() {
  equal(await focused({}), 'reason', 'required');
  equal(await focused({ reason: 'optional', typed: 'mail' }), 'reason', 'optional');
  equal(await focused({ reason: 'none', typed: 'mail' }), 'typed', 'a name to type');
}

export async function withoutAFieldNoKeyActsByChance() {
  equal(await focused({ reason: 'none' }), 'dialog-title', 'title');
  equal(dialog.value, null, 'closed');
}
