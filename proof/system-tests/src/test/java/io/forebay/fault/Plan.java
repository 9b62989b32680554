/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/**
 * The statements that the senders of one process send, derived from its seed. Each sender is one
 * thread.
 */
final class Plan {

  private static final int LISTS = 2;
  private static final int PROCESSES_PER_LIST = 4;
  private static final int SURGE = 1_500;

  private final long seed;
  private final int process;
  private final boolean returning;
  private final List<String> lists = new ArrayList<>();
  private final List<Invocation> keyed = new ArrayList<>();
  private final long[] numbers = new long[Load.Sender.values().length];

  /**
   * @param process the number of the process in its run
   * @param returning whether the database supports INSERT … RETURNING as a query
   */
  Plan(long seed, int process, boolean returning) {
    this.seed = seed;
    this.process = process;
    this.returning = returning;
    for (int i = 0; i < LISTS; i++) {
      // A list lives across several kills, but does not grow for ever.
      lists.add("list-" + process / PROCESSES_PER_LIST + "-" + i);
    }
    for (int sender = 0; sender < numbers.length; sender++) {
      numbers[sender] = Invocation.base(process, sender);
    }
  }

  /** The lists that are appended to; each is also the name of a tally. */
  List<String> lists() {
    return lists;
  }

  /** A generator for one thread. */
  RandomGenerator random(int thread) {
    return RandomGeneratorFactory.of("L64X128MixRandom")
        .create(seed * 31 + process * 1_000_003L + thread);
  }

  List<Invocation> burst(Load.Sender sender, RandomGenerator random) {
    return sender == Load.Sender.KEYED ? keyedBurst(random) : unorderedBurst(random);
  }

  private List<Invocation> unorderedBurst(RandomGenerator random) {
    List<Invocation> burst = new ArrayList<>();
    int size = random.nextInt(100) == 0 ? SURGE : 1 + random.nextInt(40);
    while (burst.size() < size) {
      Kind kind = unorderedKind(random);
      int run = kind == Kind.EFFECT ? 1 + random.nextInt(20) : 1;
      String target = kind == Kind.TALLY || kind == Kind.LARGE_QUERY ? Workload.SHARED_TALLY : "-";
      for (int i = 0; i < run; i++) {
        burst.add(Invocation.of(next(Load.Sender.UNORDERED), kind, target));
      }
    }
    return burst;
  }

  private Kind unorderedKind(RandomGenerator random) {
    int dice = random.nextInt(100);
    if (dice < 60) {
      return Kind.EFFECT;
    } else if (dice < 74) {
      return returning ? Kind.RETURNING : Kind.EFFECT;
    } else if (dice < 93) {
      return Kind.TOGETHER;
    } else if (dice < 96) {
      return Kind.TALLY;
    } else if (dice < 98) {
      return Kind.LARGE_QUERY;
    }
    return dice == 98 ? Kind.TOGETHER_FAILING : Kind.FAILING;
  }

  List<Invocation> orderedBurst(String list, RandomGenerator random) {
    List<Invocation> burst = new ArrayList<>();
    int size = 1 + random.nextInt(12);
    while (burst.size() < size) {
      int dice = random.nextInt(100);
      long number = next(Load.Sender.ORDERED);
      if (dice < 50) {
        burst.add(Invocation.of(number, Kind.APPEND, list));
      } else if (dice < 80) {
        burst.add(Invocation.of(number, Kind.TALLY, list));
      } else if (dice < 97) {
        burst.add(Invocation.of(number, Kind.EFFECT));
        String target = Long.toString(number);
        burst.add(Invocation.of(next(Load.Sender.ORDERED), Kind.QUERY, target));
      } else {
        burst.add(Invocation.of(number, Kind.FAILING));
      }
    }
    return burst;
  }

  /** Keyed statements, some of which are sent again at once or later, as by an impatient client. */
  private List<Invocation> keyedBurst(RandomGenerator random) {
    List<Invocation> burst = new ArrayList<>();
    int size = 1 + random.nextInt(10);
    for (int i = 0; i < size; i++) {
      if (!keyed.isEmpty() && random.nextInt(6) == 0) {
        int from = random.nextBoolean() ? keyed.size() - 1 : random.nextInt(keyed.size());
        Invocation again = keyed.get(from).again();
        keyed.set(from, again);
        burst.add(again);
      } else {
        Kind kind = random.nextInt(20) == 0 ? Kind.KEYED_FAILING : Kind.KEYED;
        Invocation statement = Invocation.of(next(Load.Sender.KEYED), kind);
        keyed.add(statement);
        burst.add(statement);
      }
    }
    return burst;
  }

  private long next(Load.Sender sender) {
    return ++numbers[sender.ordinal()];
  }
}
