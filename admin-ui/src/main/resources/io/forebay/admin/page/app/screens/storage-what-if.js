/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What if files are kept for longer or shorter, more messages arrive, or a paused service is resumed. */
import { html } from '../parts/html.js';
import { path } from '../api.js';
import { Loaded, useLoad } from '../parts/load.js';
import { Select } from '../parts/select.js';
import { runwayWords } from '../parts/tiles.js';
import { route, view } from '../router.js';

const KEEP = [
  ['', 'unchanged'],
  ['3600', '1 hour'],
  ['21600', '6 hours'],
  ['86400', '24 hours'],
  ['259200', '72 hours'],
  ['604800', '7 days'],
];
const INTAKE = [
  ['', 'unchanged'],
  ['0.5', 'half'],
  ['1.5', '1.5 times'],
  ['2', 'twice'],
  ['5', '5 times'],
  ['10', '10 times'],
];

export function WhatIf({ volume }) {
  const { keep = '', intake = '', resume = '' } = route.value.query;
  const asked = keep || intake || resume;
  const load = useLoad(asked ? path('/storage/what-if', { volume: volume.volume, keepSeconds: keep, intake, resume }) : null);
  const held = volume.held.map((one) => [one.service, one.service]);
  return html`<section class="panel what-if"><h2>What if</h2>
    <div class="filters">
      <${Select} label="Files are kept" value=${keep} options=${KEEP} set=${(value) => view({ keep: value })} />
      <${Select} label="Intake" value=${intake} options=${INTAKE} set=${(value) => view({ intake: value })} />
      <${Select} label="Resumed now" value=${resume} options=${[['', 'none'], ...held]} set=${(value) => view({ resume: value })} />
      ${asked && html`<button type="button" class="quiet" onClick=${() => view({ keep: '', intake: '', resume: '' })}>Reset</button>`}
    </div>
    ${asked
      ? html`<${Loaded} load=${load} what="the answer">${(data) => {
          const words = runwayWords(data.runway);
          return html`<p class="runway" role="status"><span class=${'big ' + (words.tone ?? '')}>${words.big}</span> <span class="muted">${words.small}</span></p>`;
        }}<//>`
      : html`<p class="muted">Choose a value. This is only a calculation; nothing changes.</p>`}
  </section>`;
}
