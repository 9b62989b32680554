/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call.value;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The names under which classes appear in messages. A class is never looked up by its own name, so
 * a message can only name a class that is registered. Writer and reader must register it under the
 * same alias.
 *
 * <p>A registered record may be an argument where {@link Object} is declared; any registered class
 * may be the value of a {@link Class} argument. Immutable and thread-safe.
 */
public final class Aliases {

  private static final Aliases NONE = new Aliases(Map.of());

  private final Map<String, Class<?>> types;

  private Aliases(Map<String, Class<?>> types) {
    this.types = types;
  }

  /** No class is registered. */
  public static Aliases none() {
    return NONE;
  }

  /**
   * Returns these aliases and one more.
   *
   * @throws IllegalArgumentException if the alias is blank, or the alias or the class is registered
   */
  public Aliases with(String alias, Class<?> type) {
    if (alias.isBlank()) {
      throw new IllegalArgumentException("the alias of " + type.getName() + " is blank");
    }
    try {
      Utf8.length(alias);
    } catch (RefusedValue e) {
      throw new IllegalArgumentException(
          "the alias of " + type.getName() + " is " + e.getMessage(), e);
    }
    if (types.containsKey(alias)) {
      throw new IllegalArgumentException("alias '" + alias + "' is registered already");
    }
    types.forEach((other, registered) -> {
      if (registered == type) {
        throw new IllegalArgumentException(
            type.getName() + " is registered already, as '" + other + "'");
      }
    });
    Map<String, Class<?>> more = new LinkedHashMap<>(types);
    more.put(alias, type);
    return new Aliases(more);
  }

  @Nullable Class<?> type(String alias) {
    return types.get(alias);
  }

  public Map<String, Class<?>> types() {
    return types;
  }
}
