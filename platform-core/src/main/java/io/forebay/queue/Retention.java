/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

/** When a queue deletes messages. */
public enum Retention {
  /** A message is kept while a registered consumer still needs it. */
  BY_CONSUMER,
  /** Messages are deleted at a certain age; a slow consumer can lose some. */
  BY_TIME
}
