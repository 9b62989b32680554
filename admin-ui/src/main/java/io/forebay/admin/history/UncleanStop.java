/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.history;

import io.forebay.queue.Level;
import io.forebay.service.ServiceState.Phase;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What an operator is told for an hour after a start that followed an unclean stop. It says no more
 * than docs/guarantees.md promises for the level of each service.
 *
 * @param stoppedAt see {@link Restart}
 * @param times how many starts of the last hour followed an unclean stop
 * @param hostRestarted see {@link Restart}
 * @param text what happened, and what it means for acknowledged messages
 * @param known how this is known
 */
public record UncleanStop(
    Instant stoppedAt,
    Instant startedAt,
    int times,
    @Nullable Boolean hostRestarted,
    String text,
    String known) {

  private static final Duration SHOWN = Duration.ofHours(1);
  private static final int MOST_NAMED = 3;
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss").withZone(ZoneOffset.UTC);
  private static final DateTimeFormatter DAY =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss").withZone(ZoneOffset.UTC);

  /**
   * A service at present.
   *
   * @param level null if unknown
   * @param compared whether this start compared its queue with what was performed
   */
  public record Of(String name, @Nullable Level level, Phase phase, boolean compared) {}

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
            last.stoppedAt(),
            last.startedAt(),
            unclean.size(),
            hostRestarted(unclean),
            when(last, unclean.size()) + "; " + loss(services, hostRestarted(unclean)),
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

  private static String loss(List<Of> services, @Nullable Boolean hostRestarted) {
    Map<Level, List<Of>> byLevel =
        services.stream()
            .filter(it -> it.level() != null)
            .collect(
                Collectors.groupingBy(
                    it -> Objects.requireNonNull(it.level()),
                    () -> new EnumMap<>(Level.class),
                    Collectors.toList()));
    List<String> sentences = new ArrayList<>();
    List<Of> failed = services.stream().filter(it -> it.phase() == Phase.FAILED).toList();
    if (!failed.isEmpty()) {
      sentences.add(
          "%s failed after the start: read the reason first, messages may be missing"
              .formatted(names(failed)));
    }
    List<Of> memory = byLevel.getOrDefault(Level.MEMORY, List.of());
    if (!memory.isEmpty()) {
      sentences.add(
          "messages of %s that were not performed are lost, because level MEMORY survives nothing"
              .formatted(names(memory)));
    }
    List<Of> process = byLevel.getOrDefault(Level.PROCESS, List.of());
    if (!process.isEmpty() && !Boolean.FALSE.equals(hostRestarted)) {
      sentences.add(
          "messages of %s that were acknowledged last may be missing, because level PROCESS does not survive a restart of the host%s"
              .formatted(
                  names(process),
                  hostRestarted == null ? ", and it is unknown whether there was one" : ""));
    }
    List<Of> unknown = services.stream().filter(it -> it.level() == null).toList();
    if (!unknown.isEmpty()) {
      sentences.add("the level of %s is unknown".formatted(names(unknown)));
    }
    if (!services.isEmpty() && sentences.isEmpty()) {
      return "nothing that was acknowledged is lost: %s."
          .formatted(why(byLevel.keySet(), hostRestarted));
    }
    return sentences.isEmpty() ? "there are no services." : String.join("; ", sentences) + ".";
  }

  /** Why the messages of these levels, which survive what happened, are not lost. */
  private static String why(java.util.Set<Level> levels, @Nullable Boolean hostRestarted) {
    String all = levels.stream().map(Level::name).collect(Collectors.joining(" and "));
    String survive = levels.size() == 1 ? "survives" : "survive";
    return Boolean.FALSE.equals(hostRestarted)
        ? "level %s %s the end of the process, and the host did not restart".formatted(all, survive)
        : "level %s %s a restart of the host".formatted(all, survive);
  }

  private static String known(List<Of> services, @Nullable Boolean hostRestarted) {
    String host =
        hostRestarted == null
            ? "the host has no boot id that can be compared"
            : hostRestarted
                ? "the boot id of the host changed"
                : "the boot id of the host is unchanged";
    List<Of> open =
        services.stream()
            .filter(it -> !it.compared() && it.phase() != Phase.FAILED && it.phase() != Phase.IDLE)
            .toList();
    String compared =
        services.isEmpty()
            ? ""
            : open.isEmpty()
                ? "; at this start the queues were compared with what was performed"
                : "; the queue of %s was not compared with what was performed yet"
                    .formatted(names(open));
    return "Known because the run before has no mark of a clean stop; %s%s."
        .formatted(host, compared);
  }

  private static String names(List<Of> services) {
    String first =
        services.stream().limit(MOST_NAMED).map(Of::name).collect(Collectors.joining(", "));
    int more = services.size() - MOST_NAMED;
    return more > 0 ? "%s and %d more".formatted(first, more) : first;
  }
}
