/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.jdbc.catalogue.CatalogueViolation;
import io.forebay.jdbc.catalogue.FieldError;
import io.forebay.queue.QueueRefused;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * Ends a request with a problem document (RFC 9457). Its text never contains SQL, arguments or
 * driver messages. For one thread; without a stack trace.
 */
final class DoorProblem extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final ProblemType type;
  private final transient Map<String, Object> members = new LinkedHashMap<>();
  private @Nullable Duration retryAfter;

  DoorProblem(ProblemType type, String detail) {
    super(detail, null, false, false);
    this.type = type;
  }

  static DoorProblem invalidParameters(List<FieldError> errors) {
    return new DoorProblem(
            ProblemType.INVALID_PARAMETERS,
            errors.size() == 1
                ? "One field is not valid; nothing was accepted"
                : errors.size() + " fields are not valid; nothing was accepted")
        .with("errors", errors);
  }

  static DoorProblem refused(QueueRefused refused) {
    String later = "nothing was accepted; retry later";
    return switch (refused.reason()) {
      case FULL ->
          new DoorProblem(ProblemType.QUEUE_FULL, "The queue has reached its limit; " + later)
              .retryAfter(refused.retryAfter());
      case TOO_LARGE ->
          new DoorProblem(
              ProblemType.TOO_LARGE,
              "The statement exceeds the maximum message size; nothing was accepted");
      case DISK -> unavailable(refused, "The disk of the queue has reached its limit; " + later);
      case UNAVAILABLE ->
          unavailable(refused, "The server of the queue does not respond; " + later);
      case CLOSED -> unavailable(refused, "The queue is being closed or drained; " + later);
      case FAILED ->
          unavailable(
              refused,
              "The queue failed and nothing was accepted; an operator must repair it: "
                  + refused.getMessage());
    };
  }

  private static DoorProblem unavailable(QueueRefused refused, String detail) {
    return new DoorProblem(ProblemType.QUEUE_UNAVAILABLE, detail)
        .with("reason", refused.reason().name().toLowerCase(java.util.Locale.ROOT))
        .retryAfter(refused.retryAfter());
  }

  ProblemType type() {
    return type;
  }

  /** Adds a member: a text, a number, or a list of errors or violations. */
  DoorProblem with(String member, Object value) {
    members.put(member, value);
    return this;
  }

  /** Sets when to retry; zero sets nothing. */
  DoorProblem retryAfter(Duration time) {
    if (time.isPositive()) {
      retryAfter = time;
      members.put("retryAfterMillis", time.toMillis());
    }
    return this;
  }

  /** Whole seconds for the header, rounded up; 0 for no header. */
  long retryAfterSeconds() {
    Duration time = retryAfter;
    return time == null ? 0 : time.plusMillis(999).toSeconds();
  }

  /**
   * @param instance the requested path
   */
  void write(JsonGenerator out, String instance) {
    out.writeStartObject();
    out.writeStringProperty("type", type.uri());
    out.writeStringProperty("title", type.title());
    out.writeNumberProperty("status", type.status());
    out.writeStringProperty("detail", getMessage());
    out.writeStringProperty("instance", instance);
    members.forEach((name, value) -> {
      out.writeName(name);
      value(out, value);
    });
    out.writeEndObject();
  }

  private static void value(JsonGenerator out, Object value) {
    switch (value) {
      case Long number -> out.writeNumber(number);
      case Integer number -> out.writeNumber(number);
      case List<?> list -> {
        out.writeStartArray();
        list.forEach(each -> value(out, each));
        out.writeEndArray();
      }
      case FieldError error ->
          out.writeStartObject()
              .writeStringProperty("field", error.field())
              .writeStringProperty("message", error.message())
              .writeEndObject();
      case CatalogueViolation violation ->
          out.writeStartObject()
              .writeStringProperty("place", violation.place().toString())
              .writeStringProperty("statement", violation.statement())
              .writeStringProperty("message", violation.message())
              .writeEndObject();
      default -> out.writeString(value.toString());
    }
  }
}
