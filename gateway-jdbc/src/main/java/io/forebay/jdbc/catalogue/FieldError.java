/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Something wrong in a request's body.
 *
 * @param field where, as a JSON pointer
 * @param message what is expected there; never what came
 */
public record FieldError(String field, String message) {

  private static final int MAX_FIELD = 100;

  /** The pointer of a member of what another pointer names. */
  public static String pointer(String parent, String member) {
    String shown = member.length() > MAX_FIELD ? member.substring(0, MAX_FIELD) + "…" : member;
    // half of a surrogate pair becomes a question mark: it could not be written
    String whole = new String(shown.getBytes(UTF_8), UTF_8);
    return parent + "/" + whole.replace("~", "~0").replace("/", "~1");
  }
}
