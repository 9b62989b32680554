/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseCookie;
import org.springframework.web.util.WebUtils;

/**
 * A cookie of the admin page that no script can read. Over TLS, only a page of this host that came
 * over TLS can set it (RFC 6265bis).
 *
 * @param path where the browser sends it; over TLS it must be everywhere
 */
public record PageCookie(String name, String path, String sameSite) {

  /** Its value; null if the request has none. */
  public @Nullable String read(HttpServletRequest request) {
    Cookie cookie = WebUtils.getCookie(request, name(request));
    return cookie == null ? null : cookie.getValue();
  }

  /**
   * @param age negative: until the browser is closed; zero: the browser deletes it
   */
  public void write(
      String value, Duration age, HttpServletRequest request, HttpServletResponse response) {
    response.addHeader(
        HttpHeaders.SET_COOKIE,
        ResponseCookie.from(name(request), value)
            .httpOnly(true)
            .secure(request.isSecure())
            .sameSite(sameSite)
            .path(request.isSecure() ? "/" : request.getContextPath() + path)
            .maxAge(age)
            .build()
            .toString());
  }

  private String name(HttpServletRequest request) {
    return request.isSecure() ? "__Host-" + name : name;
  }
}
