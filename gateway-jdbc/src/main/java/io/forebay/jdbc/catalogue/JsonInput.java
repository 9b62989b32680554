/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.forebay.text.WholeText;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

/** A received JSON text with its parser. It is read once, as a stream. */
public final class JsonInput implements AutoCloseable {

  public static final int MAX_DEPTH = 32;
  static final int MAX_NUMBER = 1_100;
  private static final int MAX_NAME = 200;

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH)
                  .maxNumberLength(MAX_NUMBER)
                  .maxNameLength(MAX_NAME)
                  .maxStringLength(Integer.MAX_VALUE) // the size of the body is limited
                  .build())
          .build();

  private final byte[] bytes;
  private final int start;
  private final JsonParser parser;

  public JsonInput(byte[] bytes) {
    this(bytes, 0, bytes.length);
  }

  public JsonInput(byte[] bytes, int start, int end) {
    this.bytes = bytes;
    this.start = start;
    this.parser = FACTORY.createParser(ObjectReadContext.empty(), bytes, start, end - start);
  }

  public JsonParser parser() {
    return parser;
  }

  /**
   * Skips the current value and returns its text; null if it contains a string that databases do
   * not store.
   */
  @Nullable String rawValue() {
    int from = valueStart();
    return passWholeTexts() ? new String(bytes, from, end() - from, UTF_8) : null;
  }

  /** Skips the value; false if one of its strings or names is not well-formed. */
  private boolean passWholeTexts() {
    int depth = 0;
    while (true) {
      JsonToken token = parser.currentToken();
      if (token == JsonToken.VALUE_STRING || token == JsonToken.PROPERTY_NAME) {
        if (!WholeText.is(parser.getString())) {
          return false;
        }
      } else if (token.isStructStart()) {
        depth++;
      } else if (token.isStructEnd()) {
        depth--;
      }
      if (depth == 0) {
        return true;
      }
      parser.nextToken();
    }
  }

  /** Skips the current value and returns it as another input. */
  public JsonInput again() {
    int from = valueStart();
    return new JsonInput(bytes, from, skipValue());
  }

  private int valueStart() {
    return start + Math.toIntExact(parser.currentTokenLocation().getByteOffset());
  }

  private int skipValue() {
    parser.skipChildren();
    return end();
  }

  private int end() {
    parser.finishToken();
    return start + Math.toIntExact(parser.currentLocation().getByteOffset());
  }

  @Override
  public void close() {
    parser.close();
  }
}
