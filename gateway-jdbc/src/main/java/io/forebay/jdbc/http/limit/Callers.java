/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http.limit;

import io.forebay.jdbc.http.body.ByteBudget;
import io.forebay.operations.Door;
import io.forebay.web.ProblemType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The callers of the door and their limits. A caller whose limits are unused takes no memory for
 * long if there are many callers, unless the configuration names it or it was refused something.
 * Thread-safe.
 */
public final class Callers {

  private static final int MANY = 10_000;
  private static final Duration LOOK_UP_PATIENCE = Duration.ofSeconds(1);

  private final CallerLimits each;
  private final Map<String, CallerLimits> named;
  private final Supplier<ByteBudget> bodies;
  private final LongSupplier nanoClock;
  private final Map<String, Caller> known = new ConcurrentHashMap<>();
  private final Map<String, Integer> commanded = new ConcurrentHashMap<>();
  private final Map<String, LongAdder> refused = new TreeMap<>();
  private volatile int sweepAt = MANY;

  /**
   * @param each the limits of a caller that is not named
   * @param named the limits of the others, by their names
   * @param bodies returns the memory for the bodies of one caller
   */
  public Callers(CallerLimits each, Map<String, CallerLimits> named, Supplier<ByteBudget> bodies) {
    this(each, named, bodies, System::nanoTime);
  }

  Callers(
      CallerLimits each,
      Map<String, CallerLimits> named,
      Supplier<ByteBudget> bodies,
      LongSupplier nanoClock) {
    this.each = each;
    this.named = Map.copyOf(named);
    this.bodies = bodies;
    this.nanoClock = nanoClock;
    for (Limit limit : Limit.values()) {
      refused.put(limit.word(), new LongAdder());
    }
  }

  /** Returns the caller of this name. Use it for one request only. */
  public Caller of(String name) {
    CallerLimits limits = named.getOrDefault(name, each);
    Caller found = known.get(name);
    if (found != null) {
      return found;
    }
    if (known.size() >= sweepAt) {
      sweep();
    }
    return known.computeIfAbsent(name, _ -> new Caller(name, limits, commanded.get(name), this));
  }

  /**
   * Replaces the rates that operators have set, in statements per second by the name of the caller.
   */
  synchronized void command(Map<String, Integer> rates) {
    Set<String> changed = new HashSet<>(commanded.keySet());
    changed.addAll(rates.keySet());
    changed.removeIf(name -> Objects.equals(commanded.get(name), rates.get(name)));
    commanded.keySet().retainAll(rates.keySet());
    commanded.putAll(rates);
    for (String name : changed) {
      known.computeIfPresent(
          name,
          (_, caller) -> {
            caller.command(rates.get(name));
            return caller;
          });
    }
  }

  private synchronized void sweep() {
    if (known.size() >= sweepAt) {
      known.values().removeIf(Caller::isIdle);
      sweepAt = Math.max(MANY, 2 * known.size());
    }
  }

  /** The callers that sent statements in the last minute, the one with the most first. */
  Door.Senders senders(int most) {
    List<Door.Sender> all = new ArrayList<>();
    known.forEach((name, caller) -> all.add(new Door.Sender(name, caller.sentInLastMinute())));
    all.removeIf(it -> it.lastMinute() == 0);
    all.sort(
        Comparator.comparingLong(Door.Sender::lastMinute)
            .reversed()
            .thenComparing(Door.Sender::name));
    return new Door.Senders(
        all.stream().mapToLong(Door.Sender::lastMinute).sum(),
        List.copyOf(all.subList(0, Math.min(most, all.size()))),
        Math.max(0, all.size() - most));
  }

  /**
   * The callers with limits that have sent a request since the start, those that are named, and
   * those that operators have limited.
   */
  List<Door.Caller> view() {
    named.keySet().forEach(this::of);
    commanded.keySet().forEach(this::of);
    List<Door.Caller> all = new ArrayList<>();
    known.forEach((name, caller) -> {
      if (caller.isLimited()) {
        all.add(caller.view());
      }
    });
    return all;
  }

  void refused(Limit limit) {
    refusals(limit).increment();
  }

  private LongAdder refusals(Limit limit) {
    return Objects.requireNonNull(refused.get(limit.word()));
  }

  /**
   * Permits for requests that read queues: each has a tailer, which on Kafka is a consumer with
   * connections of its own.
   */
  public Permits lookUps(int limit) {
    return new Permits(
        limit,
        ProblemType.TOO_MANY_REQUESTS,
        "Too many results are looked up at the same time (limit=%,d); nothing was read; retry later",
        LOOK_UP_PATIENCE,
        refusals(Limit.MAX_LOOK_UPS)::increment);
  }

  /**
   * How often each limit was reached since the start, by its name in the configuration. The map is
   * live.
   */
  public Map<String, LongAdder> refusals() {
    return refused;
  }

  ByteBudget bodies() {
    return bodies.get();
  }

  LongSupplier nanoClock() {
    return nanoClock;
  }

  int size() {
    return known.size();
  }
}
