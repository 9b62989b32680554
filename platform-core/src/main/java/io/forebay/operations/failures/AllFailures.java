/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.failures;

import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The failed messages of several services as one list. Thread-safe. */
public final class AllFailures implements Failures {

  private static final Logger log = LoggerFactory.getLogger(AllFailures.class);

  private final Map<String, ServiceFailures> services = new TreeMap<>();
  private final Supplier<? extends Collection<String>> known;

  /** Every other service has no failed messages. */
  public AllFailures(Collection<? extends ServiceFailures> services) {
    this(services, List::of);
  }

  /**
   * @param known the names of all services; others are refused, unless there are none
   */
  public AllFailures(
      Collection<? extends ServiceFailures> services,
      Supplier<? extends Collection<String>> known) {
    services.forEach(it -> this.services.put(it.service(), it));
    this.known = known;
  }

  @Override
  public Page page(Filter filter, @Nullable String before, int limit) {
    if (limit < 1 || limit > MAX_LIMIT) {
      throw new IllegalArgumentException(
          "limit is %d, allowed: 1 to %d".formatted(limit, MAX_LIMIT));
    }
    FailureCursor cursor = before == null ? null : FailureCursor.of(before);
    return FailureCursor.page(
        of(filter.service()).flatMap(it -> it.list(filter, cursor, limit + 1).stream()).toList(),
        limit);
  }

  /** Those of a service; those of all if it is null. */
  private Stream<ServiceFailures> of(@Nullable String service) {
    if (service == null) {
      return services.values().stream();
    }
    Collection<String> all = known.get();
    if (!all.isEmpty() && !all.contains(service)) {
      throw new IllegalArgumentException(
          "service %s does not exist (known: %s)".formatted(service, all));
    }
    return Stream.ofNullable(services.get(service));
  }

  @Override
  public List<Group> groups(@Nullable String service, Instant from, Failure.State state) {
    return of(service)
        .flatMap(it -> it.groups(from, state).stream())
        .sorted(Comparator.comparing(Group::last).reversed())
        .toList();
  }

  @Override
  public long count(String service, Failure.State state, int atMost) {
    ServiceFailures of = services.get(service);
    return of == null ? 0 : of.count(state, atMost);
  }

  @Override
  public Optional<Failure> find(String id) {
    return at(id, ServiceFailures::find);
  }

  @Override
  public Optional<FailureValues> values(String id) {
    return at(id, ServiceFailures::values);
  }

  @Override
  public Optional<byte[]> message(String id) {
    return at(id, ServiceFailures::message);
  }

  private <R> Optional<R> at(String id, BiFunction<ServiceFailures, Place, Optional<R>> read) {
    Place place = Place.of(id);
    ServiceFailures of = services.get(place.service());
    return of == null ? Optional.empty() : read.apply(of, place);
  }

  @Override
  public Optional<Failure> replay(String id, String by) {
    return at(id, (of, place) -> of.replay(place, by))
        .flatMap(sent -> {
          log.info("Sent again: {} as {}; requested by {}", id, sent, by);
          return find(id);
        });
  }

  @Override
  public Optional<Failure> decide(String id, Failure.State to, String by, String reason) {
    Optional<Failure> before = find(id);
    if (before.isEmpty()) {
      return Optional.empty();
    }
    before.get().mustAllow(to);
    int decided = decideAll(List.of(id), to, by, reason);
    Optional<Failure> after = find(id);
    if (decided == 0 && after.isPresent()) {
      throw after.get().refusal(to); // another operator decided first
    }
    return after;
  }

  @Override
  public int decideAll(List<String> ids, Failure.State to, String by, String reason) {
    Map<String, List<Place>> places =
        ids.stream().map(Place::of).collect(Collectors.groupingBy(Place::service));
    places.keySet().retainAll(services.keySet());
    if (to == Failure.State.SET_ASIDE) {
      places.forEach((service, chosen) -> mustHaveRoom(service, chosen.size()));
    }
    int decided = 0;
    for (Map.Entry<String, List<Place>> each : places.entrySet()) {
      int ofService = named(each.getKey()).decide(each.getValue(), to, by, reason);
      if (ofService > 0) { // logged at once: a later service may be unavailable
        log.info(
            "{}: now {}; decided by {}",
            ids.size() == 1
                ? ids.getFirst()
                : "%d failed messages of %s".formatted(ofService, each.getKey()),
            to,
            by);
      }
      decided += ofService;
    }
    return decided;
  }

  private void mustHaveRoom(String service, int more) {
    if (named(service).count(Failure.State.SET_ASIDE, MAX_SET_ASIDE) + more > MAX_SET_ASIDE) {
      throw DecisionRefused.full(service);
    }
  }

  private ServiceFailures named(String service) {
    return Objects.requireNonNull(services.get(service));
  }
}
