/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * A row out of sight is redrawn at least once in 120 frames, so that a search in the page finds it. So a page of 200 services
 * costs no more than one of 20. A row near the window is redrawn with each frame, so that it is up to date when it comes into sight.
 */
import { effect, signal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { frame } from '../store.js';

const OUT_OF_SIGHT_FRAMES = 120;
const MARGIN = '120px';

/** @type {WeakMap<Element, (inSight: boolean) => void>} */
const watched = new WeakMap();
const observer = new IntersectionObserver(
  (entries) => entries.forEach((entry) => watched.get(entry.target)?.(entry.isIntersecting)),
  { rootMargin: MARGIN },
);

/** Each redraws a row out of sight; in the order of their turns. @type {Set<() => void>} */
const outOfSight = new Set();

effect(() => {
  frame.value;
  for (const redraw of [...outOfSight].slice(0, Math.ceil(outOfSight.size / OUT_OF_SIGHT_FRAMES))) {
    outOfSight.delete(redraw);
    outOfSight.add(redraw);
    redraw();
  }
});

/** A signal that follows `source` while the element of the returned `ref` is in sight, and less often otherwise. */
export function useWhileInSight(source) {
  const ref = useRef(null);
  const shown = useMemo(() => signal(source.peek()), [source]);
  useEffect(() => {
    const element = ref.current;
    const redraw = () => (shown.value = source.peek());
    const follow = () => effect(() => {
      shown.value = source.value;
    });
    let stop = follow();
    watched.set(element, (isInSight) => {
      stop();
      outOfSight.delete(redraw);
      if (isInSight) stop = follow();
      else outOfSight.add(redraw);
    });
    observer.observe(element);
    return () => {
      stop();
      outOfSight.delete(redraw);
      observer.unobserve(element);
      watched.delete(element); // what was observed before may still be told
    };
  }, [source]);
  return { ref, shown };
}
