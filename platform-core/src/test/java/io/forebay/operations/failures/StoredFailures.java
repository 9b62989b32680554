/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.failures;

import io.forebay.service.progress.Unavailable;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Failed messages of the service {@code shop} in memory, whose outcomes a test sets. */
public final class StoredFailures implements ServiceFailures {

  public static final Instant AT = Instant.parse("2026-11-20T02:31:07Z");

  private final Map<String, Failure> all = new LinkedHashMap<>();

  /** The outcome of what is replayed. */
  public volatile Failure.Outcome outcome = Failure.Outcome.PENDING;

  public volatile boolean refuses;
  public volatile boolean hasBytes = true;
  public volatile boolean deletedBeforeItIsRead;

  /** After so many replays the database is unavailable. */
  public volatile int awayAfter = Integer.MAX_VALUE;

  public volatile Duration slowness = Duration.ZERO;

  /** How far away the database is. */
  public volatile Duration distance = Duration.ZERO;

  /** How often a message was looked up. */
  public final AtomicInteger looks = new AtomicInteger();

  public volatile Failure.@Nullable State groupsOf;
  public volatile @Nullable Instant groupsFrom;
  private int replays;

  /** Adds a message that failed so many milliseconds after {@link #AT}. */
  public synchronized String add(int partition, long position) {
    String id = new FailureId(service(), partition, position, "q").text();
    all.put(
        id,
        new Failure(
            id,
            service(),
            partition,
            position,
            UUID.randomUUID(),
            "DATA",
            "23505",
            "d",
            null,
            null,
            99,
            AT.plusMillis(position),
            null,
            0,
            null));
    return id;
  }

  /** Lets a message count as replayed so often, though not in its present state. */
  public synchronized void replayedBefore(String id, int times) {
    all.put(id, all.get(id).withReplay(null, times));
  }

  public synchronized void remove(String id) {
    all.remove(id);
  }

  public synchronized void outcome(String id, Failure.Outcome outcome) {
    Failure before = all.get(id);
    replayed(before, before.replay().by(), outcome, before.replays());
  }

  private void replayed(Failure before, String by, Failure.Outcome outcome, int replays) {
    Failure.Replay replay = new Failure.Replay(UUID.randomUUID(), by, AT, outcome);
    all.put(before.id(), before.withReplay(replay, replays));
  }

  private void mustRespond() {
    if (replays >= awayAfter) {
      throw new Unavailable("the database is away", new IllegalStateException());
    }
  }

  @Override
  public String service() {
    return "shop";
  }

  @Override
  public synchronized List<Failure> list(
      Failures.Filter filter, @Nullable FailureCursor before, int limit) {
    return all.values().stream()
        .filter(it -> filter.error() == null || filter.error().equals(it.sqlState()))
        .filter(it -> filter.state() == null || filter.state() == it.state())
        .filter(it -> before == null || FailureCursor.isAfter(it, before))
        .toList();
  }

  @Override
  public List<Failures.Group> groups(Instant from, Failure.State state) {
    groupsFrom = from;
    groupsOf = state;
    return List.of();
  }

  @Override
  public synchronized long count(Failure.State state, int atMost) {
    return all.values().stream().filter(it -> it.state() == state).limit(atMost).count();
  }

  @Override
  public synchronized List<Failure> find(List<FailureId> ids) {
    looks.incrementAndGet();
    mustRespond();
    sleep(distance);
    return ids.stream().map(id -> all.get(id.text())).filter(Objects::nonNull).toList();
  }

  @Override
  public Optional<FailureValues> values(FailureId id) {
    return find(id)
        .map(it ->
            new FailureValues(
                it.id(),
                "Key (id)=(SECRET) exists",
                List.of(new FailureValues.Call("executeUpdate", List.of("[\"SECRET\"]"))),
                null,
                null));
  }

  @Override
  public Optional<byte[]> message(FailureId id) {
    if (deletedBeforeItIsRead) {
      remove(id.text());
    }
    return find(id).filter(_ -> hasBytes).map(_ -> "SECRET".getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public synchronized List<Replayed> replay(
      List<FailureId> ids, Predicate<Failure> wanted, String by) {
    List<Replayed> tried = new ArrayList<>();
    find(ids.subList(0, Math.min(ids.size(), Math.max(1, awayAfter - replays)))).stream()
        .filter(wanted)
        .forEach(found -> tried.add(replay(FailureId.of(found.id()), found, by)));
    sleep(distance);
    return tried;
  }

  private static void sleep(Duration time) {
    try {
      Thread.sleep(time);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private Replayed replay(FailureId id, Failure found, String by) {
    if (refuses || found.replay() != null) {
      return new Replayed(id, null, new DecisionRefused("it took effect"));
    }
    sleep(slowness);
    replayed(found, by, outcome, found.replays() + 1);
    replays++;
    return new Replayed(id, UUID.randomUUID(), null);
  }

  @Override
  public synchronized int decide(List<FailureId> ids, Failure.State to, String by, String reason) {
    int decided = 0;
    for (FailureId id : ids) {
      Failure found = all.get(id.text());
      if (found != null && found.state().allows(to)) {
        boolean reopens = to == Failure.State.OPEN;
        all.put(
            id.text(),
            found.withDecision(reopens ? null : new Failure.Decision(to, by, AT, reason)));
        decided++;
      }
    }
    return decided;
  }
}
