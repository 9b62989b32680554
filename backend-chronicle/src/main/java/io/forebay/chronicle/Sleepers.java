/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * The threads that sleep until a message is appended. While none sleeps, an append pays one
 * volatile read. Thread-safe.
 */
final class Sleepers {

  private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

  /** Whether a thread may have been added since the last {@link #wake}. */
  private volatile boolean any;

  /**
   * Adds the calling thread. It must look for messages again before it sleeps: one that was
   * appended meanwhile does not wake it.
   */
  void add() {
    threads.add(Thread.currentThread());
    any = true;
  }

  /** Removes the calling thread. */
  void remove() {
    threads.remove(Thread.currentThread());
  }

  /** Called when a message can be read. */
  void wake() {
    if (any) {
      any = false;
      threads.forEach(LockSupport::unpark);
    }
  }
}
