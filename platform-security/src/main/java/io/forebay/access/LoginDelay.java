/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How long an address must wait that sent wrong passwords for a user: 1 s after the free failures,
 * doubled with each further one up to 1 min, and reset 10 min after the last. An attempt counts
 * from its beginning, so parallel guesses are no more than others. The one with the oldest failure
 * of {@value #MOST} is forgotten. Thread-safe.
 */
public final class LoginDelay {

  static final int MOST = 10_000;

  private static final Duration LONGEST = Duration.ofMinutes(1);
  private static final Duration REMEMBERED = Duration.ofMinutes(10);
  private static final int LONGEST_TEXT = 100;
  private static final int NETWORK_BYTES = 8;

  private final int free;
  private final InstantSource clock;
  private final Map<Attempt, Failures> failures =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Attempt, Failures> eldest) {
          return size() > MOST;
        }
      };

  private record Attempt(String network, String user) {}

  private record Failures(int count, Instant last) {}

  /**
   * @param free how many failures have no effect
   */
  public LoginDelay(int free, InstantSource clock) {
    this.free = free;
    this.clock = clock;
  }

  /**
   * Begins an attempt, which counts as a failure until it succeeds.
   *
   * @param user the name that was sent, whether or not it exists
   * @throws TooManyLogins if the address must wait
   */
  public synchronized void begin(String address, String user) {
    Instant now = clock.instant();
    Attempt attempt = attempt(address, user);
    Failures before = failures.get(attempt);
    if (before == null || before.last().plus(REMEMBERED).isBefore(now)) {
      before = new Failures(0, now);
    }
    Duration wait = Duration.between(now, before.last().plus(pause(before.count())));
    if (wait.isPositive()) {
      throw new TooManyLogins(
          wait, "Too many wrong passwords for this user came from this address");
    }
    failures.remove(attempt); // to be the newest
    failures.put(attempt, new Failures(before.count() + 1, now));
  }

  /** The count of the user and the address begins again at 0. */
  public synchronized void succeeded(String address, String user) {
    failures.remove(attempt(address, user));
  }

  /** Takes back an attempt whose password was not checked. */
  public synchronized void undo(String address, String user) {
    failures.computeIfPresent(
        attempt(address, user),
        (_, now) -> now.count() == 1 ? null : new Failures(now.count() - 1, now.last()));
  }

  private Duration pause(int count) {
    return count < free
        ? Duration.ZERO
        : Duration.ofSeconds(Math.min(LONGEST.toSeconds(), 1L << Math.min(count - free, 30)));
  }

  private static Attempt attempt(String address, String user) {
    return new Attempt(network(cut(address)), cut(user));
  }

  private static String cut(String text) {
    return text.substring(0, Math.min(text.length(), LONGEST_TEXT));
  }

  /** Of an IPv6 address the first 64 bits, because one subscriber has 2^64 of them. */
  private static String network(String address) {
    try {
      String bare = address.replaceFirst("^\\[(.*)](:\\d+)?$", "$1").replaceFirst("%.*$", "");
      InetAddress parsed = InetAddress.ofLiteral(bare);
      return parsed instanceof Inet6Address
          ? Arrays.toString(Arrays.copyOf(parsed.getAddress(), NETWORK_BYTES))
          : parsed.getHostAddress();
    } catch (IllegalArgumentException _) {
      return address.replaceFirst(":\\d+$", ""); // a proxy may send any text, also with a port
    }
  }
}
