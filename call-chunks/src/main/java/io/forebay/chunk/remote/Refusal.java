/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Ends a request with a problem document (RFC 9457). Its text never contains arguments. For one
 * thread; without a stack trace.
 */
final class Refusal extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final int status;
  private final String type;
  private final String title;
  private final @Nullable String code;

  private Refusal(int status, String type, String title, String detail, @Nullable String code) {
    super(detail, null, false, false);
    this.status = status;
    this.type = type;
    this.title = title;
    this.code = code;
  }

  Refusal(int status, String type, String title, String detail) {
    this(status, HttpAnswer.PROBLEM + type, title, detail, null);
  }

  static Refusal of(ServiceFailed failed) {
    int status =
        switch (failed.code()) {
          case ServiceFailed.INVALID_ARGUMENTS -> 400;
          case ServiceFailed.INTERNAL_ERROR -> 500;
          default -> 422;
        };
    return new Refusal(
        status,
        HttpAnswer.SERVICE_FAILED,
        "The service failed the chunk",
        failed.text(),
        failed.code());
  }

  /** Nothing was performed; the caller should retry soon. */
  static Refusal busy(String detail) {
    return new Refusal(503, HttpAnswer.CHUNK_REFUSED, "The service is busy", detail, null);
  }

  int status() {
    return status;
  }

  boolean isBusy() {
    return type.equals(HttpAnswer.CHUNK_REFUSED);
  }

  /**
   * @param instance the requested path
   */
  Map<String, Object> document(String instance) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("type", type);
    document.put("title", title);
    document.put("status", status);
    document.put("detail", String.valueOf(getMessage()));
    document.put("instance", instance);
    if (code != null) {
      document.put("code", code);
    }
    return document;
  }
}
