/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Small drawings in table cells. */
import { html } from './html.js';
import { duration } from '../format.js';

const WIDTH = 84;
const HEIGHT = 22;

/** The path of a sparkline on a square-root scale, so that small waits stay visible beside long ones. */
function path(values, top) {
  let text = '';
  let pen = false;
  const step = WIDTH / Math.max(1, values.length - 1);
  values.forEach((value, i) => {
    if (value === null || value === undefined) {
      pen = false;
      return;
    }
    const y = HEIGHT - 1.5 - Math.sqrt(Math.max(0, value) / top) * (HEIGHT - 3);
    text += `${pen ? 'L' : 'M'}${(i * step).toFixed(1)} ${y.toFixed(1)}`;
    pen = true;
  });
  return text;
}

/** Seconds behind during the last 15 minutes, with the limit if it is within the range. */
export function Spark({ values = [], limit, severity }) {
  const most = Math.max(0, ...values.filter((value) => value !== null));
  const top = Math.max(most, limit * 0.02, 1e-3);
  const line = path(values, top);
  if (!line) return html`<svg class="spark" width=${WIDTH} height=${HEIGHT} aria-hidden="true"></svg>`;
  const limitAt = limit < top ? HEIGHT - 1.5 - Math.sqrt(limit / top) * (HEIGHT - 3) : null;
  return html`<svg class=${'spark ' + severity} width=${WIDTH} height=${HEIGHT} role="img"
      aria-label=${`last 15 minutes: at most ${duration(most)}`}>
    ${limitAt !== null && html`<line class="limit" x1="0" x2=${WIDTH} y1=${limitAt} y2=${limitAt} />`}
    <path d=${line} />
  </svg>`;
}

/** Accepted above performed, compared with the rate of the database. All are rates; the numbers are beside it. */
export function Bullet({ accepted = 0, performed = 0, can, severity }) {
  const top = Math.max(accepted, performed, can * 1.05, 1e-9);
  const x = (value) => ((value / top) * 100).toFixed(1);
  return html`<svg class=${'bullet ' + severity} viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true">
    <rect class="track" x="0" y="0" width="100" height="12" />
    <rect class="accepted" x="0" y="1.5" width=${x(accepted)} height="4" />
    <rect class="performed" x="0" y="6.5" width=${x(performed)} height="4" />
    <rect class="can" x=${Math.min(99, x(can))} y="0" width="1.4" height="12" />
  </svg>`;
}
