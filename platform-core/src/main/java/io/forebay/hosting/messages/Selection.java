/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting.messages;

import java.util.Locale;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Which messages are wanted; null for those that do not matter.
 *
 * @param from null: the first message kept
 * @param to null: the last message
 */
public record Selection(
    @Nullable Bound from,
    @Nullable Bound to,
    @Nullable UUID id,
    @Nullable String key,
    @Nullable String statement) {

  /** Whether more than a range is asked for. */
  public boolean hasFields() {
    return id != null || key != null || statement != null;
  }

  /** Of a message that cannot be decoded only the position is known. */
  boolean takes(StoredMessage stored) {
    if (stored.envelope() == null) {
      return !hasFields()
          && (from == null || from.time() != null || from.position() <= stored.position())
          && (to == null || to.time() != null || to.position() >= stored.position());
    }
    return (from == null || !from.isAfter(stored.envelope()))
        && (to == null || !to.isBefore(stored.envelope()))
        && (id == null || id.equals(stored.envelope().id()))
        && (key == null || Objects.equals(key, stored.envelope().key()))
        && (statement == null || names(stored));
  }

  private boolean names(StoredMessage stored) {
    return stored.content().methods().contains(statement)
        || stored.content().statements().stream()
            .anyMatch(text -> names(text, stored.nameOf(text)));
  }

  private boolean names(String text, @Nullable String name) {
    String wanted = Objects.requireNonNull(statement);
    if (name != null) {
      String version = name.replaceFirst(":.*", "");
      if (wanted.equals(name)
          || wanted.equals(version)
          || wanted.equals(version.replaceFirst("@.*", ""))) {
        return true;
      }
    }
    return !text.equals(name)
        && text.toLowerCase(Locale.ROOT).contains(wanted.toLowerCase(Locale.ROOT));
  }

  /** Whether the range begins at this message or before. */
  boolean hasBegun(StoredMessage stored) {
    return from == null || (stored.envelope() != null && !from.isAfter(stored.envelope()));
  }

  /** Whether no message from this one on is wanted. */
  boolean endsBefore(StoredMessage stored) {
    return to != null && stored.envelope() != null && to.isWellBefore(stored.envelope());
  }
}
