/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import io.forebay.security.SecurityHeaders;
import jakarta.servlet.ServletException;
import java.io.IOException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;

/**
 * The headers of every response. They are set before any filter runs, so that refusals by the
 * server itself have them too.
 */
final class ResponseHeaders extends ValveBase {

  /** Only sent to callers whose connection is encrypted, here or by a proxy. */
  static final String STRICT_TRANSPORT = "Strict-Transport-Security";

  static final String TWO_YEARS = "max-age=63072000";

  ResponseHeaders() {
    super(true);
  }

  @Override
  public void invoke(Request request, Response response) throws IOException, ServletException {
    SecurityHeaders.ALL.forEach(response::setHeader);
    if (request.isSecure()) {
      response.setHeader(STRICT_TRANSPORT, TWO_YEARS);
    }
    getNext().invoke(request, response);
  }
}
