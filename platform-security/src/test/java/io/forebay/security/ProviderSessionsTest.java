/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.access.Admitted;
import io.forebay.access.Role;
import io.forebay.access.TokenOwner;
import io.forebay.operations.Actor;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.mock.web.MockHttpSession;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextImpl;

class ProviderSessionsTest {

  private final ProviderSessions sessions = new ProviderSessions();

  private record Validity(boolean getAsBoolean) implements BooleanSupplier, Serializable {}

  /** Begins a session that the application stores elsewhere, as with Spring Session. */
  private @Nullable Authentication stored(boolean isStillValid) throws Exception {
    CallerAuthentication login =
        new CallerAuthentication(
            new Admitted(
                Actor.Kind.OIDC,
                new TokenOwner("oidc:olga@issuer", Role.OPERATOR, List.of("orders.*")),
                new Validity(isStillValid)));
    MockHttpServletRequest first = new MockHttpServletRequest();
    sessions.saveContext(new SecurityContextImpl(login), first, new MockHttpServletResponse());
    ByteArrayOutputStream store = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(store)) {
      out.writeObject(
          Objects.requireNonNull(first.getSession()).getAttribute("FOREBAY_SECURITY_CONTEXT"));
    }
    MockHttpSession session = new MockHttpSession();
    session.setAttribute(
        "FOREBAY_SECURITY_CONTEXT",
        new ObjectInputStream(new ByteArrayInputStream(store.toByteArray())).readObject());
    MockHttpServletRequest next = new MockHttpServletRequest();
    next.setSession(session);
    return sessions.loadDeferredContext(next).get().getAuthentication();
  }

  @Test
  void aLoginIsStillOneAfterTheSessionWasStoredElsewhere() throws Exception {
    assertThat(stored(true))
        .isInstanceOfSatisfying(
            CallerAuthentication.class,
            login -> {
              assertThat(login.kind()).isEqualTo(Actor.Kind.OIDC);
              assertThat(login.getName()).isEqualTo("oidc:olga@issuer");
              assertThat(login.actor("").role()).isEqualTo("operator");
              assertThat(CallerAuthentication.isGranted(login, "orders.add")).isTrue();
              assertThat(login.getAuthorities()).hasSize(2);
            });
  }

  @Test
  void aLoginThatIsOverIsNone() throws Exception {
    assertThat(stored(false)).isNull();
  }
}
