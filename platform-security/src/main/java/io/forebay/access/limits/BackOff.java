/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access.limits;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * How long an address or account with wrong tokens or passwords has to wait: 1 s after the free
 * failures, doubled with each further one up to 1 min, and reset 10 min after the last. It holds at
 * most {@value #ADDRESSES} addresses and drops the one whose last failure is oldest. Thread-safe.
 *
 * <p>For tokens this only limits noise. A token cannot be guessed, and a valid one is accepted from
 * any address, so that users who share the address of an attacker are not locked out. A password
 * from an address that has to wait is not checked.
 */
public final class BackOff {

  static final int ADDRESSES = 10_000;

  static final Duration LONGEST = Duration.ofMinutes(1);
  private static final Duration REMEMBERED = Duration.ofMinutes(10);

  private final int free;
  private final Duration longest;
  private final InstantSource clock;
  private final Map<String, Failures> failures =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Failures> eldest) {
          return size() > ADDRESSES;
        }
      };

  public BackOff(int free, InstantSource clock) {
    this(free, LONGEST, clock);
  }

  /**
   * @param longest the longest pause, instead of 1 min
   */
  BackOff(int free, Duration longest, InstantSource clock) {
    this.free = free;
    this.longest = longest;
    this.clock = clock;
  }

  /** The last two hold {@code last} and {@code until} from before the newest failure. */
  private record Failures(
      int count, Instant last, Instant until, Instant lastBefore, Instant untilBefore) {

    Failures before(Instant last, Instant until) {
      return new Failures(count - 1, last, until, last, until);
    }
  }

  /** How long the address has to wait; zero if it has not. Counts nothing. */
  public synchronized Duration pause(String address) {
    Failures before = failures.get(ClientNetwork.of(address));
    Instant now = clock.instant();
    return before == null || !before.until().isAfter(now)
        ? Duration.ZERO
        : Duration.between(now, before.until());
  }

  /**
   * Counts a wrong token, unless the address has to wait.
   *
   * @return how long it has to wait; zero if this attempt gets the normal answer
   */
  public synchronized Duration failed(String address) {
    Instant now = clock.instant();
    String network = ClientNetwork.of(address);
    Failures before = failures.remove(network);
    if (before == null || before.last().plus(REMEMBERED).isBefore(now)) {
      before = new Failures(0, now, now, now, now);
    }
    if (before.until().isAfter(now)) {
      failures.put(network, before);
      return Duration.between(now, before.until());
    }
    int count = before.count() + 1;
    failures.put(
        network, new Failures(count, now, now.plus(pause(count)), before.last(), before.until()));
    return Duration.ZERO;
  }

  /**
   * Takes back an attempt that {@link #failed} counted before its outcome was known: the address
   * neither waits for it nor is remembered longer. Of parallel attempts the newest is taken back.
   */
  synchronized void undo(String address) {
    takeBack(address, it -> it.before(it.lastBefore(), it.untilBefore()));
  }

  /** Takes back an attempt, but not the time for which the address has to wait. */
  synchronized void undoButWait(String address) {
    takeBack(address, it -> it.before(it.last(), it.until()));
  }

  private void takeBack(String address, UnaryOperator<Failures> change) {
    failures.computeIfPresent(
        ClientNetwork.of(address), (_, it) -> it.count() > 0 ? change.apply(it) : it);
  }

  private Duration pause(int count) {
    if (count < free) {
      return Duration.ZERO;
    }
    long seconds = 1L << Math.min(count - free, 30);
    return seconds < longest.toSeconds() ? Duration.ofSeconds(seconds) : longest;
  }
}
