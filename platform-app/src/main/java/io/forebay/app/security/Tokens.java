/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.security;

import io.forebay.jdbc.system.StoredToken;
import io.forebay.jdbc.system.TokenStore;
import io.forebay.service.Unavailable;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tokens as of the last answer of the system database, in memory and in a file, so that callers
 * are known while it is away. Thread-safe; to find a caller waits for nothing.
 */
final class Tokens {

  private static final Logger log = LoggerFactory.getLogger(Tokens.class);

  private final TokenStore store;
  private final TokenFile file;
  private volatile Map<String, Caller> callers = Map.of();
  private List<StoredToken> current = List.of();
  private boolean copied;

  Tokens(TokenStore store, TokenFile file) {
    this.store = store;
    this.file = file;
  }

  /** Who presents this, if it is a token. */
  Optional<Caller> find(String text) {
    return TokenText.isWellFormed(text)
        ? Optional.ofNullable(callers.get(TokenText.hash(text)))
        : Optional.empty();
  }

  /** Takes those that the last process has written down, until the database answers. */
  synchronized void restore() {
    take(file.read());
    copied = true;
  }

  /**
   * Takes those of the database.
   *
   * @throws Unavailable if it does not answer; the last ones stay
   */
  synchronized List<StoredToken> refresh() {
    List<StoredToken> tokens = store.all();
    if (!tokens.equals(current)) {
      take(tokens);
      copied = false;
    }
    copy();
    return tokens;
  }

  /**
   * @return whether it was added; not if the name is taken
   * @throws Unavailable if the database does not answer
   */
  synchronized boolean add(StoredToken token) {
    if (!store.add(token)) {
      return false;
    }
    take(Stream.concat(current.stream(), Stream.of(token)).toList());
    copied = false;
    copy();
    return true;
  }

  /**
   * @return whether it was replaced; not if it is another by now
   * @throws Unavailable if the database does not answer
   */
  synchronized boolean replace(StoredToken before, StoredToken token) {
    if (!store.replace(before, token)) {
      return false;
    }
    take(current.stream().map(it -> it.equals(before) ? token : it).toList());
    copied = false;
    copy();
    return true;
  }

  /**
   * @throws Unavailable if the database does not answer
   */
  synchronized TokenStore.Removal remove(String name) {
    TokenStore.Removal removal = store.remove(name);
    if (removal == TokenStore.Removal.REMOVED) {
      take(current.stream().filter(token -> !token.name().equals(name)).toList());
      copied = false;
      copy();
    }
    return removal;
  }

  private void take(List<StoredToken> tokens) {
    callers = tokens.stream().collect(Collectors.toUnmodifiableMap(StoredToken::hash, Caller::of));
    current = tokens;
  }

  /** Without a file all works, but for a start while the database is away. */
  private void copy() {
    if (copied) {
      return;
    }
    try {
      file.write(current);
    } catch (UncheckedIOException e) {
      log.warn(
          "tokens could not be written to the data directory; a start while the system database is"
              + " away would know those of before",
          e);
    }
    copied = true;
  }
}
