/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.bench.endpoints.Address;
import io.forebay.bench.endpoints.Customer;
import io.forebay.chunk.ChunkFunction;
import io.forebay.chunk.Reply;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Calls the services with one call per chunk, and waits for each. */
final class SingleCalls implements Lookups {

  private final ChunkFunction<Long, @Nullable Customer> customers;
  private final ChunkFunction<Long, @Nullable Address> addresses;

  /** Makes the calls through the given transports. */
  SingleCalls(
      ChunkFunction<Long, @Nullable Customer> customers,
      ChunkFunction<Long, @Nullable Address> addresses) {
    this.customers = customers;
    this.addresses = addresses;
  }

  @Override
  public @Nullable Customer customer(long id) throws Exception {
    return one(customers, id);
  }

  @Override
  public @Nullable Address address(long customer) throws Exception {
    return one(addresses, customer);
  }

  private static <R> @Nullable R one(ChunkFunction<Long, @Nullable R> service, long key)
      throws Exception {
    Reply<@Nullable R> reply = service.perform(List.of(key)).toCompletableFuture().get().getFirst();
    if (reply instanceof Reply.Failure<?>(int ignored, Exception failure)) {
      throw failure;
    }
    return ((Reply.Result<@Nullable R>) reply).value();
  }
}
