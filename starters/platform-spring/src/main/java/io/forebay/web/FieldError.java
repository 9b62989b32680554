/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.web;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * An error in a request.
 *
 * @param field the field, as a JSON pointer into the body, or the name of a parameter
 * @param message what is expected; never contains the received value
 */
public record FieldError(String field, String message) {

  private static final int MAX_FIELD = 100;

  /** Returns the pointer to a member of the object at {@code parent}. */
  public static String pointer(String parent, String member) {
    String shown = member.length() > MAX_FIELD ? member.substring(0, MAX_FIELD) + "…" : member;
    // half a surrogate pair becomes a question mark, because it cannot be encoded
    String whole = new String(shown.getBytes(UTF_8), UTF_8);
    return parent + "/" + whole.replace("~", "~0").replace("/", "~1");
  }
}
