/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import io.forebay.system.StoredUser;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The users as last read from the system database, and the sessions that began from them while it
 * was unavailable. Only in memory: a process that starts meanwhile has none. A user is forgotten
 * before this instance changes the password or removes the user, whatever the outcome; what another
 * instance changes takes effect when users are read again, or when the time is over. Thread-safe;
 * never blocks.
 */
final class ReadOnlySessions {

  private final Duration longest;
  private final Duration idle;
  private final InstantSource clock;
  private final Map<String, StoredUser> users = new ConcurrentHashMap<>();
  private final Map<String, Session> sessions = new ConcurrentHashMap<>();
  private volatile Instant read = Instant.MIN;

  /**
   * @param longest how long after users were read they can begin and use such sessions
   * @param idle how long an unused session stays valid
   */
  ReadOnlySessions(Duration longest, Duration idle, InstantSource clock) {
    this.longest = longest;
    this.idle = idle;
    this.clock = clock;
  }

  private static final class Session {

    final StoredUser user;
    volatile Instant used;

    Session(StoredUser user, Instant used) {
      this.user = user;
      this.used = used;
    }
  }

  /** The database returned these users. Ends the sessions of others. */
  void read(Collection<StoredUser> all) {
    Map<String, StoredUser> found =
        all.stream().collect(Collectors.toMap(StoredUser::name, Function.identity()));
    users.keySet().retainAll(found.keySet());
    users.putAll(found);
    read = clock.instant();
    Instant end = read.minus(idle);
    sessions.values().removeIf(it -> !isKnown(it.user) || it.used.isBefore(end));
  }

  /** The user is about to change. */
  void forget(String name) {
    users.remove(name);
    sessions.values().removeIf(it -> it.user.name().equals(name));
  }

  boolean isOpen() {
    return clock.instant().isBefore(read.plus(longest));
  }

  Optional<StoredUser> user(String name) {
    return isOpen() ? Optional.ofNullable(users.get(name)) : Optional.empty();
  }

  /** Begins a session of an authenticated user. */
  synchronized LoggedIn begin(StoredUser user) {
    List<Map.Entry<String, Session>> his =
        sessions.entrySet().stream()
            .filter(it -> it.getValue().user.name().equals(user.name()))
            .sorted(Comparator.comparing(it -> it.getValue().used))
            .toList();
    his.stream()
        .limit(Math.max(0, his.size() - Logins.SESSIONS_OF_A_USER + 1L))
        .forEach(it -> sessions.remove(it.getKey()));
    String text = TokenText.generateSession();
    sessions.put(TokenText.hash(text), new Session(user, clock.instant()));
    return loggedIn(user, text);
  }

  Optional<LoggedIn> find(String hash, String text) {
    Session session = sessions.get(hash);
    if (session == null || !isValid(session)) {
      return Optional.empty();
    }
    session.used = clock.instant();
    return Optional.of(loggedIn(session.user, text));
  }

  /** Whether there still is such a session. To ask is no use of it. */
  boolean isValid(String hash) {
    Session session = sessions.get(hash);
    return session != null && isValid(session);
  }

  private boolean isValid(Session session) {
    return isOpen() && isKnown(session.user) && !session.used.plus(idle).isBefore(clock.instant());
  }

  /**
   * @return whether there was such a session
   */
  boolean end(String hash) {
    return sessions.remove(hash) != null;
  }

  /** Whether the user still has the same password and role. */
  private boolean isKnown(StoredUser user) {
    return user.equals(users.get(user.name()));
  }

  /** With role viewer, or none. */
  private static LoggedIn loggedIn(StoredUser user, String text) {
    boolean mayRead = Role.of(user.role()).filter(it -> it != Role.NONE).isPresent();
    StoredUser reader =
        new StoredUser(
            user.name(),
            user.password(),
            (mayRead ? Role.VIEWER : Role.NONE).text(),
            user.mustChange(),
            user.createdBy(),
            user.createdAt());
    return new LoggedIn(reader, text, true);
  }
}
