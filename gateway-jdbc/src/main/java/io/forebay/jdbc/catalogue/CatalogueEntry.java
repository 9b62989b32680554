/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

import io.forebay.jdbc.StatementCatalogue;
import io.forebay.jdbc.StatementCatalogue.Known;
import io.forebay.jdbc.sql.StatementKind;
import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.origin.Origin;

/**
 * A statement that may be sent.
 *
 * @param version several entries may have the same name with different versions; the door sends the
 *     highest version
 * @param reference identifies exactly this text and these parameters in a message, {@code
 *     name@version:fingerprint}; always the same object, so that it is encoded once
 * @param lane the lane of the gateway that performs it for callers without a lane; null if the
 *     gateway itself does
 * @param sql with question marks; always the same object, so that it is encoded once
 * @param placeholders the parameter of each question mark, as an index of {@code params}
 * @param key the parameter whose value is the partition key, or null
 * @param independent whether it may be performed before earlier statements
 * @param explain whether the result of a failure names constraint, table and column
 * @param place its place in the files, for messages
 */
public record CatalogueEntry(
    String name,
    int version,
    String reference,
    String gateway,
    @Nullable String lane,
    String sql,
    List<Param> params,
    List<Integer> placeholders,
    @Nullable Integer key,
    StatementKind kind,
    boolean independent,
    boolean explain,
    Origin place)
    implements StatementCatalogue.Entry {

  /** The index of this parameter, or -1. */
  int indexOf(String param) {
    for (int i = 0; i < params.size(); i++) {
      if (params.get(i).name().equals(param)) {
        return i;
      }
    }
    return -1;
  }

  /** The reference in a message that relies on the version alone. */
  static String reference(String name, int version) {
    return name + "@" + version;
  }

  @Override
  public boolean isQuery() {
    return kind == StatementKind.QUERY;
  }

  /** Returns the values in the order of the question marks. */
  @Override
  public @Nullable Object[] arguments(@Nullable Object[] values) {
    if (values.length != params.size()) {
      throw new IllegalArgumentException(
          "it has %d parameters, but %d values were given".formatted(params.size(), values.length));
    }
    for (int i = 0; i < values.length; i++) {
      params.get(i).mustTake(values[i]);
    }
    @Nullable Object[] arguments = new Object[placeholders.size()];
    for (int i = 0; i < arguments.length; i++) {
      arguments[i] = values[placeholders.get(i)];
    }
    return arguments;
  }

  Known known(List<String> parameters) {
    return new Known(name, parameters, independent, explain);
  }

  /** Its reference and options as people read them, without its text. */
  String words() {
    StringJoiner words = new StringJoiner(", ", reference + " (", ")").add(gateway);
    if (lane != null) {
      words.add("lane " + lane);
    }
    if (key != null) {
      words.add("key " + params.get(key).name());
    }
    if (independent) {
      words.add("independent");
    }
    if (explain) {
      words.add("explain");
    }
    params.stream().filter(Param::nullable).forEach(it -> words.add(it.name() + " nullable"));
    return words.toString();
  }

  /** Returns the partition key, or null. */
  @Nullable
  public String partitionKey(@Nullable Object[] values) {
    Object value = key == null ? null : values[key];
    return value == null ? null : value.toString();
  }
}
