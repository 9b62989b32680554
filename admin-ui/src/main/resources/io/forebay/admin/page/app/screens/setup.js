/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* This instance: its version, its configuration, and what it found out about its machine. */
import { html } from '../parts/html.js';
import { number, since, UNKNOWN } from '../format.js';
import { Loaded, useLoad } from '../parts/load.js';
import { Rows, text } from '../parts/rows.js';

const CHECKS = {
  ok: ['fine', '✓', 'OK'],
  warn: ['watch', '●', 'Check'],
  failed: ['bad', '▲', 'Failed'],
  unknown: ['', '?', 'Unknown'],
};

function Check({ state }) {
  const [severity, shape, word] = CHECKS[state] ?? CHECKS.unknown;
  return html`<span class=${'state nowrap ' + severity}><span class=${'shape ' + severity} aria-hidden="true">${shape}</span> ${word}</span>`;
}

const mark = (value) => (value === null || value === undefined || value > 1e300 ? UNKNOWN : number(value));

function Facts({ data }) {
  const facts = [
    ['Instance', data.instance],
    ['Backend', data.backend],
    ['Profiles', data.profiles.join(', ') || 'none'],
    ['Version', data.version],
    ['Java', data.java],
    ['Running since', since(data.since) + ' UTC'],
  ];
  return html`<dl class="facts panel">${facts.map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

export function SetupScreen() {
  const load = useLoad('/setup', 60);
  return html`<h1>Setup</h1>
    <${Loaded} load=${load} what="the setup">${(data) => html`
      <${Facts} data=${data} />
      <section class="panel"><h2>Self-test</h2><${Rows} label="Self-test" rows=${data.selfTest} empty="No self-test was run." columns=${[
        { name: 'State', cell: (row) => html`<${Check} state=${row.state} />` },
        { name: 'Check', head: true, cell: (row) => row.check },
        { name: 'Found', wrap: true, cell: (row) => row.text },
      ]} /></section>
      <section class="panel"><h2>Configuration</h2><${Rows} label="Configuration" rows=${data.configuration} empty="All properties have their default values." columns=${[
        { name: 'Key', head: true, wrap: true, cell: (row) => html`<code>${row.key}</code>` },
        { name: 'Value', wrap: true, cell: (row) => html`<code>${text(row.value)}</code>` },
        { name: 'Source', wrap: true, cell: (row) => html`<span class="muted">${text(row.origin)}</span>` },
      ]} /></section>
      <div class="charts">
        <section class="panel"><h2>Kernel</h2><${Rows} label="Kernel" rows=${data.kernel} empty="Not readable here." columns=${[
          { name: 'Setting', head: true, cell: (row) => html`<code>${row.name}</code>` },
          { name: 'Value', number: true, cell: (row) => text(row.value) },
          { name: 'Meaning', wrap: true, cell: (row) => row.meaning },
        ]} /></section>
        <section class="panel"><h2>Thresholds</h2><${Rows} label="Thresholds" rows=${data.thresholds} empty="No thresholds" columns=${[
          { name: 'Figure', head: true, cell: (row) => row.figure },
          { name: 'Watch', number: true, cell: (row) => mark(row.watch) },
          { name: 'Bad', number: true, cell: (row) => mark(row.bad) },
          { name: 'Unit', cell: (row) => text(row.unit) },
        ]} /></section>
      </div>`}<//>`;
}
