/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import io.forebay.access.Admitted;
import io.forebay.access.TokenOwner;
import io.forebay.operations.Actor;
import io.forebay.operations.KnownCaller;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.security.Principal;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.AbstractAuthenticationToken;
import org.springframework.security.core.authority.SimpleGrantedAuthority;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.web.context.RequestAttributeSecurityContextRepository;
import org.springframework.security.web.context.SecurityContextRepository;

/**
 * A request whose token or session was found. Its name is that of the token or the user; neither
 * token nor session is stored.
 */
final class CallerAuthentication extends AbstractAuthenticationToken implements KnownCaller {

  private static final long serialVersionUID = 1;

  private static final SecurityContextRepository CONTEXTS =
      new RequestAttributeSecurityContextRepository();

  private static final String IDENTIFIED = CallerAuthentication.class.getName() + ".identified";

  private final Actor.Kind kind;
  private final transient TokenOwner caller;
  private final transient BooleanSupplier isStillValid;

  CallerAuthentication(Admitted admitted) {
    super(admitted.caller().role().authorities());
    this.kind = admitted.kind();
    this.caller = admitted.caller();
    this.isStillValid = admitted.isStillValid();
    setAuthenticated(true);
  }

  /**
   * Sets the caller of a request, also for the thread that continues it if the answer is
   * asynchronous.
   */
  static void set(Admitted caller, HttpServletRequest request, HttpServletResponse response) {
    SecurityContext context = SecurityContextHolder.createEmptyContext();
    context.setAuthentication(new CallerAuthentication(caller));
    SecurityContextHolder.setContext(context);
    CONTEXTS.saveContext(context, request, response);
    note(request);
  }

  /** Notes that the caller of the request is identified, until the server has answered it. */
  static void note(HttpServletRequest request) {
    request.setAttribute(IDENTIFIED, true);
  }

  static boolean isNoted(HttpServletRequest request) {
    return request.getAttribute(IDENTIFIED) != null;
  }

  /** The caller of the request that this thread handles; empty if nobody was identified. */
  static Optional<CallerAuthentication> current() {
    return SecurityContextHolder.getContext().getAuthentication()
            instanceof CallerAuthentication caller
        ? Optional.of(caller)
        : Optional.empty();
  }

  /** Whether the caller's role is this one or a stronger one. */
  boolean hasRole(String role) {
    return getAuthorities().contains(new SimpleGrantedAuthority("ROLE_" + role));
  }

  /** Whether the caller's token covers the statement or the service. */
  static boolean isGranted(Principal caller, String what) {
    return caller instanceof CallerAuthentication authentication
        && authentication.caller().isGranted(what);
  }

  TokenOwner caller() {
    return caller;
  }

  @Override
  public Actor.Kind kind() {
    return kind;
  }

  @Override
  public boolean isStillAdmitted() {
    return isStillValid.getAsBoolean();
  }

  @Override
  public String getName() {
    return caller.name();
  }

  @Override
  public Object getPrincipal() {
    return caller.name();
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
