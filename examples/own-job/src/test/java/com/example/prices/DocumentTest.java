/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package com.example.prices;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class DocumentTest {

  private static final Pattern CODE = Pattern.compile("```java\\n(@Bean\\n.*?)```", Pattern.DOTALL);
  private static final Path PAGE = Path.of("../../docs/jobs.md");
  private static final Path JOB = Path.of("src/main/java/com/example/prices/Reprice.java");

  @Test
  void theBeansOfTheDocumentAreThoseOfThisExample() throws Exception {
    String job = Files.readString(JOB).replaceAll("(?m)^ +", "");
    List<String> beans =
        CODE.matcher(Files.readString(PAGE)).results().map(DocumentTest::code).toList();
    assertThat(beans).hasSize(3).allSatisfy(bean -> assertThat(job).contains(bean));
  }

  private static String code(MatchResult block) {
    return block.group(1).replaceAll("(?m)^ +", "");
  }
}
