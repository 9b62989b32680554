/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Changing one's own password, on a screen of its own after the first login, or in a dialog. */
import { html } from './html.js';
import { api, post } from '../api.js';
import { me, tell } from '../store.js';
import { closeDialog, Dialog, openDialog } from './dialog.js';
import { Form } from './form.js';

/** @param {{cancel?: () => void, done?: () => void}} props */
export function PasswordForm({ cancel, done }) {
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

export const openPassword = () => openDialog(PasswordDialog, {});
