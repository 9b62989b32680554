/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import org.jspecify.annotations.Nullable;

/**
 * What {@link MessageQueue#verify} found.
 *
 * @param from the position where it began to read
 * @param end the position behind the last good message
 * @param damage what is wrong at {@code end}, where reading stopped; null if nothing is
 */
public record Verification(long from, long end, @Nullable String damage) {
  public boolean good() {
    return damage == null;
  }
}
