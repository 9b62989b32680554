/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import io.forebay.service.progress.Unavailable;
import io.forebay.system.StoredUser;
import io.forebay.system.TokenStore;
import io.forebay.system.UserStore;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The users who may log in, as last read from the system database. While it is unavailable, logins
 * stay valid, and nobody can log in. Thread-safe; {@link #known} and {@link #isCurrent} never wait.
 */
public final class Users {

  private final UserStore store;
  private volatile Map<String, StoredUser> byName = Map.of();
  private volatile String secret = "";

  public Users(UserStore store) {
    this.store = store;
  }

  /**
   * Reads all users.
   *
   * @throws Unavailable if the database does not respond; the previous ones stay active
   */
  public synchronized List<StoredUser> refresh() {
    List<StoredUser> all = store.all();
    if (secret.isEmpty()) {
      secret = store.secret();
    }
    byName = all.stream().collect(Collectors.toMap(StoredUser::name, Function.identity()));
    return all;
  }

  /** The secret of the instances, which signs logins. It is known if a user is. */
  public String secret() {
    return secret;
  }

  /** The user as last read. */
  public Optional<StoredUser> known(String name) {
    return Optional.ofNullable(byName.get(name));
  }

  /** Whether a login of this user is still valid. */
  public boolean isCurrent(StoredUser user) {
    StoredUser now = byName.get(user.name());
    return now != null && now.isSame(user);
  }

  /**
   * The user as the database has it now.
   *
   * @throws Unavailable if the database does not respond
   */
  public Optional<StoredUser> find(String name) {
    return store.find(name);
  }

  /**
   * @return whether it was added; false if the name is in use
   */
  public boolean add(StoredUser user) {
    boolean added = store.add(user);
    take();
    return added;
  }

  /**
   * Sets a password that the user chose, which ends all logins of the user.
   *
   * @return the user with the new password; empty if it has been changed since
   */
  public Optional<StoredUser> changePassword(StoredUser user, String hash) {
    boolean changed = store.changePassword(user.name(), user.password(), hash);
    take();
    return changed ? Optional.of(user.withOwnPassword(hash)) : Optional.empty();
  }

  /** Ends all logins of the user. */
  public void logOut(String name) {
    store.logOut(name);
    take();
  }

  public TokenStore.Removal remove(String name) {
    TokenStore.Removal removal = store.remove(name);
    take();
    return removal;
  }

  /**
   * Reads what was just written. If the database goes away at this moment, the next regular refresh
   * reads it: the command itself has succeeded.
   */
  private void take() {
    try {
      refresh();
    } catch (Unavailable _) {
      // whoever refreshes regularly logs it
    }
  }
}
