/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import io.forebay.operations.Audit;
import io.forebay.service.progress.Unavailable;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.web.servlet.HandlerInterceptor;

/** Writes a request to reload the catalogue to the audit before it is performed. */
final class ReloadAudit implements HandlerInterceptor {

  private final Audit audit;
  private final Problems problems;

  ReloadAudit(Audit audit, Problems problems) {
    this.audit = audit;
    this.problems = problems;
  }

  @Override
  public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
      throws IOException {
    if (!request.getMethod().equals("POST")) {
      return true;
    }
    try {
      audit.record(
          Audit.Entry.allowed(BearerFilter.actor(request), "catalogue.reload", "catalogue", ""));
      return true;
    } catch (Unavailable _) {
      problems.unavailable(response);
      return false;
    }
  }
}
