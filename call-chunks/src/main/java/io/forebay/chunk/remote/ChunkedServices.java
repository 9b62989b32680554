/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import io.forebay.chunk.CallCollector;
import io.forebay.chunk.ChunkFunction;
import io.forebay.chunk.Chunked;
import io.forebay.chunk.ChunkedService;
import io.forebay.hosting.ServiceQueues;
import io.forebay.operations.StartRefused;
import io.forebay.queue.QueueBackend;
import java.lang.reflect.Constructor;
import java.lang.reflect.Member;
import java.lang.reflect.Type;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.DependencyDescriptor;
import org.springframework.core.ResolvableType;

/**
 * The services that are injected with {@link Chunked}: each is created for its first injection
 * point, and shared by all. Thread-safe.
 */
final class ChunkedServices implements AutoCloseable {

  private final Map<String, ListService<?, ?>> here;
  private final Map<String, QueuedService> queued;
  private final @Nullable QueueBackend backend;
  private final CallCollector collector;
  private final ChunksProperties properties;
  private final Map<String, Known> known = new HashMap<>();

  /** Closed in reverse order. */
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  private static <S extends ListService<?, ?>> S twice(S one, S other) {
    throw new StartRefused(
        "Two ListService beans have the name %s; give each its own name".formatted(other.name()));
  }

  private record Known(ChunkedService<?, ?> service, ChunkCodec<?, ?> codec) {}

  /**
   * @param here the services of this application
   * @param queued those that it performs from queues
   * @param backend null if there is none
   * @param collector collects the calls of threads that run no body
   */
  ChunkedServices(
      Stream<? extends ListService<?, ?>> here,
      Stream<QueuedService> queued,
      @Nullable QueueBackend backend,
      CallCollector collector,
      ChunksProperties properties) {
    this.here =
        here.collect(
            Collectors.toMap(ListService::name, Function.identity(), ChunkedServices::twice));
    this.queued = queued.collect(Collectors.toMap(QueuedService::name, Function.identity()));
    this.backend = backend;
    this.collector = collector;
    this.properties = properties;
  }

  /**
   * The service for an injection point.
   *
   * @throws StartRefused if there is no such service, or it has other types
   */
  synchronized ChunkedService<?, ?> at(DependencyDescriptor point) {
    Chunked chunked = point.getAnnotation(Chunked.class);
    if (chunked == null) {
      throw new StartRefused(
          "%s has a ChunkedService without a name; annotate it with @Chunked(\"…\"), one of %s"
              .formatted(where(point), names()));
    }
    String name = chunked.value();
    ChunkCodec<?, ?> declared = codec(name, point);
    Known found = known.get(name);
    if (found == null) {
      found = new Known(open(name, declared, point), declared);
      known.put(name, found);
    }
    check(name, point, declared, found.codec());
    return found.service();
  }

  private static ChunkCodec<?, ?> codec(String name, DependencyDescriptor point) {
    ResolvableType service = point.getResolvableType().as(ChunkedService.class);
    if (service.hasUnresolvableGenerics()) {
      throw new StartRefused(
          "%s injects service %s without its types; declare ChunkedService<Argument, Result>"
              .formatted(where(point), name));
    }
    Type argument = service.getGeneric(0).getType();
    return ChunkCodec.of(argument, service.getGeneric(1).getType());
  }

  private static String where(DependencyDescriptor point) {
    Member member = point.getMember();
    String type = member.getDeclaringClass().getSimpleName();
    return member instanceof Constructor ? type : type + "." + member.getName();
  }

  private static void check(
      String name, DependencyDescriptor point, ChunkCodec<?, ?> declared, ChunkCodec<?, ?> actual) {
    if (!declared.types().equals(actual.types())) {
      throw new StartRefused(
          "%s injects service %s as %s, but it is %s; declare these types"
              .formatted(where(point), name, declared.types(), actual.types()));
    }
  }

  private <A, R extends @Nullable Object> ChunkedService<A, R> open(
      String name, ChunkCodec<A, R> codec, DependencyDescriptor point) {
    ChunkServiceProperties of = properties.service(name);
    return collector.service(name, transport(name, codec, of, point), of.options(), codec::sizeOf);
  }

  private <A, R extends @Nullable Object> ChunkFunction<A, R> transport(
      String name, ChunkCodec<A, R> codec, ChunkServiceProperties of, DependencyDescriptor point) {
    if (of.isOverHttp()) {
      return closed(HttpChunks.to(of.address(), codec, of.httpOptions()));
    }
    ListService<?, ?> local = here.get(name);
    if (local != null) {
      check(name, point, codec, local.codec());
      QueuedService served = queued.get(name);
      return served == null
          ? local.function(codec)
          : overQueues(new ServiceQueues(name, served.in(), served.out()), codec, of);
    }
    if (!of.isOverQueue()) {
      throw new StartRefused(
          "%s injects service %s, but this application has only the services %s; define a ListService bean with this name, or set forebay.chunks.services.%s.at to queue or to an address"
              .formatted(where(point), name, names(), name));
    }
    if (backend == null || !backend.isShared()) {
      throw new StartRefused(
          "forebay.chunks.services.%s.at is queue, but no other process can perform the service, because backend %s is not shared; use backend kafka, or call the service over HTTP"
              .formatted(name, backend == null ? "none" : backend.name()));
    }
    return overQueues(closed(ServiceQueues.open(backend, name, of.partitions())), codec, of);
  }

  private <A, R extends @Nullable Object> ChunkFunction<A, R> overQueues(
      ServiceQueues queues, ChunkCodec<A, R> codec, ChunkServiceProperties of) {
    return closed(QueueChunks.to(queues, codec, of.timeout()));
  }

  private <T extends AutoCloseable> T closed(T resource) {
    opened.push(resource);
    return resource;
  }

  private List<String> names() {
    TreeSet<String> names = new TreeSet<>(here.keySet());
    properties
        .services()
        .forEach((name, service) -> {
          if (service.at() != null) {
            names.add(name);
          }
        });
    return List.copyOf(names);
  }

  @Override
  public synchronized void close() throws Exception {
    while (!opened.isEmpty()) {
      opened.pop().close();
    }
  }
}
