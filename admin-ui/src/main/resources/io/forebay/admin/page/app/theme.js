/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* The theme (light, dark or the system's), which the browser stores. */
import { effect, signal } from '@preact/signals';

const KEY = 'forebay.theme';

function stored() {
  try {
    return localStorage.getItem(KEY) ?? 'system';
  } catch {
    return 'system';
  }
}

function keep(value) {
  try {
    localStorage.setItem(KEY, value);
  } catch {
    // the browser stores nothing; the choice applies to this page only
  }
}

const system = matchMedia('(prefers-color-scheme: dark)');

export const theme = signal(stored());
export const dark = signal(false);

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
    keep(theme.value);
  });
  system.addEventListener('change', apply);
}
