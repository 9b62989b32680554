/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import io.forebay.capacity.Until;
import io.forebay.capacity.Volume;
import io.forebay.capacity.disk.Runway;
import io.forebay.report.Host;
import io.forebay.report.ServiceReport;
import io.forebay.text.Formats;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A database that does not respond, for the banner on every screen.
 *
 * @param database its address without credentials, or what it is for if that is unknown
 * @param system whether it is the system database
 * @param services the gateways that wait for it
 * @param since since when, as the first that needed it noticed
 * @param text which database, and since when
 * @param outlook how long ago that is, what happens meanwhile, and how long that lasts
 */
public record DatabaseAway(
    String database,
    boolean system,
    List<String> services,
    Instant since,
    String text,
    String outlook) {

  private static final int MOST_NAMED = 3;
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss").withZone(ZoneOffset.UTC);

  /**
   * A database of gateways.
   *
   * @param address without credentials; null if unknown
   * @param waiting the gateways that wait for it, at least one
   * @param isSystem whether it is also the system database
   */
  public static DatabaseAway ofGateways(
      @Nullable String address,
      List<ServiceReport> waiting,
      Instant since,
      boolean isSystem,
      @Nullable Host host,
      Instant now) {
    List<String> names = waiting.stream().map(ServiceReport::name).sorted().toList();
    String database = address == null ? "of " + names(names) : address;
    List<String> outlook = new ArrayList<>();
    boolean accepts = waiting.stream().allMatch(it -> it.view().accepts());
    outlook.add(
        accepts
            ? "Messages are accepted, and performed automatically when it responds"
            : "Messages are refused");
    late(waiting).ifPresent(outlook::add);
    disk(waiting, host).ifPresent(outlook::add);
    return new DatabaseAway(
        database,
        isSystem,
        names,
        since,
        "The database %s%s has not responded since %s."
            .formatted(
                database,
                (address == null ? "" : " of " + names(names))
                    + (isSystem ? ", also the system database," : ""),
                at(since)),
        "%s %s.%s%s"
            .formatted(
                soFar(since, now),
                String.join("; ", outlook),
                reason(waiting),
                isSystem ? " " + COMMANDS : ""));
  }

  private static String reason(List<ServiceReport> waiting) {
    return waiting.stream()
        .map(ServiceReport::reason)
        .filter(it -> !it.isEmpty())
        .findFirst()
        .map(Formats::firstSentence)
        .map(" The error: %s."::formatted)
        .orElse("");
  }

  private static final String COMMANDS =
      "Sessions and tokens stay valid; logins and commands are refused.";

  /** The system database, which no gateway uses. */
  public static DatabaseAway ofSystem(@Nullable String address, Instant since, Instant now) {
    return new DatabaseAway(
        address == null ? "system" : address,
        true,
        List.of(),
        since,
        "The system database%s has not responded since %s."
            .formatted(address == null ? "" : " " + address, at(since)),
        soFar(since, now) + " " + COMMANDS);
  }

  private static String at(Instant since) {
    return TIME.format(since) + " UTC";
  }

  private static String soFar(Instant since, Instant now) {
    return "So far: %s."
        .formatted(Formats.duration(Math.max(1, Duration.between(since, now).toSeconds())));
  }

  private static String names(List<String> names) {
    String first = names.stream().limit(MOST_NAMED).collect(Collectors.joining(", "));
    int more = names.size() - MOST_NAMED;
    return more > 0 ? "%s and %d more".formatted(first, more) : first;
  }

  /** The gateway that is late first: limit - behind needs no rate. */
  private static Optional<String> late(List<ServiceReport> waiting) {
    return waiting.stream()
        .filter(it -> it.lag().late().known().flatMap(Until::left).isPresent())
        .min(Comparator.comparing(it -> it.lag().late().known().orElseThrow()))
        .map(it -> {
          String limit = Formats.duration(it.limit());
          return it.lag().late().known().orElseThrow() instanceof Until.In(Duration left)
              ? "%s will be late in %s (limit %s)"
                  .formatted(it.name(), Formats.duration(left), limit)
              : "%s is past its limit of %s".formatted(it.name(), limit);
        });
  }

  /** The figure of the disk's tile. */
  private static Optional<String> disk(List<ServiceReport> waiting, @Nullable Host host) {
    if (waiting.isEmpty() || host == null || host.volume().isEmpty()) {
      return Optional.empty();
    }
    return host.runway()
        .known()
        .map(runway ->
            switch (runway.middle()) {
              case Until.In(Duration left) -> "the disk lasts about " + Formats.forecast(left);
              case Until.Passed() -> "the disk is full";
              case Until.Never _ ->
                  "the disk lasts at least "
                      + Formats.forecast(runway.low().left().orElse(Runway.HORIZON));
            })
        .or(() -> free(host));
  }

  /** While there is no forecast: what is free. */
  private static Optional<String> free(Host host) {
    return host.volume()
        .flatMap(it -> it.volume().map(Volume::freeBytes).known())
        .map(free -> Formats.bytes(Math.max(0, free)) + " of the disk are free");
  }
}
