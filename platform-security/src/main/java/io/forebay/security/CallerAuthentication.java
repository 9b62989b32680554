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
import java.util.function.BooleanSupplier;
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

  private final Actor.Kind kind;
  private final transient Object principal;
  private final transient TokenOwner caller;
  private final transient @Nullable BooleanSupplier isStillValid;
  private volatile boolean ended;

  /** A caller with the authorities of its role. */
  CallerAuthentication(Admitted admitted) {
    this(admitted, admitted.caller().name(), admitted.caller().role().authorities());
  }

  CallerAuthentication(
      Admitted admitted, Object principal, Collection<? extends GrantedAuthority> authorities) {
    super(authorities);
    this.kind = admitted.kind();
    this.principal = principal;
    this.caller = admitted.caller();
    this.isStillValid = admitted.isStillValid();
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
        && authentication.caller.isGranted(what);
  }

  /** The user with a password of Forebay; empty for other callers. */
  Optional<Account> account() {
    return principal instanceof Account account ? Optional.of(account) : Optional.empty();
  }

  Actor actor(String address) {
    return new Actor(kind, caller.name(), caller.role().text(), address);
  }

  @Override
  public Actor.Kind kind() {
    return kind;
  }

  @Override
  public boolean isStillAdmitted() {
    // null if a store of sessions has written and read it
    return isStillValid != null && !ended && isStillValid.getAsBoolean();
  }

  /** Ends the session with this caller, and what it has open. */
  void end() {
    ended = true;
  }

  @Override
  public String getName() {
    return caller.name();
  }

  @Override
  public Object getPrincipal() {
    return principal;
  }

  @Override
  public Object getCredentials() {
    return "";
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof CallerAuthentication that
        && kind == that.kind
        && caller.equals(that.caller);
  }

  @Override
  public int hashCode() {
    return caller.hashCode();
  }
}
