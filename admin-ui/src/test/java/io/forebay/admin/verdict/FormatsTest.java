/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.text.Formats;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Objects;
import java.util.function.DoubleFunction;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class FormatsTest {

  private static final Map<String, DoubleFunction<String>> FORMATTERS =
      Map.of("duration", Formats::duration, "number", Formats::number);

  @Test
  void agreesWithTheVectorsOfThePage() throws IOException {
    JsonNode vectors;
    try (InputStream file = Judge.class.getResourceAsStream("../page/app/format-vectors.json")) {
      vectors = JsonMapper.shared().readTree(Objects.requireNonNull(file));
    }
    assertThat(vectors.propertyNames()).containsAll(FORMATTERS.keySet());
    FORMATTERS.forEach((name, formatter) ->
        vectors
            .get(name)
            .forEach(pair ->
                assertThat(formatter.apply(pair.get(0).asDouble()))
                    .as("%s of %s", name, pair.get(0))
                    .isEqualTo(pair.get(1).asString())));
  }

  @Test
  void showsADashForWhatIsNoNumber() {
    FORMATTERS.forEach((name, formatter) -> {
      assertThat(formatter.apply(Double.NaN)).as(name).isEqualTo("–");
      assertThat(formatter.apply(Double.NEGATIVE_INFINITY)).as(name).isEqualTo("–");
    });
  }
}
