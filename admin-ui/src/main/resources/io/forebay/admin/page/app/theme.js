/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The theme (light, dark or the system's), whether single keys are on, whether charts are tables, and what the browser stores: these, and that the first steps are hidden. */
import { effect, signal } from '@preact/signals';

export function stored(key, fallback) {
  try {
    return localStorage.getItem(key) ?? fallback;
  } catch {
    return fallback;
  }
}

export function keep(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // the browser stores nothing; the choice applies to this page only
  }
}

const system = matchMedia('(prefers-color-scheme: dark)');

export const theme = signal(stored('forebay.theme', 'system'));
export const singleKeys = signal(stored('forebay.keys', 'on'));
export const dark = signal(false);
/** Whether all charts are shown as tables. */
export const asTables = signal(false);

const NEXT = { system: 'light', light: 'dark', dark: 'system' };
export const nextTheme = () => (theme.value = NEXT[theme.value] ?? 'system');

export function startTheme() {
  const apply = () => {
    const isDark = theme.value === 'dark' || (theme.value === 'system' && system.matches);
    document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
    dark.value = isDark;
  };
  effect(() => {
    apply();
    keep('forebay.theme', theme.value);
    keep('forebay.keys', singleKeys.value);
  });
  system.addEventListener('change', apply);
}
