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

/**
 * How long an address has to wait that sent wrong tokens, or wrong passwords for one user: 1 s
 * after the free failures, doubled with each further one up to 1 min, and reset 10 min after the
 * last. It holds at most {@value #MOST} addresses with their users and drops the one whose last
 * failure is oldest. Thread-safe; it uses neither the database nor a hash.
 *
 * <p>For tokens this only limits noise. A token cannot be guessed, and a valid one is accepted from
 * any address, so that users who share the address of an attacker are not locked out. A password is
 * not checked while its address has to wait. An attempt counts from its beginning, so that parallel
 * guesses are no more than others.
 */
public final class BackOff {

  static final int MOST = 10_000;

  private static final Duration LONGEST = Duration.ofMinutes(1);
  private static final Duration REMEMBERED = Duration.ofMinutes(10);

  /** No user has a longer name. */
  private static final int NAME = 100;

  private final int free;
  private final InstantSource clock;
  private final Map<String, Failures> failures =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Failures> eldest) {
          return size() > MOST;
        }
      };

  /**
   * @param free how many failures have no effect
   */
  public BackOff(int free, InstantSource clock) {
    this.free = free;
    this.clock = clock;
  }

  private record Failures(int count, Instant last) {}

  /** Counts a wrong token, as {@link #failed(String, String)} does. */
  public Duration failed(String address) {
    return failed(address, "");
  }

  /**
   * Counts an attempt as a failure, unless the address has to wait.
   *
   * @param user the name that was sent, whether or not it exists
   * @return how long the address has to wait; zero if this attempt gets the normal answer
   */
  public synchronized Duration failed(String address, String user) {
    Instant now = clock.instant();
    String key = key(address, user);
    Failures before = failures.remove(key);
    if (before == null || before.last().plus(REMEMBERED).isBefore(now)) {
      before = new Failures(0, now);
    }
    Instant until = before.last().plus(pause(before.count()));
    if (until.isAfter(now)) {
      failures.put(key, before);
      return Duration.between(now, until);
    }
    failures.put(key, new Failures(before.count() + 1, now));
    return Duration.ZERO;
  }

  /** The attempt that {@link #failed} counted succeeded: the count begins again at 0. */
  public synchronized void succeeded(String address, String user) {
    failures.remove(key(address, user));
  }

  /** Takes back the attempt that {@link #failed} counted: it was not checked. */
  public synchronized void undo(String address, String user) {
    failures.computeIfPresent(
        key(address, user),
        (_, it) -> it.count() > 1 ? new Failures(it.count() - 1, it.last()) : null);
  }

  private static String key(String address, String user) {
    return ClientNetwork.of(address) + ' ' + user.substring(0, Math.min(user.length(), NAME));
  }

  private Duration pause(int count) {
    if (count < free) {
      return Duration.ZERO;
    }
    long seconds = 1L << Math.min(count - free, 30);
    return seconds < LONGEST.toSeconds() ? Duration.ofSeconds(seconds) : LONGEST;
  }
}
