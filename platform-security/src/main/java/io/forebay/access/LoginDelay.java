/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import io.forebay.service.progress.Unavailable;
import io.forebay.web.Problem;
import io.forebay.web.ProblemType;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.springframework.security.authentication.AuthenticationServiceException;

/**
 * How long an address must wait that sent wrong passwords for a user: 1 s after {@value #FREE}
 * failures, doubled with each further one up to 1 min, and reset 10 min after the last. Parallel
 * guesses are no more than others. The one with the oldest failure of {@value #MOST} is forgotten.
 * Thread-safe.
 */
public final class LoginDelay {

  static final int FREE = 20;
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

  public LoginDelay(InstantSource clock) {
    this(FREE, clock);
  }

  /**
   * @param free how many failures have no effect
   */
  public LoginDelay(int free, InstantSource clock) {
    this.free = free;
    this.clock = clock;
  }

  /**
   * Checks a password, which counts as a failure from its beginning. If it is right, the count of
   * the user and the address begins again at 0; if it could not be checked, it does not count.
   *
   * @param user the name that was sent, whether or not it exists
   * @param check throws if the password is wrong
   * @throws Refused if the address must wait
   */
  public <T> T attempt(String address, String user, Supplier<T> check) {
    Attempt attempt = new Attempt(network(cut(address)), cut(user));
    begin(attempt);
    try {
      T result = check.get();
      succeeded(attempt);
      return result;
    } catch (Refused | AuthenticationServiceException | Unavailable e) {
      undo(attempt);
      throw e;
    }
  }

  private synchronized void begin(Attempt attempt) {
    Instant now = clock.instant();
    Failures before = failures.get(attempt);
    if (before == null || before.last().plus(REMEMBERED).isBefore(now)) {
      before = new Failures(0, now);
    }
    Duration wait = Duration.between(now, before.last().plus(pause(before.count())));
    if (wait.isPositive()) {
      throw new Refused(
          new Problem(
                  ProblemType.TOO_MANY_FAILURES,
                  "Too many wrong passwords for this user came from this address; retry later.")
              .retryAfter(wait));
    }
    failures.remove(attempt); // to be the newest
    failures.put(attempt, new Failures(before.count() + 1, now));
  }

  private synchronized void succeeded(Attempt attempt) {
    failures.remove(attempt);
  }

  private synchronized void undo(Attempt attempt) {
    failures.computeIfPresent(
        attempt, (_, now) -> now.count() == 1 ? null : new Failures(now.count() - 1, now.last()));
  }

  private Duration pause(int count) {
    return count < free
        ? Duration.ZERO
        : Duration.ofSeconds(Math.min(LONGEST.toSeconds(), 1L << Math.min(count - free, 30)));
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
