/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * A row out of sight is redrawn only twice a minute. So a page of 200 services costs no more than one of 20;
 * a row that comes into sight is up to date before it is painted.
 */
import { effect, signal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';

const OUT_OF_SIGHT_EVERY = 30;
const MARGIN = '120px';

/** @type {WeakMap<Element, (inSight: boolean) => void>} */
const watched = new WeakMap();
const observer = new IntersectionObserver(
  (entries) => entries.forEach((entry) => watched.get(entry.target)?.(entry.isIntersecting)),
  { rootMargin: MARGIN },
);

let next = 0;

/** A signal that follows `source` while the element of the returned `ref` is in sight, and less often otherwise. */
export function useWhileInSight(source) {
  const ref = useRef(null);
  const shown = useMemo(() => signal(source.peek()), [source]);
  useEffect(() => {
    let inSight = true;
    let turn = next++ % OUT_OF_SIGHT_EVERY;
    const element = ref.current;
    watched.set(element, (is) => {
      inSight = is;
      if (is) shown.value = source.peek();
    });
    observer.observe(element);
    const stop = effect(() => {
      const value = source.value;
      turn = (turn + 1) % OUT_OF_SIGHT_EVERY;
      if (inSight || turn === 0) shown.value = value;
    });
    return () => {
      stop();
      observer.unobserve(element);
    };
  }, [source]);
  return { ref, shown };
}
