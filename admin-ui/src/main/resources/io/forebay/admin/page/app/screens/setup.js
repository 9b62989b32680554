/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* This instance: its version, its configuration, and what it found out about its machine. */
import { html } from '../parts/html.js';
import { counted, number, since, UNKNOWN } from '../format.js';
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

const HARM = {
  loss: 'Data loss',
  access: 'Access by others',
  outage: 'Outage',
  delay: 'Delay',
  unfinished: 'Unfinished',
};

const isProblem = ({ state }) => state === 'failed' || state === 'warn';

/** The server sorts the results, the worst first. */
function Checks({ results }) {
  const problems = results.filter(isProblem);
  const others = results.filter((one) => !isProblem(one));
  return html`<section class="panel"><h2>To change${problems.length > 0 && html` <small>${counted(problems.length, 'problem')}, the worst first</small>`}</h2><${Rows} label="To change" rows=${problems} empty="Nothing: no check found a problem." columns=${[
      { name: 'Check', head: true, cell: (row) => row.check },
      { name: 'State', cell: (row) => html`<${Check} state=${row.state} />` },
      { name: 'Can lead to', cell: (row) => HARM[row.harm] ?? UNKNOWN },
      { name: 'Found', wrap: true, cell: (row) => row.text },
      { name: 'Change', wrap: true, cell: (row) => row.change ?? 'See what was found.' },
    ]} /></section>
    <details class="panel"><summary>Other checks <small>${others.length}</small></summary><${Rows} label="Other checks" rows=${others} empty="No other check was run." columns=${[
      { name: 'Check', head: true, cell: (row) => row.check },
      { name: 'State', cell: (row) => html`<${Check} state=${row.state} />` },
      { name: 'Found', wrap: true, cell: (row) => row.text },
    ]} /></details>`;
}

const SETTINGS = [
  { name: 'Key', head: true, wrap: true, cell: (row) => html`<code>${row.key}</code>` },
  { name: 'Value', wrap: true, cell: (row) => html`<code>${text(row.value)}</code>` },
  { name: 'Source', wrap: true, cell: (row) => html`<span class="muted">${text(row.origin)}</span>` },
];

/** What is set comes before what has its default. */
function Configuration({ settings }) {
  const isDefault = ({ origin }) => origin === 'default';
  const defaults = settings.filter(isDefault);
  return html`<section class="panel"><h2>Configuration</h2><${Rows} label="Configuration" rows=${settings.filter((one) => !isDefault(one))} empty="All properties have their default values." columns=${SETTINGS} />
      <details><summary>Default values <small>${defaults.length}</small></summary><${Rows} label="Default values" rows=${defaults} empty="No property has its default value." columns=${SETTINGS} /></details></section>`;
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
      <${Checks} results=${data.selfTest} />
      <${Configuration} settings=${data.configuration} />
      <div class="charts">
        <section class="panel"><h2>Kernel</h2><${Rows} label="Kernel" rows=${data.kernel} empty="Not readable here." columns=${[
          { name: 'Setting', head: true, cell: (row) => html`<code>${row.name}</code>` },
          { name: 'Value', wrap: true, cell: (row) => text(row.value) },
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
