/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * The three figures of home, always in this order: lag, burst headroom, disk runway. Each is a time with its reason, a bar, and the
 * colour of its alert, so that it does not contradict the sentence below it.
 */
import { bytes, duration, figure, forecast, rate } from '../format.js';
import { href, serviceHref } from '../router.js';
import { BEHIND, next } from '../sentences.js';
import { allServices, frame } from '../store.js';
import { html } from './elements.js';
import { Meter, Shape } from './figure.js';

const SEVERITIES = ['fine', 'watch', 'bad'];

/** The kinds of alerts about each figure. */
export const LAG = ['behind', 'late', 'waiting', 'refusing', 'stalled', 'failed', 'paused', 'loss'];
const LATE = ['behind', 'late'];
/** A service that is behind uses up its headroom; then no alert of the others is open. */
const HEADROOM = ['burst', 'database', ...LATE];

function severityOf(kinds, ...names) {
  const found = frame.value.verdict.problems.filter((one) => names.includes(one.service) && kinds.includes(one.kind)).map((one) => one.severity);
  return SEVERITIES.findLast((severity) => found.includes(severity)) ?? 'fine';
}

/** Whether it is behind so that it matters, also if no alert is open. A long batch alone makes a service steady; see Judge. */
function isBehind({ state, trend, behind, limit, late }) {
  const matters = behind.v >= limit / 10 || late?.v?.in !== undefined || Boolean(late?.v?.passed);
  return BEHIND.includes(state) && (trend === 'growing' || trend === 'draining' || (trend === 'steady' && matters));
}

/** A service that stands still because of its disk has no alert of its own; while no message waits, none is late. */
function lagSeverity(service) {
  const { name, severity, standsStill, behind } = service;
  if (standsStill) return behind.v > 0 ? severity : '';
  const alert = severityOf(LAG, name);
  return alert === 'fine' && isBehind(service) ? 'watch' : alert;
}

/** The item with the largest value; undefined if there are none. */
const most = (items, value) => items.reduce((top, one) => (top === undefined || value(one) > value(top) ? one : top), undefined);

/** The service whose lag is worst: by its alert, then by the part of its limit. */
function lagWords(all) {
  const worst = most(
    all.filter((one) => one.behind?.v !== undefined),
    (one) => 100 * SEVERITIES.indexOf(lagSeverity(one)) + Math.min(99, one.behind.v / one.limit),
  );
  if (!worst) return { big: 'unknown until the first sample', small: all[0]?.behind?.why ?? 'no service runs here' };
  const { name, behind, limit } = worst;
  const severity = lagSeverity(worst);
  const coming = behind.v >= 1 || severity !== 'fine' ? next(worst) : '';
  const calm = `limit ${duration(limit)}`;
  return { big: `${duration(behind.v < 1 ? 0 : behind.v)} behind`, small: coming ? `${name}: ${coming}` : calm, part: behind.v / limit, severity: coming && severity === 'fine' ? '' : severity, link: serviceHref(name) };
}

const NONE = 'no room for a burst';

/** How long a burst of ten times the usual rate is fine: of the service that it makes late first. One that is paused counts only alone. */
function headroomWords(services) {
  const running = services.filter((one) => one.state !== 'paused');
  const all = running.length ? running : services;
  const refused = all.find((one) => one.burst?.accepts?.v?.passed);
  if (refused) return { big: NONE, small: `${refused.name} accepts nothing`, part: 1, severity: 'bad', link: serviceHref(refused.name) };
  const standing = all.find((one) => one.state === 'paused' || (one.state.startsWith('waiting') && one.burst?.onTime?.v === undefined));
  if (standing) return { big: NONE, small: `${standing.name} performs nothing: ${standing.state === 'paused' ? 'it is paused' : standing.burst?.onTime?.why}`, part: 1, severity: severityOf(LAG, standing.name), link: serviceHref(standing.name) };
  const seconds = (one) => one.burst.onTime.v.in ?? (one.burst.onTime.v.passed ? 0 : Infinity);
  const known = all.filter((one) => one.burst?.onTime?.v);
  const measured = known.filter((one) => !one.canAtLeast);
  const worst = most(measured.length ? measured : known, (one) => -seconds(one)); // a bound of an idle service hides no measurement
  if (!worst) return lowerBound(all);
  const { name, burst, can, canAtLeast, accepted } = worst;
  const late = all.find((one) => one !== worst && severityOf(LATE, one.name) !== 'fine');
  const unknown = all.filter((one) => (measured.length ? !measured.includes(one) : !one.burst?.onTime?.v));
  const first = late ? `${late.name} is behind already; ` : '';
  const rest = late ? '' : unknown.length ? `; ${unknown.length === 1 ? `${unknown[0].name} is` : 'others are'} not measured yet` : '';
  const alert = severityOf(HEADROOM, canAtLeast ? '' : name, late?.name); // a bound that rises with each busy second is no warning
  const words = { part: accepted?.v / can?.v, severity: alert === 'fine' && (first || rest || canAtLeast) ? '' : alert, link: serviceHref(name, { t: 'burst' }) };
  const { accepts } = burst;
  const left = seconds(worst);
  const least = canAtLeast ? 'at least ' : '';
  const times = burst.rate?.v === undefined ? '' : ` (10× is ${rate(burst.rate.v)})`;
  if (left === 0) return { ...words, severity: 'bad', big: NONE, small: `${name}: too many messages wait already` };
  if (left < (accepts?.v?.in ?? Infinity)) return { ...words, big: `10× is fine for ${least}${duration(left)}`, small: `${first}then ${name} passes its limit${times}${rest}` };
  if (accepts?.v?.in !== undefined) return { ...words, big: `10× is fine for ${duration(accepts.v.in)}`, small: `${first}then the disk is full${times}` };
  return { ...words, big: '10× is fine for more than 30 d', small: `${first}no ${late ? 'other ' : ''}service passes its limit${times}${rest}` };
}

function lowerBound(all) {
  const seen = most(all, (one) => one.can?.v ?? one.canAtLeast ?? 0);
  const least = seen?.can?.v ?? seen?.canAtLeast;
  if (!least) return { big: 'unknown until the first busy second', small: 'the capacity is measured while messages wait' };
  return { big: `at least ${rate(least)} seen`, small: `${seen.name}: how long a burst is fine is not known yet`, link: serviceHref(seen.name, { t: 'burst' }) };
}

const DAY = 24 * 3600;

/** A forecast looks ahead no farther, however much history there is. */
const FARTHEST = 20 * DAY;

/** When a disk is full. A disk at which accepting stops is full, whatever was forecast. */
export function diskWords({ runway, usedBytes, stopBytes, sizeBytes, toFreeBytes }) {
  const free = stopBytes?.v - usedBytes?.v;
  const left = sizeBytes?.v - usedBytes?.v;
  if (free <= 0) return { big: 'Full', small: `messages are refused: ${left > 0 ? `${bytes(left)} are left as reserve; ` : ''}at least ${figure(toFreeBytes, bytes)} must be freed`, tone: 'bad' };
  const { low, middle, begun } = runway?.v ?? {};
  if (!middle || middle.passed) return { big: 'not known yet', small: `${free > 0 ? `${bytes(free)} free; ` : ''}${runway?.why ?? 'a new forecast comes within a minute'}` };
  const tone = middle.in !== undefined ? toneAt(low.in ?? 0) : undefined;
  if (begun) return { big: `${forecast(begun.in)} at this rate`, small: 'something else fills the disk', tone: tone === 'bad' ? tone : 'watch' };
  if (low.never !== undefined) return { big: 'more than 30 d', tone: 'fine', small: runway.why };
  const least = `at least ${forecast(low.in ?? 0)}`;
  if (tone) return { big: `likely ${forecast(middle.in)}`, small: least, tone };
  const small = low.in < FARTHEST ? 'a longer forecast needs more history' : runway.why;
  return { big: least, small, tone: low.in < DAY ? undefined : toneAt(low.in) };
}

/** The colour of a forecast whose alert is not known. */
const toneAt = (seconds) => (seconds < 4 * 3600 ? 'bad' : seconds < DAY ? 'watch' : 'fine');

function runwayWords(disk) {
  if (!disk) return { big: 'not on this host', small: 'the queues are at a broker: watch its disks' };
  const { usedBytes, stopBytes, sizeBytes, volume } = disk;
  const words = diskWords(disk);
  const alert = frame.value.verdict.problems.find((one) => one.volume === volume);
  const inUse = usedBytes?.v < stopBytes?.v;
  return {
    ...words,
    why: inUse ? `${volume}: ${bytes(usedBytes.v)} are used; accepting stops at ${bytes(stopBytes.v)}.` : undefined,
    part: usedBytes?.v / (inUse ? stopBytes : sizeBytes)?.v,
    severity: alert?.severity ?? (usedBytes?.v >= stopBytes?.v ? 'bad' : words.tone === 'fine' ? 'fine' : ''),
    link: href('/storage'),
  };
}

function Tile({ title, words: { big, small, why, part, severity, link } }) {
  const known = Number.isFinite(part);
  return html`<section class=${'tile ' + (severity ?? '')}>
    <h2>${link ? html`<a href=${link}>${title}</a>` : title}</h2>
    ${severity && html`<p class="severity"><${Shape} severity=${severity} /><span class="vh">Severity: ${severity}</span></p>`}
    <p class="big">${big}</p>
    <${Meter} share=${known ? part : 0} tone=${severity || 'plain'} />
    <p class="small" data-why=${why} tabindex=${why ? 0 : undefined}>${small}</p>
  </section>`;
}

export function Tiles() {
  const all = allServices();
  return html`<div class="tiles">
    <${Tile} title="Lag" words=${lagWords(all)} />
    <${Tile} title="Burst headroom" words=${headroomWords(all)} />
    <${Tile} title="Disk runway" words=${runwayWords(frame.value.tiles.disk)} />
  </div>`;
}
