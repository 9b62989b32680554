/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

/**
 * Something wrong in a request's body.
 *
 * @param field where, as a JSON pointer
 * @param message what is expected there; never what came
 */
record FieldError(String field, String message) {

  private static final int MAX_FIELD = 100;

  /** The pointer of a member of what another pointer names. */
  static String pointer(String parent, String member) {
    String shown = member.length() > MAX_FIELD ? member.substring(0, MAX_FIELD) + "…" : member;
    return parent + "/" + shown.replace("~", "~0").replace("/", "~1");
  }
}
