/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import io.forebay.operations.Actor;
import io.forebay.service.progress.Unavailable;
import io.forebay.system.SessionStore;
import io.forebay.system.StoredSession;
import io.forebay.system.StoredUser;
import io.forebay.system.TokenStore;
import io.forebay.system.UserStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The users who may log in and the active sessions, as last read from the system database, in
 * memory. While the database is unavailable, existing sessions stay valid, and nobody can log in.
 * Thread-safe; finding a known session never blocks.
 */
public final class Logins {

  /** Above this limit the user's least recently used session is ended. */
  static final int SESSIONS_OF_A_USER = 20;

  /** How old the stored time of last use may become. */
  private static final Duration USE_WRITTEN = Duration.ofMinutes(1);

  /** The minimum interval between queries for sessions that only another instance may know. */
  private static final Duration UNKNOWN_ASKED = Duration.ofMillis(200);

  /** The limit of the column. */
  private static final int ADDRESS = 100;

  /** No hash of a password is equal to it. */
  private static final String NO_PASSWORD = "";

  private static final String OF_PROVIDER = "OpenID provider";

  private final UserStore users;
  private final SessionStore store;
  private final Duration idle;
  private final Duration lifetime;
  private final InstantSource clock;
  private volatile Map<String, StoredUser> byName = Map.of();
  private final Map<String, Session> sessions = new ConcurrentHashMap<>();
  private final AtomicBoolean asking = new AtomicBoolean();
  private volatile Instant asked = Instant.MIN;

  /**
   * @param idle how long an unused session stays valid
   * @param lifetime how long a session stays valid after the login, whether it is used or not
   */
  public Logins(
      UserStore users, SessionStore store, Duration idle, Duration lifetime, InstantSource clock) {
    this.users = users;
    this.store = store;
    this.idle = idle;
    this.lifetime = lifetime;
    this.clock = clock;
  }

  private static final class Session {

    final StoredSession stored;
    volatile Instant used;

    Session(StoredSession stored, Instant used) {
      this.stored = stored;
      this.used = used;
    }
  }

  /** Finds the owner of a session, and marks the session as used now. */
  public Optional<LoggedIn> find(String text) {
    if (!TokenText.isSession(text)) {
      return Optional.empty();
    }
    String hash = TokenText.hash(text);
    Session session = sessions.get(hash);
    if (session == null) {
      askForUnknown();
      session = sessions.get(hash);
    }
    if (session == null || isOver(session)) {
      return Optional.empty();
    }
    StoredUser user = user(session.stored);
    if (user == null) {
      return Optional.empty();
    }
    session.used = clock.instant();
    return Optional.of(new LoggedIn(user, text, kind(session.stored)));
  }

  private static Actor.Kind kind(StoredSession session) {
    return session.rights() == null ? Actor.Kind.USER : Actor.Kind.OIDC;
  }

  /** The user of a session; null if the user was deleted. */
  private @Nullable StoredUser user(StoredSession session) {
    StoredSession.Rights rights = session.rights();
    return rights == null
        ? byName.get(session.user())
        : new StoredUser(
            session.user(),
            NO_PASSWORD,
            rights.role(),
            false,
            OF_PROVIDER,
            session.begunAt(),
            rights.statements());
  }

  private boolean isOver(Session session) {
    Instant now = clock.instant();
    return session.used.plus(idle).isBefore(now)
        || session.stored.begunAt().plus(lifetime).isBefore(now);
  }

  /** A logged-in user as a caller. To ask whether the session is still valid is no use of it. */
  public Admitted admit(LoggedIn login) {
    String hash = TokenText.hash(login.text());
    return new Admitted(login.kind(), login.caller(), () -> isValid(hash, login.user()));
  }

  private boolean isValid(String hash, StoredUser user) {
    Session session = sessions.get(hash);
    if (session == null || isOver(session) || !session.stored.user().equals(user.name())) {
      return false;
    }
    StoredUser now = user(session.stored);
    return now != null && now.role().equals(user.role()) && now.mustChange() == user.mustChange();
  }

  /**
   * Queries the database for an unknown session. One request at a time and not often, since anybody
   * can present sessions that do not exist.
   */
  private void askForUnknown() {
    if (!asking.compareAndSet(false, true)) {
      return;
    }
    try {
      if (!asked.plus(UNKNOWN_ASKED).isAfter(clock.instant())) {
        refresh();
      }
    } catch (Unavailable _) {
      // The session stays unknown; the regular refresh logs the failure.
    } finally {
      asked = clock.instant();
      asking.set(false);
    }
  }

  /**
   * Reads users and sessions from the database, and stores which sessions were used.
   *
   * @throws Unavailable if the database does not respond; the previous ones stay active
   */
  public synchronized List<StoredUser> refresh() {
    for (Session session : sessions.values()) {
      if (session.used.isAfter(session.stored.usedAt().plus(USE_WRITTEN))) {
        store.used(session.stored.hash(), session.used);
      }
    }
    List<StoredUser> all = users.all();
    List<StoredSession> found = store.all();
    Instant used = clock.instant().minus(idle);
    Instant begun = clock.instant().minus(lifetime);
    if (found.stream().anyMatch(it -> it.usedAt().isBefore(used) || it.begunAt().isBefore(begun))) {
      store.removeExpired(used, begun);
    }
    byName = all.stream().collect(Collectors.toUnmodifiableMap(StoredUser::name, it -> it));
    Map<String, StoredSession> byHash =
        found.stream().collect(Collectors.toMap(StoredSession::hash, Function.identity()));
    sessions.keySet().retainAll(byHash.keySet());
    byHash.forEach((hash, stored) ->
        sessions.compute(hash, (_, known) -> new Session(stored, later(known, stored.usedAt()))));
    return all;
  }

  private static Instant later(@Nullable Session known, Instant used) {
    return known == null || known.used.isBefore(used) ? used : known.used;
  }

  /** The user as last read from the database. */
  public Optional<StoredUser> user(String name) {
    return users.find(name);
  }

  /**
   * Begins a session of an authenticated user.
   *
   * @param address where the user logs in from; cut to 100 characters
   */
  public synchronized LoggedIn begin(StoredUser user, String address) {
    String text = TokenText.generateSession();
    begin(user.name(), text, null, address);
    know(user);
    return new LoggedIn(user, text);
  }

  /**
   * Begins a session of a user whom the OpenID provider has identified. The rights are those of now
   * until the session ends.
   *
   * @param address where the user logs in from; cut to 100 characters
   */
  public synchronized LoggedIn begin(TokenOwner user, String address) {
    String text = TokenText.generateSession();
    StoredSession session =
        begin(
            user.name(),
            text,
            new StoredSession.Rights(user.role().text(), user.statements()),
            address);
    return new LoggedIn(Objects.requireNonNull(user(session)), text, Actor.Kind.OIDC);
  }

  private StoredSession begin(
      String user, String text, StoredSession.@Nullable Rights rights, String address) {
    endTheOldest(user);
    Instant now = clock.instant();
    StoredSession session =
        new StoredSession(TokenText.hash(text), user, now, now, cut(address), rights);
    store.add(session);
    sessions.put(session.hash(), new Session(session, session.usedAt()));
    return session;
  }

  private static String cut(String address) {
    return address.substring(0, Math.min(address.length(), ADDRESS));
  }

  private void endTheOldest(String user) {
    List<Session> his =
        sessions.values().stream()
            .filter(session -> session.stored.user().equals(user))
            .sorted(Comparator.comparing((Session session) -> session.used).reversed())
            .toList();
    his.stream().skip(SESSIONS_OF_A_USER - 1L).forEach(session -> end(session.stored.hash()));
  }

  /**
   * The sessions of a user, the last used first.
   *
   * @throws Unavailable if the database does not respond
   */
  public List<ActiveSession> sessions(String user) {
    refresh();
    return active(user);
  }

  private List<ActiveSession> active(String user) {
    return sessions.values().stream()
        .filter(it -> it.stored.user().equals(user) && !isOver(it))
        .map(this::active)
        .sorted(Comparator.comparing(ActiveSession::usedAt).reversed())
        .toList();
  }

  private ActiveSession active(Session session) {
    StoredSession stored = session.stored;
    Instant used = session.used;
    return ActiveSession.of(
        new StoredSession(
            stored.hash(),
            stored.user(),
            stored.begunAt(),
            used,
            stored.address(),
            stored.rights()),
        used.plus(idle),
        lifetime);
  }

  /**
   * The sessions of all users whom the OpenID provider identified, by user.
   *
   * @throws Unavailable if the database does not respond
   */
  public Map<String, List<ActiveSession>> sessionsOfProvider() {
    refresh();
    return sessions.values().stream()
        .filter(it -> it.stored.rights() != null)
        .map(it -> it.stored.user())
        .distinct()
        .collect(Collectors.toMap(Function.identity(), this::active, (a, _) -> a, TreeMap::new));
  }

  /**
   * Ends one session of a user.
   *
   * @param id the id that {@link #sessions} returned
   * @return whether there was such a session
   * @throws Unavailable if the database does not respond
   */
  public synchronized boolean end(String user, String id) {
    refresh();
    Optional<String> hash =
        sessions.values().stream()
            .map(it -> it.stored)
            .filter(it -> it.user().equals(user) && ActiveSession.id(it.hash()).equals(id))
            .map(StoredSession::hash)
            .findFirst();
    hash.ifPresent(this::end);
    return hash.isPresent();
  }

  /** Logs out. */
  public void end(LoggedIn login) {
    end(TokenText.hash(login.text()));
  }

  private synchronized void end(String hash) {
    store.remove(hash);
    sessions.remove(hash);
  }

  /**
   * Sets a password that the user chose, and ends all other sessions of the user.
   *
   * @return whether it was changed; false if the password has changed since the session began
   */
  public synchronized boolean changePassword(LoggedIn login, String hash) {
    StoredUser user = login.user();
    if (!users.changePassword(user.name(), user.password(), hash)) {
      return false;
    }
    store.removeOthers(user.name(), TokenText.hash(login.text()));
    refresh();
    return true;
  }

  /**
   * Gives another password to a user who has to change it.
   *
   * @return whether it was set; false if the password is no longer that of {@code user}
   */
  public synchronized boolean givePassword(StoredUser user, String hash) {
    if (!users.givePassword(user.name(), user.password(), hash)) {
      return false;
    }
    refresh();
    return true;
  }

  /**
   * @return whether it was added; false if the name is in use
   */
  public synchronized boolean add(StoredUser user) {
    if (!users.add(user)) {
      return false;
    }
    know(user);
    return true;
  }

  public synchronized TokenStore.Removal remove(String name) {
    TokenStore.Removal removal = users.remove(name);
    if (removal == TokenStore.Removal.REMOVED) {
      Map<String, StoredUser> others = new HashMap<>(byName);
      others.remove(name);
      byName = Map.copyOf(others);
      sessions.values().removeIf(session -> session.stored.user().equals(name));
    }
    return removal;
  }

  private void know(StoredUser user) {
    Map<String, StoredUser> all = new HashMap<>(byName);
    all.put(user.name(), user);
    byName = Map.copyOf(all);
  }
}
