/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class ChunkCodecTest {

  @Test
  void fractionsAreReadAsTheyAreWritten() throws Exception {
    ChunkCodec<JsonNode, JsonNode> codec = ChunkCodec.of(JsonNode.class, JsonNode.class);
    String json = "[{\"price\":1.10},0.1000000000000000055511]";
    assertThat(codec.readArguments(json.getBytes(UTF_8)))
        .hasToString("[{\"price\":1.10}, 0.1000000000000000055511]");
  }
}
