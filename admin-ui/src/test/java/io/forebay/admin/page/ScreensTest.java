/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.admin.AdminAccess;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ScreensTest {

  @Test
  void theServerHasTheAddressOfEachScreenOfTheMenuAndNoOther() throws Exception {
    String places;
    try (InputStream file = PageController.class.getResourceAsStream("app/places.js")) {
      places = new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8);
    }
    Set<String> served =
        Stream.of(AdminAccess.SCREENS.replaceAll(".*:|}.*", "").split("\\|"))
            .collect(Collectors.toSet());
    assertThat(served)
        .isEqualTo(
            Pattern.compile("(?:path|under): '/(\\w+)'")
                .matcher(places)
                .results()
                .map(MatchResult::group)
                .map(it -> it.replaceAll(".*/|'", ""))
                .collect(Collectors.toSet()));
  }
}
