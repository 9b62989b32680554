/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Native dialogs: the focus starts on the field to fill in, else on the title, so that no key acts by chance; Escape closes, and the
 * focus returns to where it was.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { canAct, dialog, may, systemAway, tell } from '../store.js';
import { html } from './elements.js';

export const openDialog = (component, props) => (dialog.value = { component, props });
export const closeDialog = () => (dialog.value = null);

/** The open dialog, if any; once on the page. */
export function DialogHost() {
  const open = dialog.value;
  return open && html`<${open.component} ...${open.props} />`;
}

/** @param {{title: string, wide?: boolean, onClose?: (() => void)|null, children: any}} props without `onClose`, only a button closes it */
export function Dialog({ title, wide, onClose = closeDialog, children }) {
  const element = useRef(null);
  useEffect(() => {
    const before = document.activeElement;
    const shown = element.current;
    shown.showModal();
    firstOf(shown).focus();
    return () => {
      shown.close();
      if (before?.isConnected) before.focus();
    };
  }, []);
  const cancel = (event) => {
    event.preventDefault();
    onClose?.();
  };
  return html`<dialog ref=${element} class=${wide ? 'wide' : ''} aria-labelledby="dialog-title" closedby=${onClose ? undefined : 'none'} onCancel=${cancel}
      onClick=${(event) => event.target === element.current && onClose?.()}>
    <div class="dialog-body">
      <h2 id="dialog-title" tabindex="-1">${title}</h2>
      ${children}
    </div>
  </dialog>`;
}

/** The field to fill in first; the title if there is none. */
const firstOf = (dialog) => dialog.querySelector('[data-first]') ?? dialog.querySelector('h2');

/** Moves the focus when the content of a dialog changes. */
export function useFirstFocus() {
  useEffect(() => firstOf(document.querySelector('dialog[open]'))?.focus(), []);
}

/** Why the user cannot do this now; null if the user can. */
export function barred(role) {
  if (!may(role)) return 'Needs role ' + role;
  if (!canAct.value) return 'No connection to the server';
  return systemAway.value ? 'The system database does not respond' : null;
}

/** A button for a change: visible but disabled, with the reason, if the change is not allowed. */
export function ActionButton({ role = 'operator', onClick, children, kind = '', label, type = 'button', busy = false }) {
  const reason = barred(role) ?? (busy ? 'In progress' : null);
  return html`<button type=${reason ? 'button' : type} class=${kind} aria-disabled=${reason ? 'true' : undefined}
    data-why=${reason ?? undefined} aria-label=${label && (reason ? `${label} (${reason})` : label)}
    onClick=${reason ? undefined : onClick}>${children}${reason && !label && html`<span class="vh"> (${reason})</span>`}</button>`;
}

/** An error of a field of an ActDialog. */
export const invalid = (field, text) => Object.assign(new Error(text), { field });

/** The field that an error is about: one of the page, or the first one that the server names. */
const fieldOf = ({ field, document }) => field ?? document?.errors?.[0]?.field?.replace('/', '').split('/')[0];

/**
 * A dialog with a reason and one act. `lines` says beforehand what the act will do; it is asked again when `linesOf` changes.
 * `confirm` returns what to ask if the server refuses the act as it is; the button then says `verb`, and `act` gets `seen`.
 * The child draws further fields; `marks(id)` are the attributes of the field to which the error belongs.
 * @param {{title: string, verb: string, danger?: boolean, role?: string, reason?: 'required'|'optional'|'none', label?: string,
 *   lines?: () => Promise<string[]>, linesOf?: string, done: string|((answer: any) => string), act: (reason: string, seen?: any) => Promise<any>, typed?: string,
 *   confirm?: (problem: Error) => {text: string, verb: string, seen: any}|null, children?: (marks: (id: string) => object) => any}} props
 */
export function ActDialog({ title, verb, danger, role = 'operator', reason = 'required', label = 'Reason', lines, linesOf, done, act, typed, confirm, children }) {
  const [effect, setEffect] = useState(lines ? null : []);
  const [text, setText] = useState('');
  const [name, setName] = useState('');
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  const [asked, setAsked] = useState(null);
  useEffect(() => {
    let newest = true;
    const show = (shown) => newest && setEffect(shown);
    lines?.().then(show, () => show(['The effect cannot be predicted now.']));
    return () => (newest = false);
  }, [linesOf]);
  const submit = async (event) => {
    event.preventDefault();
    if (busy || barred(role)) return; // Enter presses no button
    if (reason === 'required' && !text.trim()) return setError({ field: 'reason', text: `Enter a ${label.toLowerCase()}; it is recorded in the audit.` });
    if (typed && name !== typed) return setError({ field: 'typed', text: `Type ${typed} to continue.` });
    setBusy(true);
    try {
      const answer = await act(text.trim(), asked?.seen);
      closeDialog();
      tell(typeof done === 'function' ? done(answer) : done);
    } catch (problem) {
      const question = confirm?.(problem);
      setBusy(false);
      setAsked(question ?? null);
      setError(question ? null : { field: fieldOf(problem), text: problem.message });
    }
  };
  const marks = (id) => (error?.field === id ? { 'aria-invalid': 'true', 'aria-describedby': 'act-error' } : {});
  const field = (id, label, value, set) => html`<label for=${id}>${label}</label>
    <input id=${id} data-first value=${value} autocomplete="off" maxlength="300" onInput=${(event) => set(event.target.value)} ...${marks(id)} />`;
  return html`<${Dialog} title=${title}>
    <form onSubmit=${submit} noValidate>
      ${effect === null
        ? html`<p class="muted">Computing the effect…</p>`
        : effect.length > 0 && html`<ul class="effect">${effect.map((line) => html`<li>${line}</li>`)}</ul>`}
      ${children?.(marks)}
      ${reason !== 'none' && field('reason', reason === 'optional' ? label + ' (optional)' : label, text, setText)}
      ${typed && field('typed', `Type ${typed} to confirm`, name, setName)}
      ${asked && html`<p class="question" role="alert">● ${asked.text}</p>`}
      ${error && html`<p class="error" id="act-error" role="alert">▲ ${error.text}</p>`}
      <div class="buttons">
        <button type="button" onClick=${closeDialog}>Cancel</button>
        <${ActionButton} role=${role} type="submit" busy=${busy} kind=${danger ? 'danger' : 'primary'}>${asked?.verb ?? verb}<//>
      </div>
    </form>
  <//>`;
}
