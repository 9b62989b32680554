/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting.messages;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class AnswerDigestTest {

  private static final String ID = "86005001890a5dac96774bbcceb302099a8057";
  private static final String TIME = "1b0006368163039240";
  private static final String SOURCE = "66736f75726365192ee4"; // "source": 12004
  private static final String FAILURE = "676661696c7572658261616162"; // "failure": ["a", "b"]
  private static final String HISTORY = "67686973746f72798185616100010203";
  private static final String CALL = "6c757064617465526573756c748101"; // updateResult [1]

  private static String digest(String message) {
    return AnswerDigest.of(ByteBuffer.wrap(HexFormat.of().parseHex(message)));
  }

  @Test
  void answersThatDifferInTimeAndPlaceAreEqual() {
    String answer = digest(ID + TIME + "a1" + SOURCE + CALL);
    assertThat(digest(ID + "1b0006368163039241" + "a1" + "66736f7572636507" + CALL))
        .isEqualTo(answer);
    assertThat(digest(ID + TIME + "a2" + SOURCE + HISTORY + CALL)).isEqualTo(answer);
    assertThat(digest(ID + TIME + "a1" + SOURCE + CALL.replace("8101", "8102")))
        .isNotEqualTo(answer);
    assertThat(digest(ID + TIME + "a2" + SOURCE + FAILURE + CALL)).isNotEqualTo(answer);
  }

  @Test
  void whatCannotBeDecodedIsComparedAsAWhole() {
    assertThat(digest("00ff")).isEqualTo(digest("00ff")).isNotEqualTo(digest("01ff"));
  }
}
