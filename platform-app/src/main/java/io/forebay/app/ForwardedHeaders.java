/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.regex.Pattern;
import org.springframework.web.filter.ForwardedHeaderFilter;

/**
 * Applies the headers of a proxy, like the filter of Spring Boot that it replaces. A request whose
 * {@code X-Forwarded-Prefix} cannot be the beginning of a path is refused with 400: later filters
 * would fail to parse it, and redirects and cookies would contain it.
 */
final class ForwardedHeaders extends ForwardedHeaderFilter {

  /** Segments that are not empty (RFC 3986), so that the prefix cannot name another host. */
  private static final Pattern PREFIX =
      Pattern.compile("(?:/(?:[\\w.~!$&'()*+,=:@-]++|%[0-9A-Fa-f]{2})++)*+");

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    super.doFilterInternal(
        request,
        response,
        (applied, answer) -> {
          if (PREFIX.matcher(((HttpServletRequest) applied).getContextPath()).matches()) {
            if (applied.isSecure()) {
              response.setHeader(ResponseHeaders.STRICT_TRANSPORT, ResponseHeaders.TWO_YEARS);
            }
            chain.doFilter(applied, answer);
          } else {
            response.sendError(HttpServletResponse.SC_BAD_REQUEST);
          }
        });
  }
}
