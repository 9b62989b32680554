/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

import { render } from 'preact';
import { signal } from '@preact/signals';
import { html } from '/app/parts/html.js';
import { useWhileInSight } from '/app/parts/in-sight.js';
import { equal } from './expect.js';
import { given } from './page.js';

const PATIENCE = 5000;
const pause = () => new Promise((over) => setTimeout(over, 20));

async function until(what, isSo) {
  const end = Date.now() + PATIENCE;
  while (!isSo() && Date.now() < end) await pause();
  equal(isSo(), true, what);
}

function Row({ source }) {
  const { ref, shown } = useWhileInSight(source);
  return html`<p ref=${ref}>${shown.value}</p>`;
}

/** A row far below the window whose figure has not been drawn since it changed. */
async function aRowOutOfSight() {
  const place = document.createElement('div');
  place.style.paddingTop = '5000px';
  document.body.append(place);
  const source = signal(0);
  render(html`<${Row} source=${source} />`, place);
  const row = place.querySelector('p');
  const isOld = () => Number(row.textContent) !== source.value;
  const end = Date.now() + PATIENCE;
  while (!isOld() && Date.now() < end) {
    source.value++;
    await pause();
  }
  equal(isOld(), true, 'a row out of sight is not redrawn with each change');
  const remove = () => {
    render(null, place);
    place.remove();
    scrollTo(0, 0);
  };
  return { row, isOld, remove };
}

export async function aRowThatComesIntoSightIsUpToDate() {
  const { row, isOld, remove } = await aRowOutOfSight();
  row.scrollIntoView();
  await until('up to date', () => !isOld());
  remove();
}

export async function aRowOutOfSightIsRedrawnInItsTurn() {
  const { isOld, remove } = await aRowOutOfSight();
  given({});
  await until('with a frame', () => !isOld());
  remove();
}
