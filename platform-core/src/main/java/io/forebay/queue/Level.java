/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

/** What an acknowledged message survives, from weak to strong. */
public enum Level {
  /** Nothing: it is lost with the process. */
  MEMORY,
  /** The death of the process (kill -9), but not a power failure of the host. */
  PROCESS,
  /** A power failure of the host: it was forced to disk. */
  DISK,
  /** The loss of one host: enough replicas have it. */
  REPLICATED
}
