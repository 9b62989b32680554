/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security.body;

import java.util.List;

/** A request with invalid fields. */
public final class Invalid extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final transient List<Field> fields;

  public Invalid(List<Field> fields) {
    super(fields.size() + " fields of the request are not valid");
    this.fields = List.copyOf(fields);
  }

  public List<Field> fields() {
    return fields;
  }

  /**
   * @param path the path of the field in the body, its parts separated by slashes
   * @param detail what it must be
   */
  public record Field(String path, String detail) {}
}
