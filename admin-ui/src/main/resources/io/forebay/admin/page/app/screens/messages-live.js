/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The newest messages of a queue, as they come. The stream ends when the screen is left, hidden or paused. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { html } from '../parts/html.js';
import { events, path } from '../api.js';
import { clock, count, counted } from '../format.js';
import { Rows } from '../parts/rows.js';
import { route } from '../router.js';
import { messageColumns, messageKey } from './message.js';

const MOST_SHOWN = 500;
const RETRY_MILLIS = 2000;
/** Of a queue that many messages pass, the server sends only the newest. */
const LIMIT = 50;

/** "50 of 2,000 new messages shown", or with a filter "2 of 300 new messages match". */
export function arrivals({ arrived, looked, matched, messages }, filtered) {
  if (arrived === 0) return 'no new message';
  const shown = matched > messages.length ? `, ${count(messages.length)} of them shown` : '';
  if (!filtered) return messages.length < arrived ? `${count(messages.length)} of ${counted(arrived, 'new message')} shown` : counted(arrived, 'new message');
  return `${count(matched)} of ${counted(looked, 'new message')} match${shown}${looked < arrived ? `; ${count(arrived - looked)} more were not searched` : ''}`;
}

const visible = () => document.visibilityState === 'visible';

function useTail(queue, query, paused) {
  const [state, setState] = useState({ rows: [], news: null, at: null, problem: null, link: 'connecting' });
  const after = useRef('');
  const { partition = '', id = '', key = '', statement = '' } = query;
  const address = path(`/queues/${encodeURIComponent(queue)}/tail`, { partition, id, key, statement, limit: LIMIT });
  const asked = useRef(address);
  if (asked.current !== address) {
    asked.current = address;
    after.current = '';
  }
  useEffect(() => {
    if (paused) return undefined;
    let control = null;
    let timer = null;
    const heard = (name, data) => {
      if (name === 'problem') return setState((before) => ({ ...before, problem: data.detail, link: 'lost' }));
      const first = after.current === '';
      after.current = data.after;
      return setState((before) => ({ rows: [...data.messages, ...(first ? [] : before.rows)].slice(0, MOST_SHOWN), news: data, at: new Date(), problem: null, link: 'live' }));
    };
    const open = async () => {
      clearTimeout(timer);
      if (!visible() || control) return;
      control = new AbortController();
      const mine = control;
      try {
        await events(address + (after.current && `&after=${encodeURIComponent(after.current)}`), { signal: mine.signal, heard });
      } catch (problem) {
        if (mine.signal.aborted) return;
        setState((before) => ({ ...before, problem: problem.message ?? 'The connection was lost.', link: 'lost' }));
        if (problem.status >= 400 && problem.status < 500 && problem.status !== 429) return;
      }
      control = null;
      timer = setTimeout(open, RETRY_MILLIS);
    };
    const close = () => {
      clearTimeout(timer);
      control?.abort();
      control = null;
    };
    const seen = () => (visible() ? open() : close());
    document.addEventListener('visibilitychange', seen);
    open();
    return () => {
      document.removeEventListener('visibilitychange', seen);
      close();
    };
  }, [address, paused]);
  return state;
}

/** Rows do not move under the pointer or the focus: they are held until it leaves. */
function useHeld(rows) {
  const [held, setHeld] = useState(null);
  const hold = () => setHeld((before) => before ?? rows);
  const free = (event) => event.currentTarget.contains(event.relatedTarget) || setHeld(null);
  return { shown: held ?? rows, isHeld: held !== null, props: { onMouseEnter: hold, onFocusIn: hold, onMouseLeave: () => setHeld(null), onFocusOut: free } };
}

export function LiveMessages({ queue, partitions, query }) {
  const [paused, setPaused] = useState(false);
  const { rows, news, at, problem, link } = useTail(queue, query, paused);
  const { shown, isHeld, props } = useHeld(rows);
  const filtered = query.id || query.key || query.statement;
  const now = paused ? '❚❚ Paused; the messages that come meanwhile are skipped if they are many' : link === 'live' ? `● Live, ${clock(at)} UTC: ${arrivals(news, filtered)}${isHeld ? '; rows are held while you point at them' : ''}` : 'Connecting…';
  return html`<section class="panel messages live">
    <div class="head"><p class="muted" data-live=${paused ? 'paused' : link}>${now}</p>
      <div class="buttons"><button type="button" onClick=${() => setPaused(!paused)}>${paused ? 'Continue' : 'Pause'}</button></div></div>
    ${problem && !paused && html`<p class="error" role="status">▲ ${problem}</p>`}
    <div ...${props}><${Rows} label=${`Newest messages of ${queue}`} rows=${shown} key=${messageKey} columns=${messageColumns(route.value, partitions)} empty=${filtered ? 'No match yet' : 'No message yet'} /></div>
  </section>`;
}
