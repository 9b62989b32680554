/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * What leads from a first start to the first statement. The server says what is done; a step is never marked because of
 * a click.
 */
import { useState } from 'preact/hooks';
import { html } from './html.js';
import { counted } from '../format.js';
import { frame, me } from '../store.js';
import { keep, stored } from '../theme.js';

const HIDDEN = 'forebay.firstSteps.hidden';

const GATEWAY = `forebay.gateways.shop:
  datasource: {url: "jdbc:postgresql://localhost:5432/shop", username: shop, password: "…"}
  owner: {url: "jdbc:postgresql://localhost:5432/shop", username: shop_owner, password: "…"}`;

const CATALOGUE = `statements:
  - name: orders.add
    gateway: shop
    sql: insert into orders (item) values (:item)
    params: [{name: item, type: text}]`;

/** The command that sends the first statement, ready to paste. */
export function curl({ credentials, request }, origin) {
  const token = credentials ? `. '${credentials}'; ` : '';
  return `${token}curl -s '${origin}${request} -H "Authorization: Bearer $TOKEN"`;
}

/** What to write, and where, so that there is a gateway with statements. */
export function HowToConfigure({ catalogue }) {
  return html`<p>A gateway, in <code>application.yaml</code> in the directory where the server starts (docs/postgresql.md creates its two roles):</p>
    <pre>${GATEWAY}</pre>
    <p>Its statements, in ${catalogue ? html`<code>${catalogue}</code>` : html`<code>catalogue.yaml</code> of the data directory`}:</p>
    <pre>${CATALOGUE}</pre>
    <p>Restart the server. <a href="/admin/setup">Setup</a> says what is still missing.</p>`;
}

function Step({ done, title, open, children }) {
  return html`<li class=${done ? 'done' : ''}>
    <details open=${open}>
      <summary><span class=${'shape ' + (done ? 'fine' : '')} aria-hidden="true">${done ? '✓' : '○'}</span> ${title} <small>${done ? 'done' : 'to do'}</small></summary>
      ${children}
    </details>
  </li>`;
}

/** The three steps, until they are taken or the user hides them. */
export function FirstSteps() {
  const [hidden, setHidden] = useState(stored(HIDDEN, '') === 'yes');
  const steps = frame.value.firstSteps;
  if (!steps || hidden) return null;
  const { credentials, examples, performed } = steps;
  const hide = () => {
    keep(HIDDEN, 'yes');
    setHidden(true);
  };
  return html`<section class="panel first-steps" aria-label="First steps">
    <div class="head"><h2>First steps</h2><button type="button" class="quiet" onClick=${hide}>Hide</button></div>
    <ol>
      <${Step} done title="Log in">
        <p>You are logged in as <b>${me.value.name}</b>. ${credentials
          ? html`The token for requests is <code>TOKEN</code> in <code>${credentials}</code>. It is valid for 24 h; delete the file when you have read it.`
          : html`The first start printed the token for requests, which is valid for 24 h.`}</p>
      <//>
      <${Step} done=${!examples} title="Define a gateway and its statements">
        ${examples && html`<p>Now the embedded database and the examples <code>notes.add</code> and <code>notes.list</code> are in use. They are enough for step 3.</p>`}
        <${HowToConfigure} ...${steps} />
      <//>
      <${Step} done=${performed > 0} open=${performed === 0} title="Send a statement">
        <p>${performed > 0 ? `${counted(performed, 'message')} performed so far.` : 'In a shell on the host of the server:'}</p>
        <pre>${curl(steps, location.origin)}</pre>
        <p>Or use <a href="/admin/try">Try</a>. ${performed === 0 && 'This step is done as soon as the server has performed it.'}</p>
      <//>
    </ol>
  </section>`;
}
