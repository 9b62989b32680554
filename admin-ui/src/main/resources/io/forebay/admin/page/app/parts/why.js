/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* One tooltip for all [data-why]: shown on hover and focus, stays while the pointer is on it; Escape closes it. */

const box = document.createElement('div');
box.id = 'why';
box.hidden = true;
box.setAttribute('role', 'tooltip');

let shown = null;

function show(element) {
  shown = element;
  box.textContent = element.dataset.why;
  const host = element.closest('dialog') ?? document.body;
  if (box.parentNode !== host) host.append(box);
  box.hidden = false;
  const at = element.getBoundingClientRect();
  const width = box.offsetWidth;
  box.style.left = Math.max(8, Math.min(at.left, document.documentElement.clientWidth - width - 8)) + 'px';
  const below = at.bottom + 6;
  box.style.top = (below + box.offsetHeight > innerHeight ? at.top - box.offsetHeight - 6 : below) + 'px';
}

function hide() {
  shown = null;
  box.hidden = true;
}

export function startWhy() {
  document.body.append(box);
  const near = (event) => event.target.closest?.('[data-why]');
  document.addEventListener('pointerover', (event) => {
    const element = near(event);
    if (element) show(element);
    else if (shown && !box.contains(event.target)) hide();
  });
  document.addEventListener('focusin', (event) => {
    const element = near(event);
    if (element) show(element);
    else if (shown) hide();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !shown) return;
    hide();
    event.preventDefault();
    event.stopPropagation();
  }, true);
  addEventListener('scroll', hide, { passive: true });
}
