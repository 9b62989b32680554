/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.failures;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Lists failed messages, newest first, and replays them: those that a service could not decode,
 * statements that failed, and calls whose component threw. Thread-safe.
 *
 * <p>A gateway keeps them as long as results, and one that could not be decoded until its replay
 * took effect; other services keep them for the time that the service defines.
 *
 * <p>Every method throws {@link io.forebay.service.progress.Unavailable} if the database does not
 * respond.
 */
public interface Failures {

  /** The most failures of a state that are counted per service. */
  int MAX_COUNTED = 10_000;

  /** The most failed messages of a service that are set aside. */
  int MAX_SET_ASIDE = 10_000;

  /** The most failures of a page. */
  int MAX_LIMIT = 500;

  /**
   * Returns one page.
   *
   * @param service only failures of this service; null for all @param before where the page begins,
   *     a {@link Page#next()}; null for the first page
   * @param limit how many, from 1 to {@link #MAX_LIMIT}
   * @throws IllegalArgumentException if {@code before} does not come from a page, the limit is not
   *     allowed, or there is no such service
   */
  default Page list(@Nullable String service, @Nullable String before, int limit) {
    return page(new Filter(service, null, null), before, limit);
  }

  /** Like {@link #list(String, String, int)}, with a filter. */
  Page page(Filter filter, @Nullable String before, int limit);

  /** The groups of open failures; see {@link #groups(String, Instant, Failure.State)}. */
  default List<Group> groups(@Nullable String service, Instant from) {
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
  List<Group> groups(@Nullable String service, Instant from, Failure.State state);

  /**
   * Counts the failures of a service in a state. At a gateway it reads no more rows of an index
   * than it counts; another service reads its queue of dead letters.
   *
   * @param atMost where the count ends; positive
   * @return 0 if there is no such service
   */
  long count(String service, Failure.State state, int atMost);

  Optional<Failure> find(String id);

  /**
   * Reads the content of a message, which may be personal data. Nothing records that it was read:
   * the caller must do so, and must not log it.
   *
   * @return empty if there is no such message
   * @throws IllegalArgumentException if it is not an id
   */
  Optional<FailureValues> values(String id);

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
   * @throws ReplayRefused if it has already taken effect, was discarded, or still cannot be decoded
   * @throws io.forebay.queue.QueueRefused if the queue refuses it
   */
  Optional<Failure> replay(String id, String by);

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
  Optional<Failure> decide(String id, Failure.State to, String by, String reason);

  /**
   * Decides about several messages, as {@link #decide} does. Those that are gone, or whose state no
   * longer allows it, are left out. A gateway stores all of its own in one transaction.
   *
   * @return about how many it decided
   * @throws DecisionRefused if more than {@link #MAX_SET_ASIDE} of a service would be set aside;
   *     nothing is decided then
   */
  int decideAll(List<String> ids, Failure.State to, String by, String reason);

  /**
   * Reads the bytes of a message as it was received. They may contain personal data: as for {@link
   * #values}, the caller must record that they were read.
   *
   * @return empty if there is no such message, or it was too large to be kept
   * @throws IllegalArgumentException if it is not an id
   */
  Optional<byte[]> message(String id);

  /**
   * Selects failures.
   *
   * @param service null for all
   * @param error see {@link Group#error()}; null for all
   * @param cause null for all
   * @param state null for all
   */
  record Filter(
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
  record Cause(@Nullable String statement, @Nullable String on) {

    public static final Cause UNKNOWN = new Cause(null, null);
  }

  /**
   * Failures of one kind.
   *
   * @param error the SQLState of the database, or the kind of the failure if there is none
   * @param text the description of one of them, written by Forebay, without values
   * @param count how many are in the state that was asked for; text, first and last are of these
   * @param capped whether there are more than counted
   * @param replayed how many of this service, error and cause were replayed
   * @param lastMinute how many of the count failed in the last minute
   */
  record Group(
      String service,
      String error,
      Cause cause,
      String text,
      long count,
      boolean capped,
      long replayed,
      long lastMinute,
      Instant first,
      Instant last) {}

  /**
   * @param next where the next page begins; null if there is none
   */
  record Page(List<Failure> failures, @Nullable String next) {

    public Page {
      failures = List.copyOf(failures);
    }
  }
}
