/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The resources that all services share (disk, database), and the batch jobs. */
import { html } from './html.js';
import { bytes, count, figure, forecast, share, UNKNOWN } from '../format.js';
import { frame, order, systemAway } from '../store.js';
import { serviceHref } from '../router.js';
import { Fig, Meter } from './figure.js';
import { RestartButton } from './jobs.js';

const NOT_MEASURED = 'Not measured';

const ratio = (part, whole) => (part?.v !== undefined && whole?.v > 0 ? part.v / whole.v : undefined);
const part = (value) => (value === undefined || value === null ? UNKNOWN : value.never !== undefined ? 'never' : value.passed ? 'now' : forecast(value.in));

/** The text of a runway: a big line and a small line. */
export function runwayWords(runway) {
  const value = runway?.v;
  if (!value) return { big: UNKNOWN, small: runway?.why ?? 'Not measured.' };
  const { middle, low, high } = value;
  if (low?.never !== undefined) return { big: 'At least 30 d', small: runway.why };
  if (middle?.never !== undefined) return { big: `At least ${forecast(low.in)}`, small: `${runway.why}; a longer forecast needs more history` };
  if (middle?.passed) return { big: 'Full', small: 'beyond the size at which accepting stops', tone: 'bad' };
  return { big: 'Full in ' + forecast(middle.in), small: `likely ${part(low)} – ${part(high)}`, tone: tone(low) };
}

function tone(low) {
  if (low?.passed || low?.in < 4 * 3600) return 'bad';
  return low?.in < 24 * 3600 ? 'watch' : undefined;
}

function Tile({ title, link, big, small, why, children, severity = '' }) {
  return html`<section class=${'tile ' + severity}>
    <h2>${link ? html`<a href=${link}>${title}</a>` : title}</h2>
    <p class="big">${big}</p>
    ${children}
    <p class="small" data-why=${why} tabindex=${why ? 0 : undefined}>${small}</p>
  </section>`;
}

/** A disk at which accepting stops is full, whatever was forecast. */
export function diskWords({ runway, usedBytes, stopBytes, sizeBytes, toFreeBytes }) {
  const free = stopBytes?.v - usedBytes?.v;
  const left = sizeBytes?.v - usedBytes?.v;
  if (free <= 0) return { big: 'Full', small: `messages are refused: ${left > 0 ? `${bytes(left)} are left as reserve; ` : ''}at least ${figure(toFreeBytes, bytes)} must be freed`, tone: 'bad' };
  const old = free > 0 && runway?.v?.middle?.passed;
  const words = runwayWords(old ? { why: 'new forecast in a moment' } : runway?.v ? runway : { why: `no forecast yet: ${runway?.why}` });
  if ((runway?.v && !old) || !(free > 0)) return words;
  const part = free / stopBytes.v;
  const reserve = sizeBytes?.v - stopBytes.v;
  return { big: bytes(free) + ' free', small: words.small + (reserve > 0 ? `; ${bytes(reserve)} more are the reserve` : ''), tone: part < 0.1 ? 'bad' : part < 0.2 ? 'watch' : undefined };
}

/** It has the colour of its alert, so that it does not contradict the sentence above it. */
function Disk({ disk }) {
  const alert = frame.value.verdict.problems.find((one) => one.volume === disk.volume);
  const runway = { ...diskWords(disk), tone: alert?.severity };
  const { usedBytes, stopBytes, sizeBytes } = disk;
  const inUse = usedBytes?.v < stopBytes?.v;
  return html`<${Tile} title=${`Disk ${disk.volume}`} link="/admin/storage" big=${runway.big} severity=${runway.tone}
    small=${`${runway.small} · ${figure(usedBytes, bytes)} of ${figure(inUse ? stopBytes : sizeBytes, bytes)}`}
    why=${inUse ? `Accepting stops at ${bytes(stopBytes.v)}; the disk has ${figure(sizeBytes, bytes)}.` : undefined}>
    <${Meter} share=${ratio(usedBytes, sizeBytes)} mark=${ratio(stopBytes, sizeBytes)} tone=${runway.tone ?? 'plain'} />
  <//>`;
}

/** It has the colour of its alert: busy workers that catch up are as they should be. */
function Database({ database, away }) {
  const busy = database.busy?.v;
  if (away.length) return html`<${Tile} title="Database" severity="bad" big="Not responding" small=${away.map((one) => one.database).join(', ')} />`;
  const alert = frame.value.verdict.problems.find((one) => one.service === database.service && BUSY.includes(one.kind));
  const severity = alert?.severity ?? '';
  return html`<${Tile} title="Database busy" link=${database.service && serviceHref(database.service)} severity=${severity}
    big=${busy === undefined ? NOT_MEASURED : html`<${Fig} fig=${database.busy} format=${share} />`} small=${busy === undefined ? database.busy?.why : `${database.text} · last 10 s`}>
    <${Meter} share=${busy} mark=${0.9} tone=${severity || 'plain'} />
  <//>`;
}

/** The alerts of which busy workers are a part. */
const BUSY = ['database', 'late', 'behind'];

function jobWords({ failed, running }) {
  if (failed) return `${count(failed)} failed`;
  return running ? `${count(running)} running` : 'None failed';
}

function Jobs({ jobs }) {
  if (systemAway.value) return html`<${Tile} title="Jobs" link="/admin/jobs" big="Unknown" small="The system database is not responding." />`;
  const { failed, running, severity, text, execution } = jobs;
  const more = failed && running ? ` · ${count(running)} running` : '';
  return html`<${Tile} title="Jobs" link="/admin/jobs" severity=${severity === 'fine' ? '' : severity} big=${jobWords(jobs)} small=${(text || 'No job is running.') + more}>
    ${execution && html`<p class="do"><${RestartButton} id=${execution} /></p>`}
  <//>`;
}

export function Tiles() {
  const { disk, database, jobs } = frame.value.tiles;
  return html`<div class="tiles">
    ${disk && html`<${Disk} disk=${disk} />`}
    ${database && order.value.length > 0 && html`<${Database} database=${database} away=${frame.value.databasesAway ?? []} />`}
    ${jobs && html`<${Jobs} jobs=${jobs} />`}
  </div>`;
}
