/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package com.example.imports;

import java.math.BigDecimal;
import org.springframework.batch.infrastructure.item.file.transform.FieldSet;

/**
 * A record of the file.
 *
 * @param line where it ends in the file, which identifies it
 */
record Order(int line, long id, String customer, BigDecimal amount) {

  static Order of(int line, FieldSet fields) {
    return new Order(
        line,
        fields.readLong("id"),
        fields.readString("customer"),
        fields.readBigDecimal("amount"));
  }
}
