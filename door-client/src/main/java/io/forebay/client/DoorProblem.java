/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.client;

import java.io.Serial;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The door refused a request or a line, with a problem document (RFC 9457). After a problem of type
 * {@code outcome-unknown}, and after a status from 502 to 504 that a proxy answered, the statement
 * may have been accepted; after all others it was not.
 */
public final class DoorProblem extends RuntimeException {

  @Serial private static final long serialVersionUID = 1;
  private static final String PREFIX = "urn:forebay:problem:";
  private static final Set<Integer> TEMPORARY = Set.of(408, 429, 502, 503, 504);

  private final String type;
  private final int status;
  private final @Nullable Duration retryAfter;
  private final transient JsonNode document;

  private DoorProblem(int status, @Nullable Duration retryAfter, JsonNode document) {
    super(
        "%s (%d): %s"
            .formatted(
                document.path("title").asString("The door answered without a problem document"),
                status,
                document.path("detail").asString("no detail")));
    this.type = document.path("type").asString("about:blank");
    this.status = status;
    JsonNode millis = document.path("retryAfterMillis");
    this.retryAfter = millis.isNumber() ? Duration.ofMillis(millis.asLong()) : retryAfter;
    this.document = document;
  }

  static DoorProblem of(JsonNode document) {
    return new DoorProblem(document.path("status").asInt(0), null, document);
  }

  /**
   * @param retryAfter the header, in seconds; null if there is none
   * @param body a problem document, or the page of a proxy
   */
  static DoorProblem of(int status, @Nullable String retryAfter, String body) {
    JsonNode document;
    try {
      document = JsonMapper.shared().readTree(body);
    } catch (JacksonException _) {
      document = JsonMapper.shared().createObjectNode();
    }
    Duration pause =
        retryAfter != null && retryAfter.matches("[0-9]{1,6}")
            ? Duration.ofSeconds(Long.parseLong(retryAfter))
            : null;
    return new DoorProblem(status, pause, document);
  }

  /** The name of the type, such as {@code queue-full}. */
  public String name() {
    return type.startsWith(PREFIX) ? type.substring(PREFIX.length()) : type;
  }

  /** The HTTP status. */
  public int status() {
    return status;
  }

  /** The whole document, for example with {@code errors}, which names all invalid fields. */
  public JsonNode document() {
    return document;
  }

  /** When to try again; null if the door does not say. */
  @Nullable Duration retryAfter() {
    return retryAfter;
  }

  /** Whether the same request may succeed later. */
  boolean isTemporary() {
    return TEMPORARY.contains(status) && !name().equals("statement-broken");
  }

  /** Whether what was sent may have been accepted. */
  boolean isOutcomeUnknown() {
    return name().equals("outcome-unknown")
        || (status >= 502 && status <= 504 && !type.startsWith(PREFIX));
  }
}
