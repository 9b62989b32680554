/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * The only file that uses uPlot. A chart has a sentence that summarises it, a table with the same values, its own
 * legend, and a cursor. Colours come from the style sheet, and are read again when the theme changes.
 */
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { moment, number } from '../format.js';
import { href, route } from '../router.js';
import { dark, frame, hasFrame } from '../store.js';
import { html } from './elements.js';

/** The marks of an axis of times that something waits. */
export const TIMES = [0, 1, 10, 60, 300, 900, 3600, 4 * 3600, 86400, 7 * 86400];

const TABLE_ROWS = 60;
const DISTRIBUTION = { linear: 1, log: 3, asinh: 4 };
const HOUR = 3600;
/** The width of half a label with seconds, in pixels: the last one may be at the right edge. */
const HALF_A_LABEL = 26;

const token = (name) => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();

const utc = (seconds) => new Date(seconds * 1000).toISOString();

/** Labels of the time axis: the time, and the day when it changes or if the range is long. */
function timeLabels(plot, splits) {
  const long = splits.length > 1 && splits[1] - splits[0] >= 24 * HOUR;
  const labels = splits.map((at) => {
    const text = utc(at);
    if (long || text.slice(11, 16) === '00:00') return `${Number(text.slice(8, 10))} ${moment(text).split(' ')[1]}`;
    return splits[1] - splits[0] < 60 ? text.slice(11, 19) : text.slice(11, 16);
  });
  return labels.map((label, i) => (label === labels[i - 1] ? '' : label)); // a range of few seconds has marks within them
}

/** Labels for a non-linear scale: the visible ones of `y.at`, with space between them. */
function splitsOf(y) {
  if (!y.at) return y.splits;
  return (plot, axis, low, high) => {
    const inside = y.at.filter((at) => at >= low && at <= high);
    const height = plot.bbox.height / devicePixelRatio;
    let last = Infinity;
    return inside.filter((at) => {
      const place = plot.valToPos(at, 'y');
      if (!Number.isFinite(place) || (height > 0 && last - place < 18)) return false;
      last = place;
      return true;
    });
  };
}

const all = (plot, splits) => splits;

/** The values without a neighbour, which have no line: they are drawn as points. */
export const lonely = (values) => values.flatMap((value, i) => (value != null && values[i - 1] == null && values[i + 1] == null ? [i] : []));

/** One value alone is in the middle of a minute; uPlot would show years. */
const rangeOfTime = (plot, low, high) => (plot.data[0].length === 1 ? [low - 30, low + 30] : [low, high]);

function options({ series, y, height, width, onCursor }) {
  const grid = { stroke: token('grid'), width: 1 };
  const axis = { stroke: token('muted'), font: `11px ${token('font')}`, grid, ticks: { show: false } };
  return {
    width,
    height,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
    padding: [8, HALF_A_LABEL, 0, 0],
    tzDate: (at) => uPlot.tzDate(new Date(at * 1000), 'Etc/UTC'),
    scales: {
      x: { time: true, range: rangeOfTime },
      y: { distr: DISTRIBUTION[y.scale ?? 'linear'], asinh: y.asinh ?? 1, range: y.range ?? ((plot, low, high) => [0, high > 0 ? high * 1.08 : 1]) },
    },
    axes: [
      { ...axis, space: 70, size: 28, values: timeLabels, filter: all },
      { ...axis, size: 64, space: 34, values: (plot, splits) => splits.map((at) => (at === null ? '' : y.format(at))), splits: splitsOf(y), filter: all },
    ],
    series: [
      {},
      ...series.map((one) => ({
        stroke: token(one.color),
        width: one.width ?? 1.75,
        dash: one.dash,
        fill: one.fill ? token(one.fill) : undefined,
        points: { show: true, size: 5, fill: token(one.color), filter: (plot, index) => lonely(plot.data[index]) },
        spanGaps: false,
      })),
    ],
    hooks: { setCursor: [(plot) => onCursor(plot.cursor.idx ?? null)] },
  };
}

function Swatch({ color, dash }) {
  return html`<svg width="22" height="8" aria-hidden="true"><line class=${'stroke-' + color} x1="0" x2="22" y1="4" y2="4" stroke-dasharray=${dash?.join(' ')} /></svg>`;
}

function Legend({ series, x, y, at }) {
  const format = y.value ?? y.format;
  return html`<ul class="legend">
    ${at !== null && x.values[at] !== undefined && html`<li class="at">${utc(x.values[at]).slice(0, 19).replace('T', ' ')} UTC</li>`}
    ${series.filter((one) => !one.hidden).map((one) => {
      const value = at === null ? undefined : one.values[at];
      return html`<li><${Swatch} ...${one} /> ${one.label}${at !== null && html` <b>${value === null || value === undefined ? '–' : format(value)}</b>`}</li>`;
    })}
  </ul>`;
}

function Table({ title, series, x, y }) {
  const every = Math.max(1, Math.ceil(x.values.length / TABLE_ROWS));
  const rows = x.values.map((at, i) => i).filter((i) => i % every === 0);
  const format = y.value ?? y.format;
  return html`<div class="scroll chart-table" tabindex="0" role="region" aria-label=${title + ' as a table'}>
    <table>
      <thead><tr><th scope="col">UTC</th>${series.map((one) => html`<th scope="col" class="n">${one.label}</th>`)}</tr></thead>
      <tbody>${rows.map((i) => html`<tr key=${x.values[i]}><th scope="row">${moment(utc(x.values[i]))}</th>
        ${series.map((one) => html`<td class="n">${one.values[i] === null || one.values[i] === undefined ? '–' : format(one.values[i])}</td>`)}</tr>`)}</tbody>
    </table>
  </div>`;
}

/**
 * @param {{title: string, sentence: string, height?: number,
 *   x: {values: number[]},
 *   y: {format?: Function, value?: Function, scale?: 'linear'|'log'|'asinh', asinh?: number, range?: any, splits?: any},
 *   series: {label: string, values: (number|null)[], color: string, dash?: number[], width?: number, fill?: string, hidden?: boolean}[]}} props `x` is time in seconds since 1970; `hidden` leaves a line out of the legend; colours are names of custom properties
 */
export function Chart({ title, sentence, x, y: givenY, series, height = 200 }) {
  const y = { format: number, ...givenY };
  const id = useId();
  const place = useRef(null);
  const plot = useRef(null);
  const [at, setAt] = useState(null);
  const [table, setTable] = useState(false);
  const empty = series.every((one) => one.values.every((value) => value == null));
  const shape = JSON.stringify([series.map((one) => [one.label, one.color, one.dash]), y.scale]) + dark.value + table + empty;
  const data = [x.values, ...series.map((one) => one.values)];
  useEffect(() => {
    if (table || empty) return undefined;
    const made = new uPlot(options({ series, y, height, width: place.current.clientWidth, onCursor: setAt }), data, place.current);
    plot.current = made;
    const watch = new ResizeObserver(() => {
      const width = place.current?.clientWidth;
      if (width && width !== made.width) made.setSize({ width, height });
    });
    watch.observe(place.current);
    return () => {
      watch.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [shape]);
  useEffect(() => {
    if (plot.current && plot.current.data !== data) plot.current.setData(data);
  });
  return html`<figure class="chart panel" aria-labelledby=${id}>
    <figcaption>
      <h2 id=${id}>${title}</h2>
      <button type="button" class="quiet" aria-pressed=${table} aria-label=${`${title} as a table`} onClick=${() => setTable(!table)}>${table ? 'Chart' : 'Table'}</button>
      <p>${sentence}</p>
    </figcaption>
    ${empty
      ? html`<p class="plot muted none">No figures for this time.</p>`
      : table
      ? html`<${Table} title=${title} series=${series} x=${x} y=${y} />`
      : html`<div class="plot" ref=${place} role="img" aria-label=${sentence} key="plot"></div>
          <${Legend} series=${series} x=${x} y=${y} at=${at} />`}
  </figure>`;
}

const RANGES = [
  ['-1h', '1 h', 3600],
  ['-24h', '24 h', 24 * 3600],
];

/**
 * What to ask the server for: shorter than the range if the first figures are younger.
 * @param {[string, string, number]} range
 * @param {{at: string, recordedSince?: string}} now the latest frame
 */
export function recorded([name, , seconds], now) {
  const known = now?.recordedSince ? Math.max(1, (Date.parse(now.at) - Date.parse(now.recordedSince)) / 1000) : seconds;
  return known < seconds ? { name, from: now.recordedSince, seconds: known } : { name, from: name, seconds };
}

export function currentRange(fallback = '-1h') {
  hasFrame.value; // the first frame says since when there are figures
  const wanted = route.value.query.from ?? fallback;
  return recorded(RANGES.find(([name]) => name === wanted) ?? RANGES[0], frame.peek());
}

export function Range({ fallback = '-1h' }) {
  const { name: here } = currentRange(fallback);
  const { path, query } = route.value;
  return html`<nav class="range" aria-label="Time range">
    ${RANGES.map(([name, text]) => html`<a key=${name} href=${href(path, { ...query, from: name })} aria-current=${here === name ? 'true' : undefined}>${text}</a>`)}
  </nav>`;
}

