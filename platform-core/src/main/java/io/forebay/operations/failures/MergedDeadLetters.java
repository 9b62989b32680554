/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.failures;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The dead letters of several sources as one list. Thread-safe. */
public final class MergedDeadLetters implements DeadLetters {

  private final List<Failures> sources;
  private final @Nullable Supplier<? extends Collection<String>> services;

  /** Of a service that does not exist there are none. */
  public MergedDeadLetters(Collection<? extends Failures> sources) {
    this.sources = List.copyOf(sources);
    this.services = null;
  }

  /**
   * @param services the names of all services; others are refused
   */
  public MergedDeadLetters(
      Collection<? extends Failures> sources, Supplier<? extends Collection<String>> services) {
    this.sources = List.copyOf(sources);
    this.services = services;
  }

  private void mustExist(@Nullable String service) {
    if (service != null && services != null && !services.get().contains(service)) {
      throw new IllegalArgumentException(
          "service %s does not exist (known: %s)".formatted(service, services.get()));
    }
  }

  @Override
  public Page page(Filter filter, @Nullable String before, int limit) {
    mustExist(filter.service());
    List<Failure> found = new ArrayList<>();
    boolean more = false;
    for (Failures source : sources) {
      Page page = source.page(filter, before, limit);
      found.addAll(page.failures());
      more |= page.next() != null;
    }
    return FailureCursor.page(found, limit, more);
  }

  @Override
  public List<Group> groups(@Nullable String service, Instant from, Failure.State state) {
    mustExist(service);
    return sources.stream()
        .flatMap(source -> source.groups(service, from, state).stream())
        .sorted(Comparator.comparing(Group::last).reversed())
        .toList();
  }

  @Override
  public long count(String service, Failure.State state, int atMost) {
    long count = sources.stream().mapToLong(it -> it.count(service, state, atMost)).sum();
    return Math.min(atMost, count);
  }

  @Override
  public Optional<Failure> find(String id) {
    return first(sources.stream().map(source -> source.find(id)));
  }

  @Override
  public Optional<FailureValues> values(String id) {
    return first(sources.stream().map(source -> source.values(id)));
  }

  @Override
  public Optional<Failure> replay(String id, String by) {
    return first(sources.stream().map(source -> source.replay(id, by)));
  }

  @Override
  public Optional<Failure> decide(String id, Failure.State to, String by, String reason) {
    return first(sources.stream().map(source -> source.decide(id, to, by, reason)));
  }

  @Override
  public int decideAll(List<String> ids, Failure.State to, String by, String reason) {
    return sources.stream().mapToInt(it -> it.decideAll(ids, to, by, reason)).sum();
  }

  @Override
  public Optional<byte[]> message(String id) {
    return first(sources.stream().map(source -> source.message(id)));
  }

  private static <T> Optional<T> first(Stream<Optional<T>> answers) {
    return answers.flatMap(Optional::stream).findFirst();
  }
}
