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
import io.forebay.chunk.remote.HttpChunks;
import io.forebay.chunk.remote.HttpOptions;
import io.forebay.chunk.remote.ListService;
import io.forebay.chunk.remote.QueueChunks;
import io.forebay.chunk.remote.QueuedService;
import io.forebay.hosting.ServiceQueues;
import io.forebay.queue.QueueBackend;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The services for customers and addresses.
 *
 * @param owner what is closed with them
 */
record LetterServices(
    ChunkFunction<Long, @Nullable Customer> customers,
    ChunkFunction<Long, @Nullable Address> addresses,
    List<AutoCloseable> owner)
    implements AutoCloseable {

  private static final ChunkCodec<Long, @Nullable Customer> CUSTOMERS =
      ChunkCodec.of(Long.class, Customer.class);
  private static final ChunkCodec<Long, @Nullable Address> ADDRESSES =
      ChunkCodec.of(Long.class, Address.class);

  /** In the process of the product. */
  static LetterServices overHttp(Product product) {
    String base = "http://127.0.0.1:" + product.port() + "/api/v1/chunks/";
    HttpOptions options = HttpOptions.defaults().withToken(product::token);
    HttpChunks<Long, @Nullable Customer> customers =
        HttpChunks.to(URI.create(base + "customers"), CUSTOMERS, options);
    HttpChunks<Long, @Nullable Address> addresses =
        HttpChunks.to(URI.create(base + "addresses"), ADDRESSES, options);
    return new LetterServices(customers, addresses, List.of(customers, addresses));
  }

  /** Behind Chronicle queues, in this process. */
  static LetterServices overQueues(Path folder, LetterTables tables) {
    List<AutoCloseable> owner = new ArrayList<>();
    QueueBackend backend = ChronicleBackend.open(folder);
    owner.add(backend);
    return new LetterServices(
        serve(backend, ListService.inOrder("customers", CUSTOMERS, tables::customers), owner),
        serve(backend, ListService.inOrder("addresses", ADDRESSES, tables::addresses), owner),
        owner);
  }

  private static <R extends @Nullable Object> QueueChunks<Long, R> serve(
      QueueBackend backend, ListService<Long, R> service, List<AutoCloseable> owner) {
    ServiceQueues queues = ServiceQueues.open(backend, service.name(), 1);
    QueuedService served = new QueuedService(service, queues);
    served.start();
    QueueChunks<Long, R> chunks = QueueChunks.to(queues, service.codec());
    owner.addAll(List.of(served, chunks));
    return chunks;
  }

  @Override
  public void close() throws Exception {
    for (AutoCloseable it : owner.reversed()) {
      it.close();
    }
  }
}
