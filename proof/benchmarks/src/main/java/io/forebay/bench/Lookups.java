/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.bench.endpoints.Address;
import io.forebay.bench.endpoints.Customer;
import org.jspecify.annotations.Nullable;

/** Looks up the customer and the address for one contract at a time. Thread-safe. */
interface Lookups {

  /** Returns null if there is none. */
  @Nullable Customer customer(long id) throws Exception;

  /** Returns null if there is none. */
  @Nullable Address address(long customer) throws Exception;
}
