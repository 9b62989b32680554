/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

import io.forebay.call.value.Json;
import io.forebay.problem.WholeText;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.Base64;
import java.util.Locale;
import java.util.UUID;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonParser.NumberType;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The scalar types of parameters: how their JSON values are read and described. */
enum ScalarType {
  BOOLEAN("true or false") {
    @Override
    Object read(JsonInput in) throws InvalidValue {
      return switch (in.parser().currentToken()) {
        case VALUE_TRUE -> true;
        case VALUE_FALSE -> false;
        default -> throw invalid();
      };
    }
  },

  LONG("a whole number from -2^63 to 2^63-1") {
    @Override
    Object read(JsonInput in) throws InvalidValue {
      JsonParser parser = in.parser();
      if (parser.currentToken() != JsonToken.VALUE_NUMBER_INT
          || parser.getNumberType() == NumberType.BIG_INTEGER) {
        throw invalid();
      }
      return parser.getLongValue();
    }
  },

  DOUBLE("a number that a double can hold") {
    @Override
    Object read(JsonInput in) throws InvalidValue {
      if (!in.parser().currentToken().isNumeric()) {
        throw invalid();
      }
      double value = Double.parseDouble(in.parser().getString());
      if (!Double.isFinite(value)) {
        throw invalid();
      }
      return value;
    }
  },

  DECIMAL("a number, or a string with one, of at most 1000 digits and an exponent up to 1000") {
    @Override
    Object read(JsonInput in) throws InvalidValue {
      JsonToken token = in.parser().currentToken();
      if (!token.isNumeric() && token != JsonToken.VALUE_STRING) {
        throw invalid();
      }
      String text = in.parser().getString();
      if (text.length() > MAX_DECIMAL || !DECIMAL_NUMBER.matcher(text).matches()) {
        throw invalid();
      }
      BigDecimal value = new BigDecimal(text);
      if (Math.abs(value.scale()) > MAX_DECIMAL) {
        throw invalid();
      }
      return value;
    }
  },

  TEXT(WholeText.EXPECTED) {
    @Override
    Object read(JsonInput in) throws InvalidValue {
      String text = string(in);
      if (!WholeText.is(text)) {
        throw invalid();
      }
      return text;
    }
  },

  BYTES("a string in Base64") {
    @Override
    Object read(JsonInput in) throws InvalidValue {
      String text = string(in);
      try {
        return Base64.getDecoder().decode(text);
      } catch (IllegalArgumentException _) {
        throw invalid();
      }
    }
  },

  DATE("a string such as 2026-03-01") {
    @Override
    Object read(JsonInput in) throws InvalidValue {
      return time(in, LocalDate::parse);
    }
  },

  TIME("a string such as 13:30:00") {
    @Override
    Object read(JsonInput in) throws InvalidValue {
      return time(in, LocalTime::parse);
    }
  },

  TIMESTAMP("a string such as 2026-03-01T13:30:00") {
    @Override
    Object read(JsonInput in) throws InvalidValue {
      return time(in, LocalDateTime::parse);
    }
  },

  TIMESTAMPTZ("a string such as 2026-03-01T13:30:00Z or 2026-03-01T13:30:00+01:00") {
    @Override
    Object read(JsonInput in) throws InvalidValue {
      return time(in, OffsetDateTime::parse);
    }
  },

  UUID("a string such as 018f3c4e-7d2a-7b11-9c55-0a1b2c3d4e5f") {
    @Override
    Object read(JsonInput in) throws InvalidValue {
      String text = string(in);
      if (!UUID_TEXT.matcher(text).matches()) {
        throw invalid();
      }
      return java.util.UUID.fromString(text);
    }
  },

  JSON("any JSON value whose strings contain neither U+0000 nor unpaired surrogates") {
    @Override
    Object read(JsonInput in) throws InvalidValue {
      String text = in.rawValue();
      if (text == null) {
        throw invalid();
      }
      return new Json(text);
    }
  };

  private static final int MAX_DECIMAL = 1_000;
  private static final int MAX_TIME = 40;
  private static final Pattern DECIMAL_NUMBER =
      Pattern.compile("-?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]{1,4})?");
  private static final Pattern UUID_TEXT =
      Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");

  private final String expected;

  ScalarType(String expected) {
    this.expected = expected;
  }

  /** Its name in the catalogue. */
  String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The expected value, in words. */
  String expected() {
    return expected;
  }

  /** Whether a value of this type can be a partition key. */
  boolean mayBeKey() {
    return this == LONG || this == TEXT || this == UUID;
  }

  /** Whether a value of a message has this type; null has none. */
  boolean takes(@Nullable Object value) {
    return switch (value) {
      case null -> false;
      case Boolean _ -> this == BOOLEAN;
      case Long _ -> this == LONG || this == DOUBLE || this == DECIMAL;
      case Double _ -> this == DOUBLE;
      case Float _ -> this == DOUBLE;
      case BigDecimal _ -> this == DECIMAL;
      case String _ -> this == TEXT;
      case byte[] _ -> this == BYTES;
      case LocalDate _ -> this == DATE;
      case LocalTime _ -> this == TIME;
      case LocalDateTime _ -> this == TIMESTAMP;
      case OffsetDateTime _ -> this == TIMESTAMPTZ;
      case java.util.UUID _ -> this == UUID;
      case Json _ -> this == JSON;
      default -> false;
    };
  }

  /** Returns the parser's current value, which must not be null, as an argument of a statement. */
  abstract Object read(JsonInput in) throws InvalidValue;

  final Object time(JsonInput in, Function<String, Object> parser) throws InvalidValue {
    String text = string(in);
    // years have four digits; a longer year begins with a sign
    if (text.length() > MAX_TIME || text.startsWith("+") || text.startsWith("-")) {
      throw invalid();
    }
    try {
      return parser.apply(text);
    } catch (DateTimeException _) {
      throw invalid();
    }
  }

  final String string(JsonInput in) throws InvalidValue {
    if (in.parser().currentToken() != JsonToken.VALUE_STRING) {
      throw invalid();
    }
    return in.parser().getString();
  }

  final InvalidValue invalid() {
    return new InvalidValue("must be " + expected);
  }

  /** Its JSON schema; any value if it is empty. */
  ObjectNode schema(boolean nullable) {
    ObjectNode schema = JsonNodeFactory.instance.objectNode();
    if (this == JSON) {
      return schema;
    }
    if (nullable || this == DECIMAL) {
      ArrayNode types = schema.putArray("type").add(schemaType());
      if (this == DECIMAL) {
        types.add("string");
      }
      if (nullable) {
        types.add("null");
      }
    } else {
      schema.put("type", schemaType());
    }
    return switch (this) {
      case LONG -> schema.put("format", "int64");
      case DOUBLE -> schema.put("format", "double");
      case DATE -> schema.put("format", "date");
      case TIMESTAMPTZ -> schema.put("format", "date-time");
      case UUID -> schema.put("format", "uuid");
      case BYTES -> schema.put("contentEncoding", "base64");
      case DECIMAL, TIME, TIMESTAMP -> schema.put("description", expected);
      case BOOLEAN, TEXT, JSON -> schema;
    };
  }

  private String schemaType() {
    return switch (this) {
      case BOOLEAN -> "boolean";
      case LONG -> "integer";
      case DOUBLE, DECIMAL -> "number";
      default -> "string";
    };
  }
}
