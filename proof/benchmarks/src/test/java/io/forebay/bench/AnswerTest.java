/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AnswerTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          HTTP/1.1 202 _Content-Length: 5__hello                             | 202 | false
          HTTP/1.1 200 OK_content-length:0_CONNECTION: Close__               | 200 | true
          HTTP/1.1 503 _Content-Length: 12__0123456789_                      | 503 | false
          HTTP/1.1 204 No Content_Content-Type: a/b_Date: now__              | 204 | false
          """)
  void findsTheEndOfAnAnswerHoweverItIsSplit(String text, int status, boolean closes)
      throws IOException {
    byte[] bytes = text.replace("_", "\r\n").getBytes(StandardCharsets.US_ASCII);
    Answer answer = new Answer();
    for (int time = 0; time < 2; time++) {
      answer.clear();
      for (int i = 0; i < bytes.length; i++) {
        assertThat(answer.isComplete()).as("after %d bytes", i).isFalse();
        answer.readFrom(Channels.newChannel(new ByteArrayInputStream(bytes, i, 1)));
      }
      assertThat(answer.isComplete()).isTrue();
      assertThat(answer.status()).isEqualTo(status);
      assertThat(answer.closes()).isEqualTo(closes);
    }
  }
}
