/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import io.forebay.machine.Machine;
import io.forebay.queue.QueueStats;
import io.forebay.service.PartitionView;
import io.forebay.service.ServiceState;
import io.forebay.service.ServiceState.Phase;
import io.forebay.text.Formats;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets services perform waiting messages before the process ends. The next start performs the rest;
 * nothing is lost either way.
 */
public final class GracefulStop {

  private static final Logger log = LoggerFactory.getLogger(GracefulStop.class);
  private static final Duration STEP = Duration.ofMillis(20);
  private static final Duration REPORT = Duration.ofSeconds(2);
  private static final int LAST_PART = 5;
  private static final int MOST_NAMED = 5;
  private static final String HOLD = "the process ends";

  /** The phases in which a partition can still perform messages. */
  private static final Set<Phase> WORKING =
      EnumSet.of(Phase.RUNNING, Phase.STARTING, Phase.DRAINING, Phase.WAITING);

  private final Services services;
  private final Duration limit;

  /**
   * @param limit the longest time to wait; zero: do not wait
   */
  public GracefulStop(Services services, Duration limit) {
    this.services = services;
    this.limit = limit;
  }

  /** The longest time to wait. */
  public Duration limit() {
    return limit;
  }

  /**
   * Waits until all messages that are now in the partitions of this instance are performed and
   * answered, until no partition can perform them, or until the limit is reached; none of these is
   * an error. Does not wait for messages that arrive later, for instance from other instances. In
   * the last fifth of the limit the services begin no more messages, so that those in progress can
   * end.
   *
   * @return an upper bound of the messages left in these partitions
   */
  public long await() throws InterruptedException {
    long begun = Machine.nanos();
    long reported = begun;
    Duration performing = limit.minus(limit.dividedBy(LAST_PART));
    Map<Place, Long> ends = ends();
    long left;
    while ((left = left(ends)) > 0 && isWithin(performing, begun)) {
      if (!isWithin(REPORT, reported)) {
        log.info(
            "Shutdown waits for {} messages; services perform them before they stop ({}, limit={})",
            left,
            places(ends),
            Formats.duration(limit));
        reported = Machine.nanos();
      }
      Machine.sleep(STEP);
    }
    if (behind(GracefulStop::isWorking) > 0) {
      services.all().forEach(service -> service.hold(HOLD));
      while (partitions(GracefulStop::isPerforming).findAny().isPresent()
          && isWithin(limit, begun)) {
        Machine.sleep(STEP);
      }
    }
    long waiting = behind(_ -> true);
    if (waiting > 0) {
      log.info(
          "Shutdown leaves {} messages for the next start or another instance ({})",
          waiting,
          left > 0
              ? "%s, limit=%s".formatted(places(ends), Formats.duration(limit))
              : "they arrived meanwhile, or cannot be performed now");
    }
    return waiting;
  }

  private static boolean isWithin(Duration time, long begun) {
    return Machine.nanos() - begun < time.toNanos();
  }

  private long behind(Predicate<ServiceState> states) {
    return partitions(states).mapToLong(each -> each.getValue().behind().orElse(0)).sum();
  }

  private record Place(String service, int partition) {}

  /** The position up to which each partition of this instance can be performed now. */
  private Map<Place, Long> ends() {
    return partitions(GracefulStop::isWorking)
        .filter(each -> each.getValue().end().isPresent())
        .collect(Collectors.toMap(Map.Entry::getKey, each -> readableEnd(each.getValue())));
  }

  private static long readableEnd(PartitionView view) {
    QueueStats.Hold hold = view.in().hold();
    return hold == null ? view.end().getAsLong() : hold.from();
  }

  private long left(Map<Place, Long> ends) {
    return partitions(GracefulStop::isWorking).mapToLong(each -> left(each, ends)).sum();
  }

  private static long left(Map.Entry<Place, PartitionView> each, Map<Place, Long> ends) {
    long end = ends.getOrDefault(each.getKey(), 0L);
    return Math.max(0, end - each.getValue().position().orElse(end));
  }

  /** Some partitions with messages left, and what is known about the message in progress. */
  private String places(Map<Place, Long> ends) {
    return partitions(GracefulStop::isWorking)
        .filter(each -> left(each, ends) > 0)
        .limit(MOST_NAMED)
        .map(each -> place(each, ends))
        .collect(Collectors.joining(", "));
  }

  private static String place(Map.Entry<Place, PartitionView> each, Map<Place, Long> ends) {
    ServiceState state = each.getValue().state();
    return "partition %d of service %s has %d%s"
        .formatted(
            each.getKey().partition(),
            each.getKey().service(),
            left(each, ends),
            state == null || state.reason().isEmpty() || state.reason().equals(HOLD)
                ? ""
                : ": %s since %s"
                    .formatted(state.reason(), state.since().truncatedTo(ChronoUnit.SECONDS)));
  }

  private static boolean isWorking(ServiceState state) {
    return WORKING.contains(state.phase());
  }

  private static boolean isPerforming(ServiceState state) {
    return isWorking(state) && !state.reason().equals(HOLD);
  }

  private Stream<Map.Entry<Place, PartitionView>> partitions(Predicate<ServiceState> states) {
    return services.all().stream()
        .flatMap(service -> {
          ServiceView view = service.view();
          return view.partitions().stream()
              .filter(it -> it.state() != null && states.test(it.state()))
              .map(it -> Map.entry(new Place(view.name(), it.partition()), it));
        });
  }
}
