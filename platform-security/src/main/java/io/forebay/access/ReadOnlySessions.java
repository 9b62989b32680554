/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import io.forebay.system.StoredSession;
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
 * was unavailable. They stay valid when it responds again, for no longer than other sessions. Only
 * in memory: a process that starts meanwhile has none. A user is forgotten before this instance
 * changes the password or removes the user, whatever the outcome; what another instance changes
 * takes effect when users are read again, or when the time is over. Thread-safe; never blocks.
 */
final class ReadOnlySessions {

  private final Duration longest;
  private final Duration idle;
  private final Duration lifetime;
  private final InstantSource clock;
  private final Map<String, StoredUser> users = new ConcurrentHashMap<>();
  private final Map<String, Session> sessions = new ConcurrentHashMap<>();
  private volatile Instant read = Instant.MIN;

  /**
   * @param longest how long after users were read they can begin and use such sessions
   * @param idle how long an unused session stays valid
   * @param lifetime how long a session stays valid after the login, whether it is used or not
   */
  ReadOnlySessions(Duration longest, Duration idle, Duration lifetime, InstantSource clock) {
    this.longest = longest;
    this.idle = idle;
    this.lifetime = lifetime;
    this.clock = clock;
  }

  private static final class Session {

    final StoredUser user;
    final String address;
    final Instant begun;
    volatile Instant used;

    Session(StoredUser user, String address, Instant begun) {
      this.user = user;
      this.address = address;
      this.begun = begun;
      this.used = begun;
    }
  }

  /** The database returned these users. Ends the sessions of others. */
  void read(Collection<StoredUser> all) {
    Map<String, StoredUser> found =
        all.stream().collect(Collectors.toMap(StoredUser::name, Function.identity()));
    users.keySet().retainAll(found.keySet());
    users.putAll(found);
    read = clock.instant();
    sessions.values().removeIf(it -> !isKnown(it.user) || isOver(it));
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

  /** Begins a session of an authenticated user, who logs in from an address. */
  synchronized LoggedIn begin(StoredUser user, String address) {
    List<Map.Entry<String, Session>> his =
        sessions.entrySet().stream()
            .filter(it -> it.getValue().user.name().equals(user.name()))
            .sorted(Comparator.comparing(it -> it.getValue().used))
            .toList();
    his.stream()
        .limit(Math.max(0, his.size() - Logins.SESSIONS_OF_A_USER + 1L))
        .forEach(it -> sessions.remove(it.getKey()));
    String text = TokenText.generateSession();
    sessions.put(TokenText.hash(text), new Session(user, address, clock.instant()));
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
    return isOpen() && isKnown(session.user) && !isOver(session);
  }

  private boolean isOver(Session session) {
    Instant now = clock.instant();
    return session.used.plus(idle).isBefore(now) || session.begun.plus(lifetime).isBefore(now);
  }

  /** The valid ones of a user. */
  List<ActiveSession> of(String user) {
    return sessions.entrySet().stream()
        .filter(it -> it.getValue().user.name().equals(user) && isValid(it.getValue()))
        .map(it -> {
          Session session = it.getValue();
          return ActiveSession.of(
              new StoredSession(it.getKey(), user, session.begun, session.used, session.address),
              session.used.plus(idle),
              lifetime,
              true);
        })
        .toList();
  }

  /**
   * @return whether there was such a session
   */
  boolean end(String hash) {
    return sessions.remove(hash) != null;
  }

  /**
   * @param id as {@link #of} returned it
   * @return whether the user had such a session
   */
  boolean end(String user, String id) {
    return sessions
        .entrySet()
        .removeIf(it ->
            it.getValue().user.name().equals(user) && ActiveSession.id(it.getKey()).equals(id));
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
