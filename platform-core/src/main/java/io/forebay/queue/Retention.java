/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

/** When a queue deletes messages. */
public enum Retention {
  /** Nothing that a registered consumer still needs is deleted. */
  BY_CONSUMER,
  /** Messages are deleted at an age; a slow consumer can lose some. */
  BY_TIME
}
