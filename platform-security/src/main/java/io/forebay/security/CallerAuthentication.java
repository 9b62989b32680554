/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import io.forebay.access.Admitted;
import io.forebay.access.TokenOwner;
import io.forebay.operations.Actor;
import io.forebay.operations.KnownCaller;
import java.security.Principal;
import java.util.Collection;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.AbstractAuthenticationToken;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.context.SecurityContextHolder;

/**
 * A caller who was identified by a token, a JWT or a login. Its name is that of the token or the
 * user; no secret is kept.
 */
final class CallerAuthentication extends AbstractAuthenticationToken implements KnownCaller {

  private static final long serialVersionUID = 1;

  private final Admitted admitted;
  private final transient @Nullable Account account;
  private volatile boolean ended;

  /** A caller with the authorities of its role. */
  CallerAuthentication(Admitted admitted) {
    this(admitted, null, admitted.caller().role().authorities());
  }

  /**
   * @param account null if the caller has no password of Forebay
   */
  CallerAuthentication(
      Admitted admitted,
      @Nullable Account account,
      Collection<? extends GrantedAuthority> authorities) {
    super(authorities);
    this.admitted = admitted;
    this.account = account;
    setAuthenticated(true);
  }

  /** The caller of the request that this thread handles; empty if nobody was identified. */
  static Optional<CallerAuthentication> current() {
    return SecurityContextHolder.getContext().getAuthentication()
            instanceof CallerAuthentication caller
        ? Optional.of(caller)
        : Optional.empty();
  }

  /** Whether the caller's token covers the statement or the service. */
  static boolean isGranted(Principal caller, String what) {
    return caller instanceof CallerAuthentication authentication
        && authentication.admitted.caller().isGranted(what);
  }

  /** The user with a password of Forebay; empty for other callers. */
  Optional<Account> account() {
    return Optional.ofNullable(account);
  }

  Actor actor(String address) {
    TokenOwner caller = admitted.caller();
    return new Actor(admitted.kind(), caller.name(), caller.role().text(), address);
  }

  @Override
  public Actor.Kind kind() {
    return admitted.kind();
  }

  @Override
  public boolean isStillAdmitted() {
    return !ended && admitted.isStillValid().getAsBoolean();
  }

  /** Ends the session with this caller, and what it has open. */
  void end() {
    ended = true;
  }

  @Override
  public String getName() {
    return admitted.caller().name();
  }

  @Override
  public Object getPrincipal() {
    return account == null ? getName() : account;
  }

  @Override
  public Object getCredentials() {
    return "";
  }
}
