/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.bench.endpoints.Address;
import io.forebay.bench.endpoints.Customer;
import io.forebay.bench.endpoints.LetterTables;
import io.forebay.chronicle.ChronicleBackend;
import io.forebay.chunk.ChunkFunction;
import io.forebay.chunk.remote.ChunkCodec;
import io.forebay.chunk.remote.ListService;
import io.forebay.chunk.remote.QueueChunks;
import io.forebay.chunk.remote.QueuedService;
import io.forebay.hosting.ServiceQueues;
import io.forebay.queue.QueueBackend;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The services for customers and addresses behind Chronicle queues, in this process. */
final class LettersQueues implements AutoCloseable {

  private final QueueBackend backend;
  private final Served<@Nullable Customer> customers;
  private final Served<@Nullable Address> addresses;

  private record Served<R extends @Nullable Object>(
      QueuedService service, QueueChunks<Long, R> chunks) implements AutoCloseable {

    static <R extends @Nullable Object> Served<R> open(
        QueueBackend backend, ListService<Long, R> service) {
      ServiceQueues queues = ServiceQueues.open(backend, service.name(), 1);
      QueuedService served = new QueuedService(service, queues);
      served.start();
      return new Served<>(served, QueueChunks.to(queues, service.codec()));
    }

    @Override
    public void close() {
      chunks.close();
      service.close();
    }
  }

  private LettersQueues(QueueBackend backend, LetterTables tables) {
    this.backend = backend;
    customers =
        Served.open(
            backend,
            ListService.inOrder(
                "customers", ChunkCodec.of(Long.class, Customer.class), tables::customers));
    addresses =
        Served.open(
            backend,
            ListService.inOrder(
                "addresses", ChunkCodec.of(Long.class, Address.class), tables::addresses));
  }

  static LettersQueues open(Path folder, LetterTables tables) {
    return new LettersQueues(ChronicleBackend.open(folder), tables);
  }

  ChunkFunction<Long, @Nullable Customer> customers() {
    return customers.chunks();
  }

  ChunkFunction<Long, @Nullable Address> addresses() {
    return addresses.chunks();
  }

  @Override
  public void close() {
    try (backend;
        customers;
        addresses) {
      // closed in reverse order
    }
  }
}
