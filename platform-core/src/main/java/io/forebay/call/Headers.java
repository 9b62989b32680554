/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * @param source the position of the message that this one answers, or −1
 */
record Headers(
    @Nullable String client, @Nullable String key, @Nullable UUID replayOf, long source) {

  static final Headers NONE = new Headers(null, null, null, -1);

  static final String CLIENT = "client";
  static final String KEY = "key";
  static final String REPLAY_OF = "replayOf";
  static final String SOURCE = "source";
}
