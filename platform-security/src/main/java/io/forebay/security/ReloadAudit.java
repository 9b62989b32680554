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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Writes a request to reload the catalogue to the audit before it is performed, and once more if it
 * failed.
 */
final class ReloadAudit implements HandlerInterceptor {

  private static final Logger log = LoggerFactory.getLogger(ReloadAudit.class);
  private static final String ENTRY = ReloadAudit.class.getName() + ".entry";

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
      Audit.Entry entry =
          Audit.Entry.allowed(BearerFilter.actor(request), "catalogue.reload", "catalogue", "");
      audit.record(entry);
      request.setAttribute(ENTRY, entry);
      return true;
    } catch (Unavailable _) {
      problems.unavailable(response);
      return false;
    }
  }

  @Override
  public void afterCompletion(
      HttpServletRequest request,
      HttpServletResponse response,
      Object handler,
      @Nullable Exception failure) {
    if (!(request.getAttribute(ENTRY) instanceof Audit.Entry entry)
        || (failure == null && response.getStatus() < 400)) {
      return;
    }
    Audit.Entry failed =
        failure == null
            ? entry.withOutcome("failed: status " + response.getStatus())
            : entry.failed(failure);
    try {
      audit.record(failed);
    } catch (Unavailable e) {
      log.warn("The audit lacks that a reload of the catalogue {}", failed.outcome(), e);
    }
  }
}
