/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import io.forebay.chunk.Reply;
import java.io.ByteArrayOutputStream;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Encodes the arguments and replies of a service as JSON, the same on every transport. Arguments
 * are an array in the order of the calls. Replies are an array in any order, with {@code
 * {"index":0,"result":…}} or {@code {"index":1,"error":{"code":…,"message":…}}} for each call.
 *
 * <p>Unknown members are ignored, so that services and callers can be upgraded one after the other.
 * Immutable and thread-safe. Creating one takes milliseconds, so keep it.
 *
 * @param <A> the argument of a call: a record or a simple value, never null
 * @param <R> its result
 */
public final class ChunkCodec<A, R extends @Nullable Object> {

  /** Reads fractions of a {@code JsonNode} as they are written; doubles would change some. */
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();

  private final ObjectWriter argument;
  private final ObjectWriter arguments;
  private final ObjectReader argumentsReader;
  private final ObjectWriter result;
  private final ObjectReader resultReader;
  private final String types;

  private ChunkCodec(JavaType argumentType, JavaType resultType) {
    JavaType list = JSON.getTypeFactory().constructCollectionType(List.class, argumentType);
    argument = JSON.writerFor(argumentType);
    arguments = JSON.writerFor(list);
    argumentsReader = JSON.readerFor(list);
    result = JSON.writerFor(resultType).without(SerializationFeature.FLUSH_AFTER_WRITE_VALUE);
    resultReader =
        JSON.readerFor(resultType).without(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
    types = "<%s, %s>".formatted(argumentType.toCanonical(), resultType.toCanonical());
  }

  /** A codec for classes without type parameters. */
  public static <A, R extends @Nullable Object> ChunkCodec<A, R> of(
      Class<A> argument, Class<@Nullable R> result) {
    return of((Type) argument, result);
  }

  /**
   * A codec for any types, such as a list of records. The caller vouches that they match the type
   * parameters {@code A} and {@code R}.
   */
  public static <A, R extends @Nullable Object> ChunkCodec<A, R> of(Type argument, Type result) {
    return new ChunkCodec<>(JSON.constructType(argument), JSON.constructType(result));
  }

  /** The types of argument and result, with their packages. */
  String types() {
    return types;
  }

  /**
   * The bytes that an argument takes in a chunk, for {@link
   * io.forebay.chunk.CallCollector#service(String, io.forebay.chunk.ChunkFunction,
   * io.forebay.chunk.ChunkOptions, java.util.function.ToLongFunction)}. It costs as much as
   * encoding the argument once more.
   *
   * @throws IllegalArgumentException if it cannot be encoded
   */
  public long sizeOf(A value) {
    try {
      return argument.writeValueAsBytes(value).length + 1L;
    } catch (JacksonException e) {
      throw new IllegalArgumentException(
          "an argument of %s cannot be written as JSON".formatted(value.getClass().getName()), e);
    }
  }

  /**
   * @throws TransportFailed if an argument cannot be encoded
   */
  byte[] writeArguments(List<A> values) throws TransportFailed {
    try {
      return arguments.writeValueAsBytes(values);
    } catch (JacksonException e) {
      throw TransportFailed.notPerformed(
          "argument %d of the chunk cannot be written as JSON".formatted(index(e)), e);
    }
  }

  /**
   * @throws ServiceFailed if they are not valid arguments of this service
   */
  List<A> readArguments(byte[] json) {
    List<A> values;
    try {
      values = argumentsReader.readValue(json);
    } catch (StreamReadException e) {
      throw invalid("the chunk is not JSON");
    } catch (JacksonException e) {
      int index = index(e);
      throw invalid(
          index < 0
              ? "the chunk is not an array of arguments"
              : "argument %,d does not have the type that the service expects".formatted(index));
    }
    if (values == null) {
      throw invalid("the chunk is not an array of arguments");
    }
    int missing = values.indexOf(null);
    if (missing >= 0) {
      throw invalid("argument %,d is null".formatted(missing));
    }
    return values;
  }

  private static ServiceFailed invalid(String what) {
    return new ServiceFailed(ServiceFailed.INVALID_ARGUMENTS, what + "; nothing was performed");
  }

  /**
   * The index in the list; −1 if unknown. Jackson's own message may contain values, so it is not
   * used.
   */
  private static int index(JacksonException e) {
    return e.getPath().isEmpty() ? -1 : e.getPath().getFirst().getIndex();
  }

  /**
   * @throws JacksonException if a result cannot be encoded
   */
  byte[] writeReplies(List<? extends Reply<R>> replies) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(64 + 64 * replies.size());
    try (JsonGenerator out = JSON.createGenerator(bytes)) {
      out.writeStartArray();
      for (Reply<R> reply : replies) {
        out.writeStartObject();
        out.writeNumberProperty("index", reply.index());
        switch (reply) {
          case Reply.Result<R>(int ignored, R value) -> {
            out.writeName("result");
            result.writeValue(out, value);
          }
          case Reply.Failure<R>(int ignored, Exception failure) -> {
            ServiceFailed failed = (ServiceFailed) failure;
            out.writeObjectPropertyStart("error");
            out.writeStringProperty("code", failed.code());
            out.writeStringProperty("message", failed.text());
            out.writeEndObject();
          }
        }
        out.writeEndObject();
      }
      out.writeEndArray();
    }
    return bytes.toByteArray();
  }

  /**
   * @throws TransportFailed if they are not valid replies of this service
   */
  List<Reply<R>> readReplies(byte[] json) throws TransportFailed {
    List<Reply<R>> replies = new ArrayList<>();
    try (JsonParser in = JSON.createParser(json)) {
      must(in.nextToken() == JsonToken.START_ARRAY, "is not an array");
      while (in.nextToken() != JsonToken.END_ARRAY) {
        replies.add(readReply(in));
      }
      must(in.nextToken() == null, "has text after its end");
      return replies;
    } catch (Malformed e) {
      throw malformed("the reply to the chunk " + e.getMessage(), e);
    } catch (JacksonException | IllegalArgumentException e) {
      throw malformed("reply %,d of the chunk cannot be read".formatted(replies.size()), e);
    }
  }

  private static TransportFailed malformed(String what, RuntimeException cause) {
    return TransportFailed.unknown(what, cause);
  }

  @SuppressWarnings("NullAway") // R determines whether a result may be null.
  private Reply<R> readReply(JsonParser in) {
    must(in.currentToken() == JsonToken.START_OBJECT, "contains an element that is not an object");
    int index = -1;
    boolean answered = false;
    R value = null;
    ServiceFailed failed = null;
    while (in.nextToken() == JsonToken.PROPERTY_NAME) {
      String name = in.currentName();
      in.nextToken();
      switch (name) {
        case "index" -> index = in.getIntValue();
        case "result" -> {
          value = resultReader.readValue(in);
          answered = true;
        }
        case "error" -> failed = readError(in);
        default -> in.skipChildren();
      }
    }
    must(
        answered != (failed != null),
        "contains an element without exactly one of result and error");
    return failed == null ? new Reply.Result<>(index, value) : new Reply.Failure<>(index, failed);
  }

  private static ServiceFailed readError(JsonParser in) {
    must(in.currentToken() == JsonToken.START_OBJECT, "contains an error that is not an object");
    String code = "";
    String message = "";
    while (in.nextToken() == JsonToken.PROPERTY_NAME) {
      String name = in.currentName();
      in.nextToken();
      switch (name) {
        case "code" -> code = in.getValueAsString("");
        case "message" -> message = in.getValueAsString("");
        default -> in.skipChildren();
      }
    }
    return new ServiceFailed(code, message);
  }

  private static void must(boolean so, String otherwise) {
    if (!so) {
      throw new Malformed(otherwise);
    }
  }

  private static final class Malformed extends RuntimeException {
    private static final long serialVersionUID = 1;

    Malformed(String what) {
      super(what);
    }
  }
}
