/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * Tries the statements of the catalogue, as a program with a token does: through the HTTP door, with what the OpenAPI document says.
 * The token stays in the memory of this screen.
 */
import { useState } from 'preact/hooks';
import { html } from '../parts/html.js';
import { copy } from '../keys.js';
import { Select } from '../parts/select.js';
import { canAct } from '../store.js';

const STATEMENTS = '/api/v1/statements/';

const WAITS = [
  ['5s', 'waits 5 s for the result'],
  ['30s', 'waits 30 s for the result'],
  ['', 'does not wait for the result'],
];

async function ask(token, path, options = {}) {
  let response;
  try {
    // Without the session of the page: the door must see only the token.
    response = await fetch(path, { ...options, credentials: 'omit', cache: 'no-store', headers: { ...options.headers, Authorization: 'Bearer ' + token } });
  } catch {
    throw new Error('The server does not respond. The outcome is unknown.');
  }
  const text = await response.text();
  return { ok: response.ok, status: response.status, document: text ? JSON.parse(text) : {}, key: response.headers.get('Idempotency-Key') };
}

/** The statements of an OpenAPI document, each with its parameters. */
function statements(document) {
  return Object.entries(document.paths)
    .filter(([path, operations]) => path.startsWith(STATEMENTS) && operations.post)
    .map(([path, { post }]) => {
      const schema = post.requestBody.content['application/json'].schema;
      return {
        name: post.operationId,
        path,
        summary: post.summary,
        params: Object.entries(schema.properties).map(([name, of]) => ({ name, schema: of, required: (schema.required ?? []).includes(name) })),
      };
    })
    .sort((a, b) => a.name.localeCompare(b.name));
}

const types = ({ type }) => [type ?? 'JSON'].flat().filter((one) => one !== 'null');

/** What a field is, in words. */
function kind({ schema, required }) {
  const of = types(schema)[0] === 'array' ? 'list, such as [1, 2]' : [types(schema).join(' or '), schema.format ?? schema.contentEncoding].filter(Boolean).join(', ');
  return of + (required ? '' : ', optional');
}

/** The value of a field; undefined if it is left out. What does not fit its type is sent as text: the door says what is wrong with it. */
export function value({ schema, required }, text) {
  if (text === '' && !required) return undefined;
  if (types(schema).includes('string')) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const body = (statement, texts) =>
  JSON.stringify(Object.fromEntries(statement.params.map((param) => [param.name, value(param, texts[param.name] ?? '')]).filter(([, given]) => given !== undefined)));

const quoted = (text) => "'" + text.replaceAll("'", "'\\''") + "'";

const address = (statement, wait) => statement.path + (wait && '?wait=' + wait);

export function curl(statement, { texts, wait, key }) {
  return [
    `curl -sS ${quoted(location.origin + address(statement, wait))}`,
    '-H "Authorization: Bearer $TOKEN"',
    "-H 'Content-Type: application/json'",
    ...(key ? [`-H ${quoted('Idempotency-Key: ' + key)}`] : []),
    `-d ${quoted(body(statement, texts))}`,
  ].join(' \\\n  ');
}

function Token({ use }) {
  const [token, setToken] = useState('');
  const [error, setError] = useState(null);
  const load = async (event) => {
    event.preventDefault();
    try {
      const answer = await ask(token.trim(), '/api/v1/openapi.json');
      if (answer.ok) use(token.trim(), statements(answer.document));
      else setError(answer.status === 401 ? 'Unknown token.' : answer.document.detail);
    } catch (failure) {
      setError(failure.message);
    }
  };
  return html`<form class="panel try" onSubmit=${load} noValidate>
    <label for="token">Token</label>
    <input id="token" type="password" autocomplete="off" value=${token} onInput=${(event) => setToken(event.target.value)}
      aria-invalid=${error ? 'true' : undefined} aria-describedby=${error ? 'token-error' : 'token-why'} />
    <p class="muted" id="token-why">Statements are sent with a token, not with your login. The grants of the token decide which statements are allowed, and the results belong to the token. The page forgets the token when you leave this screen.</p>
    ${error && html`<p class="error" id="token-error" role="alert">▲ ${error}</p>`}
    <div class="buttons"><button type="submit" class="primary" disabled=${!token.trim()}>Show its statements</button></div>
  </form>`;
}

function Field({ param, text, error, set }) {
  const id = 'param-' + param.name;
  return html`<div class="param">
    <label for=${id}>${param.name} <small>${kind(param)}</small></label>
    <input id=${id} autocomplete="off" value=${text} onInput=${(event) => set(event.target.value)}
      aria-invalid=${error ? 'true' : undefined} aria-describedby=${error ? id + '-error' : undefined} />
    ${error && html`<p class="error" id=${id + '-error'}>▲ ${error}</p>`}
  </div>`;
}

function Answer({ answer }) {
  return html`<section class="panel try" aria-labelledby="answer">
    <h2 id="answer">Answer <small>status ${answer.status}${answer.key ? ', key ' + answer.key : ''}</small></h2>
    <pre tabindex="0" role="region" aria-label="Document">${JSON.stringify(answer.document, null, 2)}</pre>
  </section>`;
}

function Form({ token, statement }) {
  const [form, setForm] = useState({ texts: {}, wait: '5s', key: '' });
  const [answer, setAnswer] = useState(null);
  const [error, setError] = useState(null);
  const errors = Object.fromEntries((answer?.document.errors ?? []).map(({ field, message }) => [field.slice(1), message]));
  const send = async (event) => {
    event.preventDefault();
    setError(null);
    try {
      const headers = { 'Content-Type': 'application/json', ...(form.key && { 'Idempotency-Key': form.key }) };
      setAnswer(await ask(token, address(statement, form.wait), { method: 'POST', headers, body: body(statement, form.texts) }));
    } catch (failure) {
      setError(failure.message);
    }
  };
  const line = curl(statement, form);
  return html`<form class="panel try" onSubmit=${send} noValidate>
      <p class="muted">${statement.summary}</p>
      ${statement.params.map((param) => html`<${Field} key=${param.name} param=${param} text=${form.texts[param.name] ?? ''} error=${errors[param.name]}
        set=${(text) => setForm({ ...form, texts: { ...form.texts, [param.name]: text } })} />`)}
      <div class="param"><label for="key">Idempotency-Key <small>optional; a statement with the same key is performed once</small></label>
        <input id="key" autocomplete="off" maxlength="255" value=${form.key} onInput=${(event) => setForm({ ...form, key: event.target.value })} /></div>
      <div class="filters"><${Select} label="Answer" value=${form.wait} options=${WAITS} set=${(wait) => setForm({ ...form, wait })} /></div>
      <pre tabindex="0" role="region" aria-label="The same with curl">${line}</pre>
      ${error && html`<p class="error" role="alert">▲ ${error}</p>`}
      <div class="buttons">
        <button type="button" onClick=${() => copy(line, 'command')}>Copy the command</button>
        <button type="submit" class="primary" disabled=${!canAct.value}>Send</button>
      </div>
    </form>
    <div aria-live="polite">${answer && html`<${Answer} answer=${answer} />`}</div>`;
}

export function TryScreen() {
  const [using, setUsing] = useState(null);
  const [name, setName] = useState(null);
  if (!using) return html`<h1>Try statements</h1><${Token} use=${(token, all) => setUsing({ token, all })} />`;
  const chosen = using.all.find((one) => one.name === name) ?? using.all[0];
  return html`<div class="head"><h1>Try statements</h1><div class="buttons"><button type="button" onClick=${() => setUsing(null)}>Another token</button></div></div>
    ${chosen ? html`<div class="filters"><${Select} label="Statement" value=${chosen.name} options=${using.all.map((one) => [one.name, one.name])} set=${setName} /></div>
      <${Form} key=${chosen.name} token=${using.token} statement=${chosen} />` : html`<p>This token is not granted any statement.</p>`}`;
}
