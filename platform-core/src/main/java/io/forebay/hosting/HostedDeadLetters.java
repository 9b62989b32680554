/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting;

import io.forebay.call.CallFailure;
import io.forebay.call.Writer;
import io.forebay.machine.Machine;
import io.forebay.operations.failures.DeadLetterSource;
import io.forebay.operations.failures.DecisionRefused;
import io.forebay.operations.failures.Failure;
import io.forebay.operations.failures.FailureCursor;
import io.forebay.operations.failures.FailureValues;
import io.forebay.operations.failures.Place;
import io.forebay.operations.failures.ReplayRefused;
import io.forebay.service.errors.DeadLetter;
import io.forebay.service.errors.DeadLetterQueue;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lists and replays the dead letters of services that store them in queues. Every method reads the
 * queues of the services concerned. Thread-safe.
 */
public final class HostedDeadLetters implements DeadLetterSource {

  private static final Logger log = LoggerFactory.getLogger(HostedDeadLetters.class);

  private final Map<String, Source<?>> sources = new TreeMap<>();

  /** A service and its dead letters. */
  public record Source<I>(HostedService<I, ?> service, DeadLetterQueue letters) {

    private Resent send(int partition, byte[] message) {
      try (Writer<I> writer = service.createWriter(partition % service.in().partitions())) {
        return Resent.send(writer, message);
      }
    }
  }

  public HostedDeadLetters(Collection<? extends Source<?>> sources) {
    sources.forEach(source -> this.sources.put(source.service().name(), source));
  }

  @Override
  public Page page(Filter filter, @Nullable String before, int limit) {
    if (limit < 1 || limit > MAX_LIMIT) {
      throw new IllegalArgumentException(
          "limit is %d, allowed: 1 to %d".formatted(limit, MAX_LIMIT));
    }
    FailureCursor cursor = before == null ? null : FailureCursor.of(before);
    List<Failure> found =
        of(filter.service())
            .flatMap(source -> failures(source).stream())
            .filter(failure -> filter.error() == null || filter.error().equals(failure.kind()))
            .filter(_ -> filter.cause() == null || filter.cause().equals(Cause.UNKNOWN))
            .filter(failure -> filter.state() == null || filter.state() == failure.state())
            .filter(failure -> cursor == null || FailureCursor.isAfter(failure, cursor))
            .toList();
    return FailureCursor.page(found, limit, false);
  }

  @Override
  public List<Group> groups(@Nullable String service, Instant from, Failure.State state) {
    return of(service).flatMap(source -> groups(source, from, state).stream()).toList();
  }

  @Override
  public long count(String service, Failure.State state, int atMost) {
    return of(service)
        .flatMap(source -> failures(source).stream())
        .filter(failure -> failure.state() == state)
        .limit(atMost)
        .count();
  }

  private static List<Group> groups(Source<?> source, Instant from, Failure.State state) {
    List<Failure> all =
        failures(source).stream()
            .filter(failure -> !failure.at().isBefore(from))
            .sorted(Comparator.comparing(Failure::at)) // they are of several partitions
            .toList();
    Map<String, Long> replayed =
        all.stream()
            .filter(failure -> failure.replay() != null)
            .collect(Collectors.groupingBy(Failure::kind, Collectors.counting()));
    List<Failure> wanted = all.stream().filter(failure -> failure.state() == state).toList();
    boolean capped = wanted.size() > MAX_COUNTED;
    Map<String, List<Failure>> byKind =
        wanted.subList(capped ? wanted.size() - MAX_COUNTED : 0, wanted.size()).stream()
            .collect(Collectors.groupingBy(Failure::kind, LinkedHashMap::new, Collectors.toList()));
    List<Group> groups = new ArrayList<>();
    Instant minuteAgo = Machine.now().minusSeconds(60);
    byKind.forEach((kind, failures) ->
        groups.add(
            new Group(
                source.service().name(),
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
  public Optional<Failure> find(String id) {
    Place place = Place.of(id);
    return of(place.service())
        .flatMap(source -> failures(source).stream())
        .filter(failure -> failure.id().equals(id))
        .findFirst();
  }

  @Override
  public Optional<FailureValues> values(String id) {
    Place place = Place.of(id);
    Source<?> source = sources.get(place.service());
    if (source == null
        || place.partition() < 0
        || place.partition() >= source.letters().partitions()) {
      return Optional.empty();
    }
    return letter(source, place)
        .flatMap(letter ->
            message(id)
                .map(message -> MessageValues.of(id, letter.text(), message))
                .or(() -> letter(source, place).map(still -> withoutContent(id, still))));
  }

  private static Optional<DeadLetter> letter(Source<?> source, Place place) {
    return source.letters().list(place.partition()).stream()
        .filter(letter ->
            letter.position() == place.position() && letter.queueId().equals(place.queueId()))
        .findFirst();
  }

  private static FailureValues withoutContent(String id, DeadLetter letter) {
    return new FailureValues(
        id, letter.text(), List.of(), null, "its content was too large to be stored");
  }

  @Override
  public synchronized Optional<Failure> replay(String id, String by) {
    Place place = Place.of(id);
    Source<?> source = sources.get(place.service());
    Optional<Failure> failure = find(id);
    if (source == null || failure.isEmpty()) {
      return Optional.empty();
    }
    source.service().mustTakeReplays();
    failure.get().mustNotBeDiscarded();
    Failure.Replay last = failure.get().replay();
    if (last != null) {
      throw new ReplayRefused(
          "it was already sent again as %s (%s); if that failed, it has a letter of its own, which can be replayed; nothing was sent"
              .formatted(last.messageId(), last.outcome()));
    }
    Optional<byte[]> message = message(id);
    if (message.isEmpty()) {
      if (find(id).isEmpty()) {
        return Optional.empty(); // it was deleted meanwhile
      }
      throw new ReplayRefused("its content was too large to be stored; nothing was sent");
    }
    Resent sent = source.send(place.partition(), message.get());
    source
        .letters()
        .replayed(
            place.partition(), place.queueId(), place.position(), sent.id(), sent.position(), by);
    log.info("Sent again: {} as {}; requested by {}", id, sent.id(), by);
    return find(id);
  }

  @Override
  public synchronized Optional<Failure> decide(
      String id, Failure.State to, String by, String reason) {
    Place place = Place.of(id);
    Source<?> source = sources.get(place.service());
    Optional<Failure> failure = find(id);
    if (source == null || failure.isEmpty()) {
      return Optional.empty();
    }
    failure.get().mustAllow(to);
    if (to == Failure.State.SET_ASIDE
        && count(place.service(), to, MAX_SET_ASIDE) >= MAX_SET_ASIDE) {
      throw DecisionRefused.full(place.service());
    }
    boolean decided =
        source
            .letters()
            .decided(
                place.partition(),
                place.queueId(),
                place.position(),
                DeadLetter.State.valueOf(to.name()),
                by,
                reason);
    Optional<Failure> after = find(id);
    if (decided) {
      log.info("{}: now {}; decided by {}", id, to, by);
    } else if (after.isPresent()) {
      throw after.get().refusal(to); // another instance decided first
    }
    return after;
  }

  @Override
  public Optional<byte[]> message(String id) {
    Place place = Place.of(id);
    Source<?> source = sources.get(place.service());
    return source == null
            || place.partition() < 0
            || place.partition() >= source.letters().partitions()
        ? Optional.empty()
        : source.letters().message(place.partition(), place.queueId(), place.position());
  }

  private Stream<Source<?>> of(@Nullable String service) {
    return sources.values().stream()
        .filter(source -> service == null || service.equals(source.service().name()));
  }

  /** The oldest first within a partition. */
  private static List<Failure> failures(Source<?> source) {
    List<Failure> failures = new ArrayList<>();
    for (int partition = 0; partition < source.letters().partitions(); partition++) {
      List<DeadLetter> letters = source.letters().list(partition);
      Set<UUID> failed =
          letters.stream()
              .map(DeadLetter::messageId)
              .collect(Collectors.toCollection(HashSet::new));
      letters.forEach(letter -> failures.add(failure(source, letter, failed)));
    }
    return failures;
  }

  private static Failure failure(Source<?> source, DeadLetter letter, Set<UUID> failed) {
    DeadLetter.Replay replay = letter.replay();
    return new Failure(
        new Place(source.service().name(), letter.partition(), letter.position(), letter.queueId())
            .id(),
        source.service().name(),
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
                replay.messageId(), replay.by(), replay.at(), outcome(source, letter, failed)),
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

  private static Failure.Outcome outcome(Source<?> source, DeadLetter letter, Set<UUID> failed) {
    DeadLetter.Replay replay = Objects.requireNonNull(letter.replay());
    if (failed.contains(replay.messageId())) {
      return Failure.Outcome.FAILED;
    }
    return replay.position() >= 0
            && source.service().nextPosition(letter.partition()) > replay.position()
        ? Failure.Outcome.DONE
        : Failure.Outcome.PENDING;
  }
}
