/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The content of a message. It is asked for only after a click, is in the audit, and is kept only while the dialog is open. */
import { useState } from 'preact/hooks';
import { ActionButton, closeDialog, Dialog, useFirstFocus } from './dialog.js';
import { html } from './elements.js';

export function Call({ call }) {
  if (call.values?.length > 0) {
    return html`<h3><code>${call.statement}</code></h3>
      <dl class="values named">${call.values.map(({ name, value }) => html`<div><dt>${name}</dt> <dd><code>${value}</code></dd></div>`)}</dl>`;
  }
  return html`<h3><code>${call.method}</code></h3>
    <ol class="values">${call.arguments.map((argument) => html`<li><code>${argument}</code></li>`)}</ol>`;
}

/** @param {{values: {error?: string, calls: {method: string, arguments: string[]}[], bytes?: string, cut?: string}}} props */
function Shown({ values }) {
  useFirstFocus();
  return html`<div role="status">
      ${values.error && html`<p><b>The error</b>: ${values.error}</p>`}
      ${values.calls.map((call) => html`<${Call} call=${call} />`)}
      ${values.bytes && html`<p>The message cannot be read. Its bytes: <code>${values.bytes}</code></p>`}
      ${values.cut && html`<p class="muted">Incomplete: ${values.cut}.</p>`}
    </div>
    <p class="muted">This access is recorded in the audit.</p>
    <div class="buttons"><button type="button" onClick=${closeDialog}>Close</button></div>`;
}

/** @param {{id: string, role?: string, load: () => Promise<object>}} props `load` asks for the values */
export function ValuesDialog({ id, role = 'operator', load }) {
  const [values, setValues] = useState(null);
  const [problem, setProblem] = useState(null);
  const [busy, setBusy] = useState(false);
  const show = async () => {
    setBusy(true);
    try {
      setValues(await load());
    } catch (failure) {
      setProblem(failure.message);
    }
    setBusy(false);
  };
  return html`<${Dialog} wide title=${`Values of ${id}`}>
    ${values
      ? html`<${Shown} values=${values} />`
      : html`<p>The arguments and the message of the error may be personal data. If you show them, your name, this message and the time are recorded in the audit.</p>
          ${problem && html`<p class="error" role="alert">▲ ${problem}</p>`}
          <div class="buttons">
            <button type="button" onClick=${closeDialog}>Cancel</button>
            <${ActionButton} role=${role} kind="primary" busy=${busy} onClick=${show}>Show values<//>
          </div>`}
  <//>`;
}
