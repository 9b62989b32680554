/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The alerts since the start, of 24 h at most, folded until somebody asks for them. */
import { useState } from 'preact/hooks';
import { sentence } from '../alerts.js';
import { clock, duration, moment } from '../format.js';
import { frame } from '../store.js';
import { html, Loaded, Rows, useLoad } from './elements.js';
import { Shape } from './figure.js';
import { nameOf, placeOf } from './verdict.js';

const EVERY = 5;

function lasted({ opened, closed }) {
  const time = duration((Date.parse(closed ?? frame.value.at) - Date.parse(opened)) / 1000);
  return closed ? time : `open, ${time}`;
}

const COLUMNS = [
  { name: 'Opened (UTC)', head: true, cell: (alert) => html`<span class="nowrap">${moment(alert.opened)}</span>` },
  { name: 'Lasted', number: true, cell: lasted },
  { name: 'Kind', cell: (alert) => html`<span class="nowrap"><${Shape} severity=${alert.severity} /> ${alert.kind}<span class="vh"> (${alert.severity})</span></span>` },
  { name: 'Of', cell: (alert) => html`<a href=${placeOf(alert)}>${nameOf(alert)}</a>` },
  { name: 'At its peak', wrap: true, cell: (alert) => sentence({ ...alert, figure: alert.peak }, Date.parse(alert.closed ?? frame.value.at)) },
];

const DAY = 24 * 3600_000;

/** They are in memory only. */
function title() {
  const { at, since } = frame.value;
  return Date.parse(at) - Date.parse(since) < DAY ? `Alerts since the start at ${clock(since)} UTC` : 'Alerts of the last 24 h';
}

export function LastAlerts() {
  const [open, setOpen] = useState(false);
  const load = useLoad(open ? '/alerts' : null, EVERY);
  return html`<details class="panel last-alerts" onToggle=${(event) => setOpen(event.target.open)}><summary>${title()}</summary>
    ${open && html`<${Loaded} load=${load} what="the alerts">${({ alerts }) => html`<${Rows} label="Alerts, latest first" rows=${alerts} key=${(alert) => alert.id + alert.opened} columns=${COLUMNS} empty="No alert was open in this time." />`}<//>`}</details>`;
}
