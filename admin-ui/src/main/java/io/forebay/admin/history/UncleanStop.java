/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.history;

import io.forebay.operations.Durability;
import io.forebay.queue.Level;
import io.forebay.service.ServiceState.Phase;
import io.forebay.text.Formats;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the page shows for an hour after a start that followed an unclean stop: no more than
 * docs/guarantees.md promises for the level of each service.
 *
 * @param text what happened, and what it means for acknowledged messages and for callers
 */
public record UncleanStop(String text) {

  private static final Duration SHOWN = Duration.ofHours(1);
  private static final int MOST_NAMED = 3;
  private static final String MAY_BE_MISSING =
      "messages of %s that were acknowledged last may be missing";

  /** StreamOptions of the door permits a lower level than that of the queue. */
  private static final String LINES =
      "lines of streams that %s acknowledged with level=process may be missing";

  private static final String CONTAINER =
      " if this process was in a container, because its ring may end with the container";
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss").withZone(ZoneOffset.UTC);
  private static final DateTimeFormatter DAY =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss").withZone(ZoneOffset.UTC);

  /**
   * A service at present.
   *
   * @param durability null if unknown
   * @param compared whether this start compared its queue with what was performed
   */
  public record Of(String name, @Nullable Durability durability, Phase phase, boolean compared) {

    private boolean is(Level level) {
      return durability != null && durability.level() == level;
    }

    private boolean isShared() {
      return durability != null && durability.shared();
    }

    private boolean isInMemoryFirst() {
      return durability != null && durability.inMemoryFirst();
    }

    /** Whether lines may have been acknowledged at PROCESS although its level is DISK. */
    private boolean hasLines() {
      return is(Level.DISK) && durability != null && durability.streams();
    }

    /** On brokers, another instance may have its partitions, and compares them. */
    private boolean isNotCompared() {
      return !compared && phase != Phase.FAILED && !(isShared() && phase == Phase.IDLE);
    }

    private boolean isLocalProcess() {
      return is(Level.PROCESS) && !isShared();
    }
  }

  /** Empty if the last hour had no start after an unclean stop. */
  public static Optional<UncleanStop> of(List<Restart> restarts, List<Of> services, Instant now) {
    List<Restart> unclean =
        restarts.stream()
            .filter(it -> !it.clean() && it.startedAt().plus(SHOWN).isAfter(now))
            .toList();
    if (unclean.isEmpty()) {
      return Optional.empty();
    }
    Restart last = unclean.getLast();
    return Optional.of(
        new UncleanStop(
            "%s; %s. %s"
                .formatted(when(last, unclean.size()), loss(services, unclean), callers(last))));
  }

  private static String when(Restart last, int times) {
    Instant stopped = last.stoppedAt();
    boolean sameDay =
        DAY.format(stopped).substring(0, 10).equals(DAY.format(last.startedAt()).substring(0, 10));
    return "Stopped uncleanly%s at %s UTC, started again at %s UTC"
        .formatted(
            times == 1 ? "" : " %d times within an hour, last".formatted(times),
            (sameDay ? TIME : DAY).format(stopped),
            TIME.format(last.startedAt()));
  }

  private static String callers(Restart last) {
    Duration stood = Duration.between(last.stoppedAt(), last.startedAt());
    return "This instance accepted no calls for about %s; callers can repeat calls that got no answer, with the same idempotency keys."
        .formatted(Formats.duration(Math.max(1, stood.toSeconds())));
  }

  /**
   * What is lost or may be.
   *
   * @param unclean if one of these may have been a restart of the host, it is taken for one
   */
  private static String loss(List<Of> services, List<Restart> unclean) {
    if (services.isEmpty()) {
      return "there are no services";
    }
    boolean hostRan = unclean.stream().allMatch(it -> Boolean.FALSE.equals(it.hostRestarted()));
    boolean isUnknown = unclean.stream().noneMatch(it -> Boolean.TRUE.equals(it.hostRestarted()));
    List<String> lost =
        Stream.of(
                about(
                    services,
                    it -> it.phase() == Phase.FAILED,
                    "%s failed after the start: read the reason first, messages may be missing"),
                about(
                    services,
                    it -> it.is(Level.MEMORY),
                    "messages of %s that were not performed are lost, because level MEMORY survives nothing"),
                about(
                    services,
                    it -> it.is(Level.PROCESS) && it.isShared(),
                    MAY_BE_MISSING
                        + " if the host of a broker failed, because level PROCESS does not survive that"),
                about(
                    services,
                    it -> it.isLocalProcess() && !hostRan,
                    MAY_BE_MISSING
                        + ", because level PROCESS does not survive a restart of the host"
                        + (isUnknown ? ", and it is unknown whether there was one" : "")),
                about(
                    services,
                    it -> it.isLocalProcess() && it.isInMemoryFirst() && hostRan,
                    MAY_BE_MISSING + CONTAINER),
                about(services, it -> it.durability() == null, "the level of %s is unknown"))
            .filter(Objects::nonNull)
            .toList();
    String lines =
        hostRan
            ? about(services, it -> it.hasLines() && it.isInMemoryFirst(), LINES + CONTAINER)
            : about(services, Of::hasLines, LINES);
    String notCompared =
        about(
            services,
            Of::isNotCompared,
            "the queue of %s has not been compared with what was performed");
    return Stream.concat(
            lost.isEmpty() ? Stream.of(nothing(services, lines)) : lost.stream(),
            Stream.<@Nullable String>of(lines, notCompared).filter(Objects::nonNull))
        .collect(Collectors.joining("; "));
  }

  private static String nothing(List<Of> services, @Nullable String lines) {
    boolean isReplicated = services.stream().anyMatch(it -> it.is(Level.REPLICATED));
    return "nothing that was acknowledged%s is lost%s"
        .formatted(
            lines == null ? "" : " at the level of its queue",
            isReplicated
                ? ", unless more brokers failed than the replication of a topic allows"
                : "");
  }

  /** A sentence about some of the services; null if none is meant. */
  private static @Nullable String about(List<Of> services, Predicate<Of> which, String sentence) {
    List<String> names = services.stream().filter(which).map(Of::name).toList();
    if (names.isEmpty()) {
      return null;
    }
    int more = names.size() - MOST_NAMED;
    String first = names.stream().limit(MOST_NAMED).collect(Collectors.joining(", "));
    return sentence.formatted(more > 0 ? "%s and %d more".formatted(first, more) : first);
  }
}
