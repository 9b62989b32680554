/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.capacity.Figure;
import io.forebay.capacity.Lag;
import io.forebay.capacity.Until;
import io.forebay.report.Host;
import io.forebay.report.ServiceReport;
import java.math.BigDecimal;
import java.math.MathContext;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;

/**
 * Writes figures as JSON: {@code {"v":1}} if measured, {@code {"v":1,"why":"…"}} if estimated,
 * {@code {"why":"…"}} if unknown. Times until an event are {@code {"in":seconds}}, {@code
 * {"passed":true}} or {@code {"never":"why"}}; durations are seconds; enums are in lower case;
 * numbers have six significant digits.
 */
public final class FigureModule extends SimpleModule {

  private static final long serialVersionUID = 1;
  private static final MathContext SIX_DIGITS = new MathContext(6);
  private static final JsonMapper MAPPER =
      JsonMapper.builder().addModule(new FigureModule()).build();

  public FigureModule() {
    super("forebay-figures");
    setMixInAnnotation(ServiceReport.class, ReportJson.class);
    setMixInAnnotation(Lag.class, ReportJson.OfLag.class);
    setMixInAnnotation(Host.VolumeView.class, ReportJson.OfVolume.class);
    add(Figure.class, FigureModule::write);
    add(Until.class, FigureModule::write);
    add(Duration.class, (it, json, _) -> number(it.toNanos() / 1e9, json));
    add(
        Instant.class,
        (it, json, _) -> json.writeString(it.truncatedTo(ChronoUnit.MILLIS).toString()));
    add(Double.class, (it, json, _) -> number(it, json));
    add(double.class, (it, json, _) -> number(it, json));
    add(Enum.class, (it, json, _) -> json.writeString(it.name().toLowerCase(Locale.ROOT)));
  }

  /** The mapper of the documents of the admin API. */
  static JsonMapper mapper() {
    return MAPPER;
  }

  /** A document of the admin API as an answer. */
  public static ResponseEntity<byte[]> answer(Object document) {
    return ResponseEntity.ok()
        .contentType(MediaType.APPLICATION_JSON)
        .body(MAPPER.writeValueAsBytes(document));
  }

  private interface Form<T> {
    void write(T value, JsonGenerator json, SerializationContext context);
  }

  @SuppressWarnings("unchecked")
  private <T> void add(Class<T> type, Form<T> form) {
    addSerializer(
        type,
        new ValueSerializer<T>() {
          @Override
          public void serialize(T value, JsonGenerator json, SerializationContext context) {
            form.write(value, json, context);
          }
        });
  }

  private static void write(Figure<?> figure, JsonGenerator json, SerializationContext context) {
    json.writeStartObject();
    switch (figure) {
      case Figure.Measured<?>(Object value) -> context.defaultSerializeProperty("v", value, json);
      case Figure.Estimated<?>(Object value, String how) -> {
        context.defaultSerializeProperty("v", value, json);
        json.writeStringProperty("why", how);
      }
      case Figure.Unknown<?>(String reason) -> json.writeStringProperty("why", reason);
    }
    json.writeEndObject();
  }

  private static void write(Until until, JsonGenerator json, SerializationContext context) {
    json.writeStartObject();
    switch (until) {
      case Until.In(Duration duration) -> {
        json.writeName("in");
        number(duration.toNanos() / 1e9, json);
      }
      case Until.Passed() -> json.writeBooleanProperty("passed", true);
      case Until.Never(String why) -> json.writeStringProperty("never", why);
    }
    json.writeEndObject();
  }

  private static void number(double value, JsonGenerator json) {
    double rounded = digits(value);
    if (!Double.isFinite(rounded)) {
      json.writeNull();
    } else if (rounded == Math.rint(rounded) && Math.abs(rounded) < 1e15) {
      json.writeNumber((long) rounded);
    } else {
      json.writeNumber(rounded);
    }
  }

  /** Rounds to six significant digits; whole numbers stay unchanged. */
  static double digits(double value) {
    if (!Double.isFinite(value)) {
      return value;
    }
    return Math.abs(value) >= 1e6
        ? Math.rint(value)
        : new BigDecimal(value).round(SIX_DIGITS).doubleValue();
  }
}
