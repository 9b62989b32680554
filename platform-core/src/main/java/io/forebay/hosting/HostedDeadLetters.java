/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting;

import io.forebay.call.Writer;
import io.forebay.machine.Machine;
import io.forebay.operations.failures.DecisionRefused;
import io.forebay.operations.failures.Failure;
import io.forebay.operations.failures.FailureCursor;
import io.forebay.operations.failures.FailureId;
import io.forebay.operations.failures.FailureValues;
import io.forebay.operations.failures.Failures;
import io.forebay.operations.failures.Failures.Cause;
import io.forebay.operations.failures.Failures.Group;
import io.forebay.operations.failures.ServiceFailures;
import io.forebay.queue.Tailer;
import io.forebay.service.errors.DeadLetterQueue;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The dead letters of a service that stores them in a queue. Every method reads the queue; the list
 * of letters is kept in memory. Thread-safe.
 */
public final class HostedDeadLetters<I> implements ServiceFailures {

  private final HostedService<I, ?> hosted;
  private final DeadLetterQueue letters;

  /** Guards the listings; a lock, because the queue is read meanwhile. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Map<Integer, DeadLetterListing> listings = new HashMap<>();

  public HostedDeadLetters(HostedService<I, ?> hosted, DeadLetterQueue letters) {
    this.hosted = hosted;
    this.letters = letters;
  }

  @Override
  public String service() {
    return hosted.name();
  }

  @Override
  public List<Failure> list(Failures.Filter filter, @Nullable FailureCursor before, int limit) {
    return failures()
        .filter(failure -> filter.error() == null || filter.error().equals(failure.kind()))
        .filter(_ -> filter.cause() == null || filter.cause().equals(Cause.UNKNOWN))
        .filter(failure -> filter.state() == null || filter.state() == failure.state())
        .filter(failure -> before == null || FailureCursor.isAfter(failure, before))
        .toList();
  }

  @Override
  public long count(Failure.State state, int atMost) {
    return failures().filter(failure -> failure.state() == state).limit(atMost).count();
  }

  @Override
  public List<Group> groups(Instant from, Failure.State state) {
    List<Failure> wanted =
        failures()
            .filter(failure -> failure.state() == state && !failure.at().isBefore(from))
            .sorted(Comparator.comparing(Failure::at)) // they are of several partitions
            .toList();
    boolean capped = wanted.size() > Failures.MAX_COUNTED;
    Map<String, List<Failure>> byKind =
        wanted.subList(capped ? wanted.size() - Failures.MAX_COUNTED : 0, wanted.size()).stream()
            .collect(Collectors.groupingBy(Failure::kind, LinkedHashMap::new, Collectors.toList()));
    List<Group> groups = new ArrayList<>();
    Instant minuteAgo = Machine.now().minusSeconds(60);
    byKind.forEach((kind, failures) ->
        groups.add(
            new Group(
                service(),
                kind,
                Cause.UNKNOWN,
                failures.getLast().detail(),
                failures.size(),
                capped,
                failures.stream().filter(it -> it.at().isAfter(minuteAgo)).count(),
                failures.getFirst().at(),
                failures.getLast().at())));
    return groups;
  }

  @Override
  public List<Failure> find(List<FailureId> ids) {
    Map<String, Failure> found =
        ids.stream()
            .filter(this::hasPartition)
            .map(FailureId::partition)
            .distinct()
            .flatMap(partition -> failures(partition).stream())
            .collect(Collectors.toMap(Failure::id, it -> it));
    return ids.stream().flatMap(id -> Stream.ofNullable(found.get(id.text()))).toList();
  }

  private boolean hasPartition(FailureId id) {
    return id.partition() >= 0 && id.partition() < letters.partitions();
  }

  @Override
  public Optional<FailureValues> values(FailureId id) {
    if (!hasPartition(id)) {
      return Optional.empty();
    }
    Optional<byte[]> message = message(id);
    return listed(id.partition(), listing -> Optional.ofNullable(listing.text(id.text())))
        .map(text ->
            message
                .map(it -> FailureValues.of(id.text(), text, it))
                .orElseGet(() -> withoutContent(id, text)));
  }

  private static FailureValues withoutContent(FailureId id, String text) {
    return new FailureValues(
        id.text(), text, List.of(), null, "its content was too large to be stored");
  }

  @Override
  public Optional<byte[]> message(FailureId id) {
    List<byte[]> found = new ArrayList<>();
    if (hasPartition(id)) {
      letters.read(
          id.partition(),
          (letter, message) -> {
            if (letter.position() == id.position() && letter.queueId().equals(id.queueId())) {
              found.add(message);
            }
          });
    }
    return found.stream().filter(message -> message.length > 0).findFirst();
  }

  @Override
  public List<Replayed> replay(List<FailureId> ids, Predicate<Failure> wanted, String by) {
    hosted.mustTakeReplays();
    List<Replayed> tried = new ArrayList<>();
    for (FailureId id : ids) {
      try {
        replay(id, wanted, by).ifPresent(as -> tried.add(new Replayed(id, as, null)));
      } catch (DecisionRefused e) {
        tried.add(new Replayed(id, null, e));
      } catch (RuntimeException e) {
        tried.add(new Replayed(id, null, e));
        break;
      }
    }
    return tried;
  }

  /** Looks it up again: somebody else may have decided about it meanwhile. */
  private synchronized Optional<UUID> replay(FailureId id, Predicate<Failure> wanted, String by) {
    Optional<Failure> failure = find(id).filter(wanted);
    if (failure.isEmpty()) {
      return Optional.empty();
    }
    failure.get().mustNotBeDiscarded();
    Failure.Replay last = failure.get().replay();
    if (last != null) {
      throw new DecisionRefused(
          "it was already sent again as %s (%s); if that failed, it has a letter of its own, which can be replayed; nothing was sent"
              .formatted(last.messageId(), last.outcome()));
    }
    Optional<byte[]> message = message(id);
    if (message.isEmpty()) {
      if (find(id).isEmpty()) {
        return Optional.empty(); // it was deleted meanwhile
      }
      throw new DecisionRefused("its content was too large to be stored; nothing was sent");
    }
    Resent sent = send(id.partition(), message.get());
    letters.append(
        id.partition(),
        entries -> entries.replayed(id.queueId(), id.position(), sent.id(), sent.position(), by));
    return Optional.of(sent.id());
  }

  private Resent send(int partition, byte[] message) {
    try (Writer<I> writer = hosted.createWriter(partition % hosted.in().partitions())) {
      return Resent.send(writer, message);
    }
  }

  @Override
  public synchronized int decide(List<FailureId> ids, Failure.State to, String by, String reason) {
    int decided = 0;
    for (FailureId id : ids) {
      if (hasPartition(id) && listed(id.partition(), it -> it.allows(id.text(), to))) {
        UUID decision =
            letters.append(
                id.partition(),
                entries -> entries.decided(id.queueId(), id.position(), to.name(), by, reason));
        decided += listed(id.partition(), it -> it.has(decision, id.text())) ? 1 : 0;
      }
    }
    return decided;
  }

  /** The oldest first within a partition. */
  private Stream<Failure> failures() {
    return IntStream.range(0, letters.partitions()).mapToObj(this::failures).flatMap(List::stream);
  }

  private List<Failure> failures(int partition) {
    long performed = hosted.service().nextPosition(partition).orElse(-1);
    return listed(partition, listing -> listing.failures(performed));
  }

  private <R> R listed(int partition, Function<DeadLetterListing, R> look) {
    lock.lock();
    try {
      return look.apply(listing(partition));
    } finally {
      lock.unlock();
    }
  }

  /** What was read before, with what was appended since. */
  private DeadLetterListing listing(int partition) {
    try (Tailer tailer = letters.tailer(partition)) {
      DeadLetterListing known = listings.get(partition);
      long first = tailer.position();
      if (known == null || known.first != first || known.end > tailer.end()) {
        known = new DeadLetterListing(service(), partition, first);
      } else {
        tailer.seek(known.end);
      }
      listings.remove(partition); // not kept if reading fails
      letters.read(tailer, known);
      known.end = tailer.position();
      listings.put(partition, known);
      return known;
    }
  }
}
