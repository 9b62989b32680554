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
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The failed messages of all services as one list, newest first, with what operators decide about
 * them: messages that a service could not decode, statements that failed, and calls whose component
 * threw. Thread-safe.
 *
 * <p>A gateway keeps them as long as results, and one that could not be decoded until its replay
 * took effect; other services keep them for the time that the service defines.
 *
 * <p>Every method throws {@link io.forebay.service.progress.Unavailable} if the database does not
 * respond.
 */
public final class Failures {

  /** The most failures of a state that are counted per service. */
  public static final int MAX_COUNTED = 10_000;

  /** The most failed messages of a service that are set aside. */
  public static final int MAX_SET_ASIDE = 10_000;

  /** The most failures of a page. */
  public static final int MAX_LIMIT = 500;

  /** The most failures of a selection. */
  public static final int MAX_SELECTED = 10_000;

  private static final Logger log = LoggerFactory.getLogger(Failures.class);

  private final Map<String, ServiceFailures> services = new TreeMap<>();
  private final Supplier<? extends Collection<String>> known;

  /** Every other service has no failed messages. */
  public Failures(Collection<? extends ServiceFailures> services) {
    this(services, List::of);
  }

  /**
   * @param known the names of all services; others are refused, unless there are none
   */
  public Failures(
      Collection<? extends ServiceFailures> services,
      Supplier<? extends Collection<String>> known) {
    services.forEach(it -> this.services.put(it.service(), it));
    this.known = known;
  }

  /**
   * Returns one page.
   *
   * @param service only failures of this service; null for all
   * @param before where the page begins, a {@link Page#next()}; null for the first page
   * @param limit how many, from 1 to {@link #MAX_LIMIT}
   * @throws IllegalArgumentException if {@code before} does not come from a page, the limit is not
   *     allowed, or there is no such service
   */
  public Page list(@Nullable String service, @Nullable String before, int limit) {
    return page(new Filter(service, null, null), before, limit);
  }

  /** Like {@link #list(String, String, int)}, with a filter. */
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

  /** The failures of a service; of all if it is null. */
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

  /**
   * Selects the messages of a group that failed before a time: of more than {@link #MAX_SELECTED}
   * the newest.
   *
   * @param filter names service and error
   */
  public Selection select(Filter filter, Instant before) {
    List<Failure> newest = new ArrayList<>();
    @Nullable String next = FailureCursor.before(before).text();
    do {
      Page page = page(filter, next, MAX_LIMIT);
      newest.addAll(page.failures());
      next = page.next();
    } while (next != null && newest.size() < MAX_SELECTED);
    return new Selection(
        filter,
        newest.isEmpty() ? null : newest.getLast().detail(),
        newest.reversed().stream().map(Failure::id).toList());
  }

  /** The groups of open failures; see {@link #groups(String, Instant, Failure.State)}. */
  public List<Group> groups(@Nullable String service, Instant from) {
    return groups(service, from, Failure.State.OPEN);
  }

  /**
   * Groups failures by service, error and cause. Of each service only the newest {@link
   * #MAX_COUNTED} in the state are counted.
   *
   * @param service only failures of this service; null for all
   * @param from only failures since this time
   * @param state only failures in this state
   */
  public List<Group> groups(@Nullable String service, Instant from, Failure.State state) {
    return of(service)
        .flatMap(it -> it.groups(from, state).stream())
        .sorted(Comparator.comparing(Group::last).reversed())
        .toList();
  }

  /**
   * Counts the failures of a service in a state. At a gateway it reads no more rows of an index
   * than it counts; another service reads its queue of dead letters.
   *
   * @param atMost where the count ends; positive
   * @return 0 if there is no such service
   */
  public long count(String service, Failure.State state, int atMost) {
    ServiceFailures of = services.get(service);
    return of == null ? 0 : of.count(state, atMost);
  }

  public Optional<Failure> find(String id) {
    return at(id, (of, where) -> of.find(where));
  }

  /** Finds messages of a service; those that are missing have no element. */
  List<Failure> find(String service, List<String> ids) {
    ServiceFailures of = services.get(service);
    return of == null ? List.of() : of.find(ids.stream().map(FailureId::of).toList());
  }

  /**
   * Reads the content of a message, which may be personal data. Nothing records that it was read:
   * the caller must do so, and must not log it.
   *
   * @return empty if there is no such message
   * @throws IllegalArgumentException if it is not an id
   */
  public Optional<FailureValues> values(String id) {
    return at(id, ServiceFailures::values);
  }

  /**
   * Reads the bytes of a message as it was received. They may contain personal data: as for {@link
   * #values}, the caller must record that they were read.
   *
   * @return empty if there is no such message, or it was too large to be kept
   * @throws IllegalArgumentException if it is not an id
   */
  public Optional<byte[]> message(String id) {
    return at(id, ServiceFailures::message);
  }

  private <R> Optional<R> at(String id, BiFunction<ServiceFailures, FailureId, Optional<R>> read) {
    FailureId where = FailureId.of(id);
    ServiceFailures of = services.get(where.service());
    return of == null ? Optional.empty() : read.apply(of, where);
  }

  /**
   * Replays a message: appends a new message with a new id and the same calls to the same
   * partition. The new message is accepted when this returns. If the process dies before that, the
   * new message may be accepted although the replay is not shown.
   *
   * <p>At a gateway the new message has the same idempotency key, or one derived from its position,
   * so it takes effect once, however often it is replayed. Another service refuses a second replay
   * of the same message; it may perform it twice if the process died as above, or if two instances
   * replay it at the same time.
   *
   * @param by who requested the replay
   * @return the updated failure; empty if there is no such message
   * @throws DecisionRefused if it has already taken effect, was discarded, or still cannot be
   *     decoded
   * @throws io.forebay.queue.QueueRefused if the queue refuses it
   */
  public Optional<Failure> replay(String id, String by) {
    List<ServiceFailures.Replayed> sent =
        replay(FailureId.of(id).service(), List.of(id), _ -> true, by);
    for (ServiceFailures.Replayed one : sent) {
      if (one.failure() != null) {
        throw one.failure();
      }
    }
    return sent.isEmpty() ? Optional.empty() : find(id);
  }

  /** Replays messages of a service; see {@link ServiceFailures#replay}. */
  List<ServiceFailures.Replayed> replay(
      String service, List<String> ids, Predicate<Failure> wanted, String by) {
    ServiceFailures of = services.get(service);
    List<ServiceFailures.Replayed> all =
        of == null ? List.of() : of.replay(ids.stream().map(FailureId::of).toList(), wanted, by);
    all.stream()
        .filter(it -> it.as() != null)
        .forEach(
            it -> log.info("Sent again: {} as {}; requested by {}", it.id().text(), it.as(), by));
    return all;
  }

  /**
   * Sets a message aside, reopens it or discards it. The decision survives a crash once this
   * returns. A replay that another operator requests at the same time may still take effect; the
   * message then counts as replayed.
   *
   * <p>If several operators decide at the same time, also at several instances, the first decision
   * counts, and the others are refused if the new state does not allow them.
   *
   * <p>A failed message of a gateway that is set aside is kept until it is replayed, reopened or
   * discarded; {@link Failures} says how long others are kept. One of another service is kept for
   * the time that the service defines, whatever was decided.
   *
   * @param to {@link Failure.State#SET_ASIDE}, {@link Failure.State#DISCARDED}, or {@link
   *     Failure.State#OPEN} to reopen it
   * @param by who decided
   * @param reason may be empty
   * @return the updated failure; empty if there is no such message
   * @throws DecisionRefused if the state of the message does not allow it, or {@link
   *     #MAX_SET_ASIDE} are set aside
   */
  public Optional<Failure> decide(String id, Failure.State to, String by, String reason) {
    int decided = decideAll(List.of(id), to, by, reason);
    Optional<Failure> after = find(id);
    if (decided == 0 && after.isPresent()) {
      throw after.get().refusal(to); // another operator decided first
    }
    return after;
  }

  /**
   * Decides about several messages, as {@link #decide} does. Those that are gone, or whose state no
   * longer allows it, are left out. A gateway stores all of its own in one transaction.
   *
   * @return about how many it decided
   * @throws DecisionRefused if more than {@link #MAX_SET_ASIDE} of a service would be set aside;
   *     nothing is decided then
   */
  public int decideAll(List<String> ids, Failure.State to, String by, String reason) {
    Map<String, List<FailureId>> places =
        ids.stream().map(FailureId::of).collect(Collectors.groupingBy(FailureId::service));
    places.keySet().retainAll(services.keySet());
    if (to == Failure.State.SET_ASIDE) {
      places.forEach((service, chosen) -> mustHaveRoom(service, chosen.size()));
    }
    int decided = 0;
    for (Map.Entry<String, List<FailureId>> each : places.entrySet()) {
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
      throw new DecisionRefused(
          "too many messages of %s are set aside (limit=%,d); replay, reopen or discard some of them first; nothing was changed"
              .formatted(service, MAX_SET_ASIDE));
    }
  }

  private ServiceFailures named(String service) {
    return Objects.requireNonNull(services.get(service));
  }

  /**
   * Selects failures.
   *
   * @param service null for all
   * @param error see {@link Group#error()}; null for all
   * @param cause null for all
   * @param state null for all
   */
  public record Filter(
      @Nullable String service,
      @Nullable String error,
      @Nullable Cause cause,
      Failure.@Nullable State state) {

    /** Of all causes. */
    public Filter(@Nullable String service, @Nullable String error, Failure.@Nullable State state) {
      this(service, error, null, state);
    }
  }

  /**
   * What failed, and on what. Contains no values.
   *
   * @param statement the name of the statement in the catalogue, such as {@code orders.place}, of
   *     all versions; null if the message has SQL text, or if it is not known
   * @param on what the database named, such as {@code constraint orders_pkey, table orders}; null
   *     if it named nothing, or if it is not known
   */
  public record Cause(@Nullable String statement, @Nullable String on) {

    public static final Cause UNKNOWN = new Cause(null, null);

    private static final String BETWEEN = "~";

    /** Reads {@link #text}; a name of the catalogue has no tilde. Returns null for null. */
    public static @Nullable Cause of(@Nullable String text) {
      if (text == null) {
        return null;
      }
      String[] parts = text.split(BETWEEN, 2);
      return new Cause(part(parts, 0), part(parts, 1));
    }

    private static @Nullable String part(String[] parts, int index) {
      return index >= parts.length || parts[index].isEmpty() ? null : parts[index];
    }

    /** Statement, tilde, what it failed on. */
    public String text() {
      return Objects.requireNonNullElse(statement, "")
          + BETWEEN
          + Objects.requireNonNullElse(on, "");
    }
  }

  /**
   * Failures of one kind.
   *
   * @param error the SQLState of the database, or the kind of the failure if there is none
   * @param text the description of one of them, written by Forebay, without values
   * @param count how many are in the state that was asked for; text, first and last are of these
   * @param capped whether there are more than counted
   * @param lastMinute how many of the count failed in the last minute
   */
  public record Group(
      String service,
      String error,
      Cause cause,
      String text,
      long count,
      boolean capped,
      long lastMinute,
      Instant first,
      Instant last) {

    /** The same of a service with more failures than are counted. */
    public Group withCapped() {
      return new Group(service, error, cause, text, count, true, lastMinute, first, last);
    }
  }

  /**
   * @param next where the next page begins; null if there is none
   */
  public record Page(List<Failure> failures, @Nullable String next) {

    public Page {
      failures = List.copyOf(failures);
    }
  }
}
