/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.letters;

import org.jspecify.annotations.Nullable;

/** Finds what a letter needs, for one contract after the other. Thread-safe. */
public interface Lookups {

  /** Null if there is none. */
  @Nullable Customer customer(long id) throws Exception;

  /** Null if there is none. */
  @Nullable Address address(long customer) throws Exception;
}
