/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * The only place where figures become text. Two units or two digits, the same in a sentence, a cell and a chart. Texts
 * of the server are tested against the examples in format-vectors.json, too.
 */

export const UNKNOWN = '–';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

const known = (value) => typeof value === 'number' && Number.isFinite(value);

const rounds = (value, places) => Math.round(value * 10 ** places + 1e-9) / 10 ** places;

/** Below ten: one decimal (below one: the first significant digit). From ten: whole numbers. From a million: abbreviated. */
export function number(value) {
  if (!known(value)) return UNKNOWN;
  if (value < 0) return '-' + number(-value);
  if (value >= 999_999.5) {
    const unit = value >= 999_950_000 ? [1e9, 'G'] : [1e6, 'M'];
    return number(value / unit[0]) + ' ' + unit[1];
  }
  if (value >= 0.95 || value === 0) return small(value);
  return String(rounds(value, Math.max(1, Math.min(6, Math.ceil(-Math.log10(value) - 1e-9)))));
}

function trim(text) {
  return text.includes('.') ? text.replace(/0+$/, '').replace(/\.$/, '') : text;
}

/** Seconds as "4 m 12 s", "9 h 20 m", "41 s", "4.2 s", "12 ms"; negative values count as 0. */
export function duration(seconds) {
  if (!known(seconds)) return UNKNOWN;
  if (seconds <= 0) return '0 s';
  if (seconds < 0.9995e-3) return small(Math.max(1, seconds * 1e6)) + ' µs';
  if (seconds < 0.9995) return small(seconds * 1e3) + ' ms';
  if (seconds < 59.5) return small(seconds) + ' s';
  if (seconds < HOUR - 0.5) return two(Math.round(seconds), MINUTE, 'm', 's');
  if (seconds < DAY - 30) return two(Math.round(seconds / MINUTE), 60, 'h', 'm');
  if (seconds < 9.98 * DAY) return two(Math.round(seconds / HOUR), 24, 'd', 'h');
  return number(Math.round(seconds / DAY)) + ' d';
}

/** The time until something that is forecast: at least a second, no forecast is more accurate. */
export const forecast = (seconds) => duration(known(seconds) ? Math.max(1, seconds) : seconds);

function small(value) {
  return value < 9.95 ? String(rounds(value, 1)) : count(value);
}

function two(whole, per, big, little) {
  const rest = whole % per;
  const head = `${Math.floor(whole / per)} ${big}`;
  return rest === 0 ? head : `${head} ${rest} ${little}`;
}

export const rate = (perSecond) => (known(perSecond) ? number(perSecond) + '/s' : UNKNOWN);

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

export const count = (value) => (known(value) ? whole.format(Math.round(value) + 0) : UNKNOWN);

/** A count with its noun: "1 message", "2,000 messages". */
export const counted = (value, noun) => `${count(value)} ${noun}${value === 1 ? '' : 's'}`;

/** A count in a narrow cell: 503 k, 1.2 M. */
export function brief(value) {
  if (!known(value)) return UNKNOWN;
  if (value < 10_000) return count(value);
  if (value < 999_500) return Math.round(value / 1000) + ' k';
  return trim((value / 1e6).toFixed(value < 9.95e6 ? 1 : 0)) + ' M';
}

export function bytes(value) {
  if (!known(value)) return UNKNOWN;
  if (value < 0) return '-' + bytes(-value);
  let unit = 0;
  let size = value;
  while (size >= 1023.5 && unit < UNITS.length - 1) {
    size /= 1024;
    unit++;
  }
  return `${unit > 0 ? small(size) : count(size)} ${UNITS[unit]}`;
}

export function share(value) {
  return known(value) ? number(value * 100) + ' %' : UNKNOWN;
}

/** A day of so many bytes per second. */
export const perDay = (bytesPerSecond) => (known(bytesPerSecond) ? bytes(Math.round(bytesPerSecond * DAY)) + '/day' : UNKNOWN);

/** A figure's text: ≈ before an estimate, – when unknown. */
export function figure(fig, format = number) {
  if (fig === null || fig === undefined || fig.v === undefined || fig.v === null) return UNKNOWN;
  return (fig.why === undefined ? '' : '≈ ') + format(fig.v);
}

/** "02:31:07" of an instant, always UTC. */
export const clock = (instant) => (instant ? new Date(instant).toISOString().slice(11, 19) : UNKNOWN);

export const minute = (instant) => (instant ? new Date(instant).toISOString().slice(11, 16) : UNKNOWN);

/** "20 Nov 02:31" of an instant, always UTC. */
export function moment(instant) {
  if (!instant) return UNKNOWN;
  const text = new Date(instant).toUTCString();
  return `${Number(text.slice(5, 7))} ${text.slice(8, 11)} ${text.slice(17, 22)}`;
}

/** "20 Nov 02:31:07" of an instant, always UTC. */
export const second = (instant) => (instant ? `${moment(instant)}:${clock(instant).slice(6)}` : UNKNOWN);

/** The minute of a time within the next day, with the day if it is later. */
export const ahead = (instant, now = Date.now()) => (new Date(instant).getTime() - now < DAY * 1000 ? minute(instant) : moment(instant));

/** The clock today, day and clock before. */
export function since(instant, now = Date.now()) {
  if (!instant) return UNKNOWN;
  return now - new Date(instant).getTime() < DAY * 1000 ? clock(instant) : moment(instant);
}
