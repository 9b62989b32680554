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
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

  /** How exactly the file says when the tokens were read. */
  private static final Duration NOTED = Duration.ofMinutes(1);

  private final TokenStore store;
  private final TokenFile file;
  private final Duration longest;
  private final InstantSource clock;
  private volatile Map<String, Known> callers = Map.of();
  private volatile List<StoredToken> current = List.of();
  private volatile Instant read = Instant.MIN;

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

  /** The tokens that end within this time, and were valid for longer, the first one first. */
  public List<StoredToken> endingWithin(Duration time) {
    Instant now = clock.instant();
    return current.stream()
        .filter(it -> now.isBefore(it.expiresAt()) && it.expiresAt().isBefore(now.plus(time)))
        .filter(it -> it.createdAt().plus(time).isBefore(it.expiresAt()))
        .sorted(Comparator.comparing(StoredToken::expiresAt))
        .toList();
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
