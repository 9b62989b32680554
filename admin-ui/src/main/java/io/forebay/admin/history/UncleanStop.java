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
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What the page shows for an hour after a start that followed an unclean stop: no more than
 * docs/guarantees.md promises for the level of each service.
 *
 * @param text what happened, and what it means for acknowledged messages and for callers
 * @param known how this is known, for those who ask
 */
public record UncleanStop(String text, String known) {

  private static final Duration SHOWN = Duration.ofHours(1);
  private static final int MOST_NAMED = 3;

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
            "%s; %s %s"
                .formatted(
                    when(last, unclean.size()),
                    loss(services, hostRestarted(unclean)),
                    callers(last)),
            known(services, hostRestarted(unclean))));
  }

  /** Whether the host was restarted in one of them. */
  private static @Nullable Boolean hostRestarted(List<Restart> unclean) {
    if (unclean.stream().anyMatch(it -> Boolean.TRUE.equals(it.hostRestarted()))) {
      return true;
    }
    return unclean.stream().anyMatch(it -> it.hostRestarted() == null) ? null : false;
  }

  private static String when(Restart last, int times) {
    Instant stopped = last.stoppedAt();
    boolean sameDay =
        stopped
            .atOffset(ZoneOffset.UTC)
            .toLocalDate()
            .equals(last.startedAt().atOffset(ZoneOffset.UTC).toLocalDate());
    String at = (sameDay ? TIME : DAY).format(stopped) + " UTC";
    String again = ", started again at %s UTC".formatted(TIME.format(last.startedAt()));
    return times == 1
        ? "Stopped uncleanly at " + at + again
        : "Stopped uncleanly %d times within an hour, last at ".formatted(times) + at + again;
  }

  private static String callers(Restart last) {
    Duration stood = Duration.between(last.stoppedAt(), last.startedAt());
    return "This instance accepted no calls for about %s; callers can repeat calls that got no answer, with the same idempotency keys."
        .formatted(Formats.duration(Math.max(1, stood.toSeconds())));
  }

  private static String loss(List<Of> services, @Nullable Boolean hostRestarted) {
    if (services.isEmpty()) {
      return "there are no services.";
    }
    boolean hostRan = Boolean.FALSE.equals(hostRestarted);
    List<String> lines = lines(services, hostRan);
    List<String> all = new ArrayList<>(lost(services, hostRestarted));
    if (all.isEmpty()) {
      all.add(
          "nothing that was acknowledged%s is lost%s"
              .formatted(
                  lines.isEmpty() ? "" : " at the level of its queue",
                  services.stream().anyMatch(it -> it.is(Level.REPLICATED))
                      ? ", unless more brokers failed than the replication of a topic allows"
                      : ""));
    }
    all.addAll(lines);
    return String.join("; ", all) + ".";
  }

  /** What of the acknowledged messages is lost or may be; empty if nothing is. */
  private static List<String> lost(List<Of> services, @Nullable Boolean hostRestarted) {
    boolean hostRan = Boolean.FALSE.equals(hostRestarted);
    Sentences lost = new Sentences(services);
    lost.add(
        it -> it.phase() == Phase.FAILED,
        "%s failed after the start: read the reason first, messages may be missing");
    lost.add(
        it -> it.is(Level.MEMORY),
        "messages of %s that were not performed are lost, because level MEMORY survives nothing");
    lost.add(
        it -> it.is(Level.PROCESS) && it.isShared(),
        "messages of %s that were acknowledged last may be missing if the host of a broker failed, because level PROCESS does not survive that");
    lost.add(
        it -> it.is(Level.PROCESS) && !it.isShared() && !hostRan,
        "messages of %s that were acknowledged last may be missing, because level PROCESS does not survive a restart of the host"
            + (hostRestarted == null ? ", and it is unknown whether there was one" : ""));
    lost.add(
        it -> it.is(Level.PROCESS) && it.isInMemoryFirst() && hostRan,
        "messages of %s that were acknowledged last may be missing" + CONTAINER);
    lost.add(it -> it.durability() == null, "the level of %s is unknown");
    return lost.all;
  }

  /** Lines of streams that may be missing, acknowledged at a lower level than that of the queue. */
  private static List<String> lines(List<Of> services, boolean hostRan) {
    Sentences lines = new Sentences(services);
    lines.add(it -> it.hasLines() && !hostRan, LINES);
    lines.add(it -> it.hasLines() && it.isInMemoryFirst() && hostRan, LINES + CONTAINER);
    return lines.all;
  }

  /** Sentences about some of the services. */
  private record Sentences(List<Of> services, List<String> all) {

    Sentences(List<Of> services) {
      this(services, new ArrayList<>());
    }

    void add(Predicate<Of> which, String sentence) {
      List<Of> some = services.stream().filter(which).toList();
      if (!some.isEmpty()) {
        all.add(sentence.formatted(names(some)));
      }
    }
  }

  /**
   * Why nothing of these services is lost.
   *
   * @param hostRan whether the host certainly did not restart
   */
  private static String survives(List<Of> services, boolean hostRan) {
    List<Level> levels =
        services.stream()
            .filter(it -> !it.is(Level.REPLICATED))
            .map(it -> Objects.requireNonNull(it.durability()).level())
            .distinct()
            .sorted()
            .toList();
    List<String> why = new ArrayList<>();
    if (!levels.isEmpty()) {
      why.add(
          "Level %s %s"
                  .formatted(
                      levels.stream().map(Level::name).collect(Collectors.joining(" and ")),
                      levels.size() == 1 ? "survives" : "survive")
              + (hostRan
                  ? " the end of the process, and the host did not restart"
                  : " a restart of the host"));
    }
    if (services.stream().anyMatch(it -> it.is(Level.REPLICATED))) {
      why.add("Level REPLICATED does not depend on this host");
    }
    return String.join(". ", why) + ". ";
  }

  private static String known(List<Of> services, @Nullable Boolean hostRestarted) {
    String host =
        hostRestarted == null
            ? "it is unknown whether the host restarted (it has no boot id)"
            : hostRestarted
                ? "the host restarted (its boot id changed)"
                : "the host did not restart (its boot id is the same)";
    String why =
        services.isEmpty() || !lost(services, hostRestarted).isEmpty()
            ? ""
            : survives(services, Boolean.FALSE.equals(hostRestarted));
    return "%sThe previous process did not record a clean stop; %s%s."
        .formatted(why, host, compared(services));
  }

  private static String compared(List<Of> services) {
    List<Of> not = services.stream().filter(it -> !it.compared()).toList();
    if (!not.isEmpty()) {
      return "; the queues of these services have not been compared with what was performed: "
          + names(not, it -> "%s (%s)".formatted(it.name(), phase(it)));
    }
    if (services.isEmpty()) {
      return "";
    }
    return services.stream().anyMatch(Of::isShared)
        ? "; at this start the partitions of this instance were compared with what was performed"
        : "; at this start the queues were compared with what was performed";
  }

  private static String phase(Of service) {
    return service.phase() == Phase.IDLE
        ? service.isShared() ? "no partition on this instance" : "not started"
        : service.phase().name().toLowerCase(Locale.ROOT);
  }

  private static String names(List<Of> services) {
    return names(services, Of::name);
  }

  private static String names(List<Of> services, Function<Of, String> name) {
    String first = services.stream().limit(MOST_NAMED).map(name).collect(Collectors.joining(", "));
    int more = services.size() - MOST_NAMED;
    return more > 0 ? "%s and %d more".formatted(first, more) : first;
  }
}
