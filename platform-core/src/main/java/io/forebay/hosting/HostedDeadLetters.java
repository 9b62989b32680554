/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting;

import io.forebay.call.CallFailure;
import io.forebay.call.Writer;
import io.forebay.machine.Machine;
import io.forebay.operations.failures.Failure;
import io.forebay.operations.failures.FailureCursor;
import io.forebay.operations.failures.FailureValues;
import io.forebay.operations.failures.Failures;
import io.forebay.operations.failures.Failures.Cause;
import io.forebay.operations.failures.Failures.Group;
import io.forebay.operations.failures.Place;
import io.forebay.operations.failures.ReplayRefused;
import io.forebay.operations.failures.ServiceFailures;
import io.forebay.service.errors.DeadLetter;
import io.forebay.service.errors.DeadLetterQueue;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The dead letters of a service that stores them in a queue. Every method reads the queue.
 * Thread-safe.
 */
public final class HostedDeadLetters<I> implements ServiceFailures {

  private final HostedService<I, ?> hosted;
  private final DeadLetterQueue letters;

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
    List<Failure> all =
        failures()
            .filter(failure -> !failure.at().isBefore(from))
            .sorted(Comparator.comparing(Failure::at)) // they are of several partitions
            .toList();
    Map<String, Long> replayed =
        all.stream()
            .filter(failure -> failure.replay() != null)
            .collect(Collectors.groupingBy(Failure::kind, Collectors.counting()));
    List<Failure> wanted = all.stream().filter(failure -> failure.state() == state).toList();
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
                replayed.getOrDefault(kind, 0L),
                failures.stream().filter(it -> it.at().isAfter(minuteAgo)).count(),
                failures.getFirst().at(),
                failures.getLast().at())));
    return groups;
  }

  @Override
  public Optional<Failure> find(Place place) {
    return failures().filter(failure -> failure.id().equals(place.id())).findFirst();
  }

  @Override
  public Optional<FailureValues> values(Place place) {
    return letter(place)
        .flatMap(letter ->
            message(place)
                .map(message -> MessageValues.of(place.id(), letter.text(), message))
                .or(() -> letter(place).map(still -> withoutContent(place.id(), still))));
  }

  private Optional<DeadLetter> letter(Place place) {
    return hasPartition(place)
        ? letters.list(place.partition()).stream()
            .filter(letter ->
                letter.position() == place.position() && letter.queueId().equals(place.queueId()))
            .findFirst()
        : Optional.empty();
  }

  private boolean hasPartition(Place place) {
    return place.partition() >= 0 && place.partition() < letters.partitions();
  }

  private static FailureValues withoutContent(String id, DeadLetter letter) {
    return new FailureValues(
        id, letter.text(), List.of(), null, "its content was too large to be stored");
  }

  @Override
  public Optional<byte[]> message(Place place) {
    return hasPartition(place)
        ? letters.message(place.partition(), place.queueId(), place.position())
        : Optional.empty();
  }

  @Override
  public synchronized Optional<UUID> replay(Place place, String by) {
    Optional<Failure> failure = find(place);
    if (failure.isEmpty()) {
      return Optional.empty();
    }
    hosted.mustTakeReplays();
    failure.get().mustNotBeDiscarded();
    Failure.Replay last = failure.get().replay();
    if (last != null) {
      throw new ReplayRefused(
          "it was already sent again as %s (%s); if that failed, it has a letter of its own, which can be replayed; nothing was sent"
              .formatted(last.messageId(), last.outcome()));
    }
    Optional<byte[]> message = message(place);
    if (message.isEmpty()) {
      if (find(place).isEmpty()) {
        return Optional.empty(); // it was deleted meanwhile
      }
      throw new ReplayRefused("its content was too large to be stored; nothing was sent");
    }
    Resent sent = send(place.partition(), message.get());
    letters.replayed(
        place.partition(), place.queueId(), place.position(), sent.id(), sent.position(), by);
    return Optional.of(sent.id());
  }

  private Resent send(int partition, byte[] message) {
    try (Writer<I> writer = hosted.createWriter(partition % hosted.in().partitions())) {
      return Resent.send(writer, message);
    }
  }

  @Override
  public synchronized int decide(List<Place> places, Failure.State to, String by, String reason) {
    int decided = 0;
    for (Place place : places) {
      if (find(place).filter(it -> it.state().allows(to)).isPresent()
          && letters.decided(
              place.partition(),
              place.queueId(),
              place.position(),
              DeadLetter.State.valueOf(to.name()),
              by,
              reason)) {
        decided++;
      }
    }
    return decided;
  }

  /** The oldest first within a partition. */
  private Stream<Failure> failures() {
    return IntStream.range(0, letters.partitions())
        .mapToObj(letters::list)
        .flatMap(ofPartition -> {
          Set<UUID> failed =
              ofPartition.stream()
                  .map(DeadLetter::messageId)
                  .collect(Collectors.toCollection(HashSet::new));
          return ofPartition.stream().map(letter -> failure(letter, failed));
        });
  }

  private Failure failure(DeadLetter letter, Set<UUID> failed) {
    DeadLetter.Replay replay = letter.replay();
    return new Failure(
        new Place(service(), letter.partition(), letter.position(), letter.queueId()).id(),
        service(),
        letter.partition(),
        letter.position(),
        letter.messageId(),
        letter.error(),
        null,
        detail(letter),
        null,
        letter.bytes(),
        letter.at(),
        replay == null
            ? null
            : new Failure.Replay(
                replay.messageId(), replay.by(), replay.at(), outcome(letter, failed)),
        letter.replays(),
        decision(letter.decision()));
  }

  private static Failure.@Nullable Decision decision(DeadLetter.@Nullable Decision of) {
    return of == null
        ? null
        : new Failure.Decision(
            Failure.State.valueOf(of.state().name()), of.by(), of.at(), of.reason());
  }

  /** Without the message of the exception, which may contain values of the call. */
  private static String detail(DeadLetter letter) {
    return switch (letter.error()) {
      case CallFailure.UNDECODABLE ->
          "the message could not be decoded (%s)".formatted(letter.text());
      case CallFailure.GIVEN_UP -> letter.text();
      default ->
          "the component threw %s (tries=%d); the values of the call have its message"
              .formatted(letter.error(), letter.tries());
    };
  }

  private Failure.Outcome outcome(DeadLetter letter, Set<UUID> failed) {
    DeadLetter.Replay replay = Objects.requireNonNull(letter.replay());
    if (failed.contains(replay.messageId())) {
      return Failure.Outcome.FAILED;
    }
    return replay.position() >= 0 && hosted.nextPosition(letter.partition()) > replay.position()
        ? Failure.Outcome.DONE
        : Failure.Outcome.PENDING;
  }
}
