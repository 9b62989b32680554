/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* A form with named fields, each with a rule if it has one, that shows its error. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { html } from './html.js';

/**
 * @param {{verb: string, act: (values: object) => Promise<any>, cancel?: () => void,
 *   fields: [name: string, label: string, type: string, autocomplete: string, rule?: string][]}} props
 */
export function Form({ verb, fields, act, cancel }) {
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
