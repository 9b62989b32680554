/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import io.forebay.web.Problem;
import io.forebay.web.ProblemType;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.security.crypto.argon2.Argon2PasswordEncoder;

/**
 * Hashes passwords with Argon2id with 19 MiB, two passes and one lane, as OWASP recommends. Each
 * hash takes tens of milliseconds of a core, so at most {@value #AT_ONCE} are computed at once.
 * Thread-safe.
 */
public final class Passwords {

  static final int AT_ONCE = 2;
  public static final int SHORTEST = 12;
  public static final int LONGEST = 200;

  private static final Duration LONGEST_WAIT = Duration.ofSeconds(2);

  /** Letters without look-alikes; 20 of them are 99 random bits. */
  private static final String LETTERS = "abcdefghjkmnpqrstuvwxyz23456789";

  private static final SecureRandom RANDOM = new SecureRandom();

  private final Argon2PasswordEncoder argon2 = new Argon2PasswordEncoder(16, 32, 1, 19_456, 2);
  private final Semaphore computing = new Semaphore(AT_ONCE, true);

  /**
   * Whether the password has this hash.
   *
   * @throws Refused if too many are being computed
   */
  public boolean matches(@Nullable CharSequence password, @Nullable String hash) {
    return password != null && mayBe(password) && computed(() -> argon2.matches(password, hash));
  }

  /** Whether a user can have this password; if not, it is not compared. */
  public static boolean mayBe(CharSequence password) {
    return !password.isEmpty() && password.length() <= LONGEST;
  }

  /**
   * @throws Refused if too many are being computed
   */
  public String encode(@Nullable CharSequence password) {
    return computed(() -> Objects.requireNonNull(argon2.encode(password)));
  }

  /** Generates a password that nobody can guess, in groups that are easy to type. */
  public static String generate() {
    return RANDOM
        .ints(20, 0, LETTERS.length())
        .mapToObj(letter -> LETTERS.substring(letter, letter + 1))
        .collect(Collectors.joining())
        .replaceAll(".{5}(?!$)", "$0-");
  }

  private <T> T computed(Supplier<T> computation) {
    try {
      if (!computing.tryAcquire(LONGEST_WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
        throw tooMany();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw tooMany();
    }
    try {
      return computation.get();
    } finally {
      computing.release();
    }
  }

  private static Refused tooMany() {
    return new Refused(
        new Problem(ProblemType.TOO_MANY_FAILURES, "Too many logins at the same time; retry later.")
            .retryAfter(LONGEST_WAIT));
  }
}
