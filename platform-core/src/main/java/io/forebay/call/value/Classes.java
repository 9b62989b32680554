/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call.value;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The registered classes of a protocol, ready to be written and read. Immutable. */
public final class Classes {

  private final Aliases aliases;
  private final Map<Class<?>, RecordType> records;
  private final Map<Class<?>, byte[]> encoded = new HashMap<>();

  /**
   * @param records how records are written and read; includes every record among the aliases
   */
  public Classes(Aliases aliases, Map<Class<?>, RecordType> records) {
    this.aliases = aliases;
    this.records = records;
    aliases
        .types()
        .forEach((alias, type) ->
            encoded.put(type, CborOutput.encoded(out -> out.text(Cbor.TEXT, alias))));
  }

  /** The alias of a class as an item, or null if it has none. */
  byte @Nullable [] encodedAlias(Class<?> type) {
    return encoded.get(type);
  }

  /** How a record is written and read, or null if the protocol does not know it. */
  @Nullable RecordType record(Class<?> type) {
    return records.get(type);
  }

  Class<?> type(String alias) {
    Class<?> type = aliases.type(alias);
    if (type == null) {
      throw new DecodeFailure(
          UndecodableReason.UNKNOWN_ALIAS,
          "alias '%s' is not registered (known: %s)"
              .formatted(
                  CborInput.printable(alias),
                  aliases.types().isEmpty()
                      ? "none"
                      : String.join(", ", aliases.types().keySet())));
    }
    return type;
  }

  RecordType record(String alias) {
    RecordType record = records.get(type(alias));
    if (record == null) {
      throw DecodeFailure.wrongType("the alias of a record", "'" + alias + "'");
    }
    return record;
  }
}
