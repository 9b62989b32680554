/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One change among those of {@link JDBCStatement#executeTogether}.
 *
 * @param sql its text, or the reference of a statement of the catalogue
 */
public record Call(String sql, List<@Nullable Object> args) {

  public static Call of(String sql, @Nullable Object... args) {
    List<@Nullable Object> list = new ArrayList<>();
    Collections.addAll(list, args);
    return new Call(sql, list);
  }
}
