/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.messages;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What is shown and masked, with the examples of docs/message-format.md. */
class StoredMessageTest {

  private static final String HEAD = "86005001890a5dac96774bbcceb302099a80571b0006368163039240";
  private static final String ID = "01890a5d-ac96-774b-bcce-b302099a8057";

  private static final String NAMED =
      HEAD + "f66d65786563757465557064617465826e6f72646572732e706c61636540318207634164" + "61";
  private static final String SQL =
      HEAD
          + "f66d65786563757465557064617465827820696e7365727420696e746f206f7264657273"
          + "2076616c75657320283f2c203f29820763416461";
  private static final String KEYED =
      "860050a0b8efb43b0080328cb9cda722472a471b0006368163039240a266636c"
          + "69656e746473686f70636b6579676f7264657220376d65786563757465557064"
          + "617465827264656c6574652066726f6d206f726465727380";
  private static final String RESULT =
      HEAD + "a166736f75726365192ee46c757064617465526573756c748101";

  private static final String BILLED =
      "86005001890a5dac96774bbcceb302099a80571b000636816303a9b0a266736f"
          + "75726365192ecc67686973746f727982856770726963696e67192ee41b000636"
          + "81630392401b00063681630396281b0006368163039a10856762696c6c696e67"
          + "192ecc1b0006368163039df81b000636816303a1e01b000636816303a5c86c75"
          + "7064617465526573756c748101";

  private static final StatementNames REFERENCES = (_, text) -> text.contains("@") ? text : null;

  private static StoredMessage message(byte[] bytes) {
    return new StoredMessage("orders.in", 0, 5, ByteBuffer.wrap(bytes));
  }

  private static StoredMessage message(String hex) {
    return message(HexFormat.of().parseHex(hex));
  }

  private static Map<String, Object> fields(String hex, boolean values) {
    return message(hex).fields(REFERENCES, values);
  }

  @Test
  void showsAReferenceAndCountsItsArguments() {
    assertThat(fields(NAMED, false))
        .containsEntry("kind", "statement")
        .containsEntry("method", "executeUpdate")
        .containsEntry("statement", "orders.place@1")
        .containsEntry("id", ID)
        .containsEntry("time", "2025-06-01T12:00:00.123456Z")
        .containsEntry("bytes", NAMED.length() / 2)
        .doesNotContainKey("arguments");
    assertThat(fields(NAMED, true)).containsEntry("arguments", List.of("7", "\"Ada\""));
  }

  @Test
  void hidesSqlTextThatIsNotInTheCatalogue() {
    assertThat(fields(SQL, false)).containsEntry("statement", "SQL text");
    assertThat(fields(SQL, true)).containsEntry("statement", "insert into orders values (?, ?)");
    StatementNames names =
        (queue, text) -> queue.equals("orders.in") && text.startsWith("insert") ? "add" : null;
    assertThat(message(SQL).fields(names, false)).containsEntry("statement", "add");
  }

  @Test
  void showsKeyAndSource() {
    assertThat(fields(KEYED, false))
        .containsEntry("client", "shop")
        .containsEntry("key", "order 7");
    assertThat(fields(RESULT, false))
        .containsEntry("kind", "result")
        .containsEntry("source", 12_004L)
        .doesNotContainValue("1");
  }

  @Test
  void showsWhatEachServiceDidOnTheWay() {
    assertThat(fields(BILLED, false))
        .containsEntry("kind", "result")
        .containsEntry("method", "updateResult")
        .containsEntry("source", 11_980L)
        .containsEntry(
            "history",
            List.of(
                hop("pricing", 12_004, "2025-06-01T12:00:00.124456Z"),
                hop("billing", 11_980, "2025-06-01T12:00:00.127456Z")));
    assertThat(fields(RESULT, false)).doesNotContainKey("history");
  }

  private static Map<String, Object> hop(String service, long position, String received) {
    return Map.of(
        "service",
        service,
        "position",
        position,
        "received",
        received,
        "waitingMicros",
        1_000L,
        "performingMicros",
        1_000L,
        "answeringMicros",
        1_000L);
  }

  @Test
  void showsAnUndecodableMessageWithItsBytesOnlyIfValuesAreWanted() {
    byte[] foreign = ("{\"name\": \"Ada\"}" + " ".repeat(100)).getBytes(StandardCharsets.UTF_8);
    Map<String, Object> masked = message(foreign).fields(REFERENCES, false);
    assertThat(masked)
        .containsEntry("kind", "undecodable")
        .containsEntry("reason", "MALFORMED")
        .containsEntry("bytes", 115)
        .doesNotContainKey("hex");
    assertThat(message(foreign).fields(REFERENCES, true).get("hex"))
        .asString()
        .hasSize(128)
        .startsWith("7b226e616d65");
    String cut = NAMED.substring(0, NAMED.length() - 4);
    assertThat(fields(cut, false)).containsEntry("kind", "undecodable");
  }

  @Test
  void isFoundByItsIdAndItsKey() {
    UUID id = UUID.fromString(ID);
    assertThat(message(NAMED).has(null, null)).isTrue();
    assertThat(message(NAMED).has(id, null)).isTrue();
    assertThat(message(NAMED).has(id, "order 7")).isFalse();
    assertThat(message(KEYED).has(id, null)).isFalse();
    assertThat(message(KEYED).has(null, "order 7")).isTrue();
    assertThat(message(KEYED).has(null, "order 8")).isFalse();
    assertThat(message("00").has(null, null)).isTrue();
    assertThat(message("00").has(id, null)).isFalse();
  }
}
