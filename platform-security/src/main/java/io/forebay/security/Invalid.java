/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import java.util.List;

/** A request with invalid fields. */
final class Invalid extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final transient List<Field> fields;

  Invalid(List<Field> fields) {
    super(fields.size() + " fields of the request are not valid");
    this.fields = List.copyOf(fields);
  }

  List<Field> fields() {
    return fields;
  }

  /**
   * @param path the path of the field in the body, its parts separated by slashes
   * @param detail what it must be
   */
  record Field(String path, String detail) {}
}
