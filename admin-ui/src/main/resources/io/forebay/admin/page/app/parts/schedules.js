/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The schedules of jobs: the next and the last run, and the commands. */
import { html } from './html.js';
import { post } from '../api.js';
import { moment, UNKNOWN } from '../format.js';
import { go } from '../router.js';
import { ActDialog, ActionButton, openDialog } from './dialog.js';
import { executionHref, jobHref, JobState } from './jobs.js';
import { Loaded, useLoad } from './load.js';
import { Rows } from './rows.js';

const COMMANDS = {
  pause: { verb: 'Pause', danger: true, reason: 'required', done: 'is paused.', says: 'No further run starts until the schedule is resumed; due times that pass are skipped. A running job continues.' },
  resume: { verb: 'Resume', reason: 'optional', done: 'is resumed.', says: 'The next run starts at the next due time.' },
  run: { verb: 'Run now', reason: 'optional', done: 'has started its job.', says: 'The job starts at once, with the parameters of the schedule and the present time as its due time.' },
};

function ask(schedule, name, again) {
  const command = COMMANDS[name];
  openDialog(ActDialog, {
    title: `${command.verb}: schedule ${schedule.name}?`,
    verb: command.verb,
    danger: command.danger,
    reason: command.reason,
    lines: async () => [command.says],
    done: `${schedule.name} ${command.done}`,
    act: async (reason) => {
      const answer = await post(`/schedules/${encodeURIComponent(schedule.name)}/${name}`, reason ? { reason } : {});
      if (name === 'run') go(executionHref(answer.id));
      again();
    },
  });
}

function Button({ schedule, name, again }) {
  const { verb } = COMMANDS[name];
  return html`<${ActionButton} label=${`${verb}… schedule ${schedule.name}`} onClick=${() => ask(schedule, name, again)}>${verb}…<//>`;
}

function Last({ schedule }) {
  const { due, last, problem } = schedule;
  if (problem) return html`<span class="bad">▲ ${problem}</span>`;
  if (!due) return html`<span class="muted">never</span>`;
  return html`<span class="nowrap">${moment(due)}</span>${last && html` <a href=${executionHref(last.id)}><${JobState} state=${last.state} dead=${last.dead} /></a>`}`;
}

function Next({ schedule }) {
  const { paused, changedBy, reason, next } = schedule;
  if (paused) return html`<span class="state watch">❚❚ Paused by ${changedBy}${reason && `: ${reason}`}</span>`;
  return html`<span class="nowrap">${next ? moment(next) : UNKNOWN}</span>`;
}

export function Schedules({ every }) {
  const load = useLoad('/schedules', every);
  return html`<${Loaded} load=${load} what="the schedules">${({ schedules }) => schedules.length > 0 && html`
    <section class="panel"><h2>Schedules</h2><${Rows} label="Schedules" rows=${schedules} key=${(one) => one.name} empty="" columns=${[
      { name: 'Schedule', head: true, wrap: true, cell: (one) => html`${one.name}<small>${one.cron} ${one.zone}</small>` },
      { name: 'Job', cell: (one) => html`<a href=${jobHref(one.job)}>${one.job}</a>` },
      { name: 'Next run (UTC)', wrap: true, cell: (one) => html`<${Next} schedule=${one} />` },
      { name: 'Last run due (UTC)', wrap: true, cell: (one) => html`<${Last} schedule=${one} />` },
      { name: '', number: true, cell: (one) => html`<span class="row-do"><${Button} schedule=${one} name=${one.paused ? 'resume' : 'pause'} again=${load.again} /><${Button} schedule=${one} name="run" again=${load.again} /></span>` },
    ]} /></section>`}<//>`;
}
