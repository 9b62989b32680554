/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import jakarta.servlet.http.HttpServletRequest;
import org.springframework.security.core.context.DeferredSecurityContext;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.web.context.HttpSessionSecurityContextRepository;
import org.springframework.util.function.SingletonSupplier;

/** The sessions of users whom the OpenID provider identified; a login ends also if it is used. */
final class ProviderSessions extends HttpSessionSecurityContextRepository {

  ProviderSessions() {
    setSpringSecurityContextKey("FOREBAY_SECURITY_CONTEXT"); // the application may have another
  }

  @Override
  public DeferredSecurityContext loadDeferredContext(HttpServletRequest request) {
    DeferredSecurityContext stored = super.loadDeferredContext(request);
    SingletonSupplier<SecurityContext> valid =
        SingletonSupplier.of(() -> isOver(stored.get()) ? generateNewContext() : stored.get());
    return new DeferredSecurityContext() {
      @Override
      public SecurityContext get() {
        return valid.obtain();
      }

      @Override
      public boolean isGenerated() {
        return stored.isGenerated();
      }
    };
  }

  private static boolean isOver(SecurityContext context) {
    return context.getAuthentication() instanceof CallerAuthentication caller
        && !caller.isStillAdmitted();
  }
}
