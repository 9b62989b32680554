/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Enumeration;
import org.jspecify.annotations.Nullable;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;

/** Reads the bodies of requests. */
final class Body {

  static final byte[] EMPTY_OBJECT = {'{', '}'};

  private Body() {}

  /**
   * @return the bytes of the JSON text; an empty object if there is no body
   * @throws Problem if the body is not JSON or is larger than {@code max}
   */
  static byte[] read(HttpServletRequest request, int max) throws IOException {
    long announced = request.getContentLengthLong();
    if (announced > max) {
      throw tooLarge(max);
    }
    boolean json = isJson(contentType(request));
    if (announced > 0 && !json) {
      throw notJson();
    }
    String encoding = request.getHeader("Content-Encoding");
    if (encoding != null && !encoding.equalsIgnoreCase("identity")) {
      throw new Problem(ProblemType.UNSUPPORTED_MEDIA_TYPE, "The body must not be compressed");
    }
    InputStream in = request.getInputStream();
    byte[] bytes = in.readNBytes(announced >= 0 ? (int) announced : max + 1);
    if (bytes.length > max) {
      throw tooLarge(max);
    }
    if (bytes.length > 0 && !json) {
      throw notJson();
    }
    if (bytes.length == 0) {
      return EMPTY_OBJECT;
    }
    if (!Utf8Body.is(bytes)) {
      throw new Problem(ProblemType.MALFORMED_JSON, "The body is not UTF-8; nothing was accepted");
    }
    return bytes;
  }

  /** Returns null unless there is exactly one. */
  private static @Nullable String contentType(HttpServletRequest request) {
    Enumeration<String> types = request.getHeaders("Content-Type");
    String type = types.hasMoreElements() ? types.nextElement() : null;
    return types.hasMoreElements() ? null : type;
  }

  private static Problem tooLarge(int max) {
    return new Problem(ProblemType.TOO_LARGE, "The body exceeds the limit; nothing was accepted")
        .with("limitBytes", max);
  }

  private static Problem notJson() {
    return new Problem(
        ProblemType.UNSUPPORTED_MEDIA_TYPE, "The Content-Type must be application/json, in UTF-8");
  }

  private static boolean isJson(@Nullable String contentType) {
    if (contentType == null) {
      return false;
    }
    if (contentType.equals("application/json")) {
      return true;
    }
    try {
      MediaType type = MediaType.parseMediaType(contentType);
      return type.isCompatibleWith(MediaType.APPLICATION_JSON)
          && type.isConcrete()
          && (type.getCharset() == null || type.getCharset().equals(StandardCharsets.UTF_8));
    } catch (InvalidMediaTypeException _) {
      return false;
    }
  }
}
