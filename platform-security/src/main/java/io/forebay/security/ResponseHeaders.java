/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import jakarta.servlet.ServletException;
import java.io.IOException;
import java.util.Map;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;

/**
 * The headers of every response. They are set before any filter runs, so that refusals by the
 * server itself have them too.
 */
public final class ResponseHeaders extends ValveBase {

  public static final Map<String, String> ALL =
      Map.of(
          "Content-Security-Policy",
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
              + " connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
          "X-Content-Type-Options",
          "nosniff",
          "X-Frame-Options",
          "DENY",
          "Referrer-Policy",
          "no-referrer",
          "Cache-Control",
          "no-store");

  /** Two years; only sent over encrypted connections. */
  static final String STRICT_TRANSPORT = "max-age=63072000";

  ResponseHeaders() {
    super(true);
  }

  @Override
  public void invoke(Request request, Response response) throws IOException, ServletException {
    ALL.forEach(response::setHeader);
    if (request.isSecure()) {
      response.setHeader("Strict-Transport-Security", STRICT_TRANSPORT);
    }
    getNext().invoke(request, response);
  }
}
