/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.call.value.Json;
import io.forebay.jdbc.FailedObject;
import io.forebay.jdbc.Rows;
import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.gateway.ResultCollector;
import java.math.BigDecimal;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** The result of a statement as JSON. Decimals are strings, so that no digit is lost. */
final class ResultDocument extends ResultCollector {

  private final UUID id;

  ResultDocument(UUID id) {
    this.id = id;
  }

  void write(JsonGenerator out) {
    out.writeStartObject();
    writeMembers(out);
    out.writeEndObject();
  }

  void writeMembers(JsonGenerator out) {
    out.writeStringProperty("id", id.toString());
    SqlFailure failed = failure();
    Rows rows = rows();
    List<Long> counts = counts();
    out.writeStringProperty("state", failed == null ? "done" : "failed");
    if (failed != null) {
      out.writeObjectPropertyStart("error");
      out.writeStringProperty("sqlState", failed.sqlState());
      out.writeStringProperty("id", id.toString());
      out.writeStringProperty("kind", failed.kind().name());
      if (failed.kind() == SqlFailure.Kind.LIMIT) {
        out.writeStringProperty("detail", failed.message()); // never the message of a driver
      }
      FailedObject on = failed.on();
      if (on != null) {
        writeIfKnown(out, "constraint", on.constraint());
        writeIfKnown(out, "table", on.table());
        writeIfKnown(out, "column", on.column());
      }
      out.writeEndObject();
    } else if (rows != null) {
      write(out, rows);
    } else if (counts.size() == 1) {
      out.writeNumberProperty("count", counts.getFirst());
    } else {
      out.writeArrayPropertyStart("counts");
      counts.forEach(out::writeNumber);
      out.writeEndArray();
    }
  }

  private static void writeIfKnown(JsonGenerator out, String property, @Nullable String name) {
    if (name != null) {
      out.writeStringProperty(property, name);
    }
  }

  private static void write(JsonGenerator out, Rows rows) {
    out.writeArrayPropertyStart("columns");
    rows.columns().forEach(out::writeString);
    out.writeEndArray();
    out.writeArrayPropertyStart("rows");
    for (List<@Nullable Object> row : rows.values()) {
      values(out, row);
    }
    out.writeEndArray();
  }

  private static void values(JsonGenerator out, List<? extends @Nullable Object> values) {
    out.writeStartArray();
    values.forEach(value -> value(out, value));
    out.writeEndArray();
  }

  private static void value(JsonGenerator out, @Nullable Object value) {
    switch (value) {
      case null -> out.writeNull();
      case Boolean b -> out.writeBoolean(b);
      case Long l -> out.writeNumber(l);
      case Double d when Double.isFinite(d) -> out.writeNumber(d);
      case Float f when Float.isFinite(f) -> out.writeNumber(f);
      case BigDecimal d -> out.writeString(d.toPlainString());
      case byte[] b -> out.writeBinary(b);
      case Json j -> out.writeRawValue(j.text());
      case List<?> l -> values(out, l);
      case LocalTime t -> out.writeString(DateTimeFormatter.ISO_LOCAL_TIME.format(t));
      case LocalDateTime t -> out.writeString(DateTimeFormatter.ISO_LOCAL_DATE_TIME.format(t));
      case OffsetDateTime t -> out.writeString(DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(t));
      // text, dates in ISO 8601, UUIDs, and numbers that JSON cannot express
      default -> out.writeString(value.toString());
    }
  }
}
