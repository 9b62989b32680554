/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import io.forebay.operations.Actor;
import io.forebay.system.StoredToken;
import io.forebay.system.TokenStore;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tokens as last read from the system database, in memory and in a file, so that callers are
 * known while the database is unavailable. Thread-safe; finding a caller never blocks.
 */
public final class Tokens {

  private static final Logger log = LoggerFactory.getLogger(Tokens.class);

  /** How long before its end a token is reported, or a tenth of its life if that is shorter. */
  private static final Duration SOON = Duration.ofDays(14);

  private static final int PART = 10;

  /** How exactly the file says when the tokens were read. */
  private static final Duration NOTED = Duration.ofMinutes(1);

  private final TokenStore store;
  private final TokenFile file;
  private final Duration longest;
  private final InstantSource clock;
  private volatile Map<String, Known> callers = Map.of();
  private volatile List<StoredToken> current = List.of();
  private volatile Instant read = Instant.MIN;

  /** The hashes of those whose end is in the log. */
  private final Set<String> warned = new HashSet<>();

  /** When the tokens in the file were read; long ago if they are not the current ones. */
  private Instant written = Instant.MIN;

  /**
   * @param longest how long tokens count that cannot be read again
   */
  public Tokens(TokenStore store, TokenFile file, Duration longest, InstantSource clock) {
    this.store = store;
    this.file = file;
    this.longest = longest;
    this.clock = clock;
  }

  private record Known(TokenOwner owner, Instant until) {

    static Known of(StoredToken token) {
      return new Known(TokenOwner.of(token), token.expiresAt());
    }
  }

  /** Whether the tokens were read too long ago: no token is valid then. */
  public boolean areOutdated() {
    return read.plus(longest).isBefore(clock.instant());
  }

  /** The caller with this token; empty if it is not a valid token, or has ended. */
  public Optional<Admitted> admit(String text) {
    String hash = TokenText.hash(text);
    TokenOwner owner = owner(hash);
    return owner == null
        ? Optional.empty()
        : Optional.of(new Admitted(Actor.Kind.TOKEN, owner, () -> owner.equals(owner(hash))));
  }

  private @Nullable TokenOwner owner(String hash) {
    Known known = callers.get(hash);
    if (known == null || areOutdated()) {
      return null;
    }
    return clock.instant().isBefore(known.until()) ? known.owner() : null;
  }

  /** The owner of a token that has ended. */
  public Optional<Admitted> ended(String text) {
    return Optional.ofNullable(callers.get(TokenText.hash(text)))
        .map(it -> new Admitted(Actor.Kind.TOKEN, it.owner(), () -> false));
  }

  /** The tokens that end soon, the first one first. */
  public List<StoredToken> endingSoon() {
    return current.stream()
        .filter(this::endsSoon)
        .sorted(Comparator.comparing(StoredToken::expiresAt))
        .toList();
  }

  private boolean endsSoon(StoredToken token) {
    Instant now = clock.instant();
    Duration part = Duration.between(token.createdAt(), token.expiresAt()).dividedBy(PART);
    Instant from = token.expiresAt().minus(part.compareTo(SOON) < 0 ? part : SOON);
    return now.isAfter(from) && now.isBefore(token.expiresAt());
  }

  /** Loads the tokens that the last process stored, until the database responds. */
  public synchronized void restore() {
    take(file.read());
    read = file.readAt();
    written = read;
  }

  /**
   * Reads the tokens of the database.
   *
   * @throws io.forebay.service.progress.Unavailable if it does not respond; the previous ones stay
   *     active
   */
  public synchronized List<StoredToken> refresh() {
    List<StoredToken> tokens = store.all();
    read = clock.instant();
    if (!tokens.equals(current)) {
      take(tokens);
    }
    copy();
    endingSoon().stream()
        .filter(it -> warned.add(it.hash()))
        .forEach(it -> log.warn("Token {} ends at {}", it.name(), it.expiresAt()));
    return tokens;
  }

  /**
   * @return whether it was added; false if the name is in use
   * @throws io.forebay.service.progress.Unavailable if the database does not respond
   */
  public synchronized boolean add(StoredToken token) {
    if (!store.add(token)) {
      return false;
    }
    take(Stream.concat(current.stream(), Stream.of(token)).toList());
    copy();
    return true;
  }

  /**
   * @throws io.forebay.service.progress.Unavailable if the database does not respond
   */
  public synchronized TokenStore.Removal remove(String name) {
    TokenStore.Removal removal = store.remove(name);
    if (removal == TokenStore.Removal.REMOVED) {
      take(current.stream().filter(token -> !token.name().equals(name)).toList());
      copy();
    }
    return removal;
  }

  private void take(List<StoredToken> tokens) {
    callers = tokens.stream().collect(Collectors.toUnmodifiableMap(StoredToken::hash, Known::of));
    current = tokens;
    written = Instant.MIN;
  }

  /**
   * Writes the file, which also says when the tokens were read, for a start without the database.
   */
  private void copy() {
    if (!written.plus(NOTED).isBefore(read)) {
      return;
    }
    try {
      file.write(current);
    } catch (UncheckedIOException e) {
      log.warn(
          "tokens could not be written to the data directory; a start while the system database is"
              + " unavailable would use the previous ones",
          e);
    }
    written = read;
  }
}
