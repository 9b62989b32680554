/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import io.forebay.access.Admitted;
import io.forebay.access.Role;
import io.forebay.access.TokenOwner;
import io.forebay.access.Users;
import io.forebay.operations.Actor;
import io.forebay.system.StoredUser;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.userdetails.UserDetails;

/**
 * A user of the admin page with a password of Forebay.
 *
 * @param getPassword what a login is checked against: the hash of the password, or what a login
 *     cookie signs
 * @param until when the login ends
 */
record Account(StoredUser user, String getPassword, Instant until) implements UserDetails {

  /** An account whose password is checked. */
  static Account ofPassword(StoredUser user, Instant until) {
    return new Account(user, user.password(), until);
  }

  /** An account with what a login cookie signs: a new password and a logout end the login. */
  static Account ofCookie(StoredUser user, Instant until) {
    return new Account(user, user.password() + ' ' + user.logouts(), until);
  }

  @Override
  public String getUsername() {
    return user.name();
  }

  /** None before the user has replaced a password that somebody else set. */
  @Override
  public Collection<GrantedAuthority> getAuthorities() {
    return user.mustChange() ? List.of() : role().authorities();
  }

  /** A role that this version does not know counts as none. */
  Role role() {
    return Role.of(user.role()).orElse(Role.NONE);
  }

  /**
   * The user as a caller. The statements are those that jobs may perform for the user. An
   * administrator may have all of them: who creates tokens and users can give every grant.
   */
  private Admitted admitted(Users users) {
    return new Admitted(
        Actor.Kind.USER,
        new TokenOwner(
            user.name(), role(), role() == Role.ADMIN ? List.of("*") : user.statements()),
        () -> users.isCurrent(user) && Instant.now().isBefore(until));
  }

  /** Omits the hash. */
  @Override
  public String toString() {
    return user.toString();
  }

  /** The user as a caller who has just logged in, or has presented a login. */
  CallerAuthentication login(Users users) {
    return new CallerAuthentication(admitted(users), this, getAuthorities());
  }
}
