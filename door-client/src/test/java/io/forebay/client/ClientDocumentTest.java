/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/** The Java code about the client in docs/door.md compiles. */
class ClientDocumentTest {

  private static final Path DOCUMENT = Path.of("../docs/door.md");
  private static final Pattern BLOCK = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);

  /** What the examples need of the program around them. */
  private static final String AROUND =
      """
      import io.forebay.client.*;
      import java.net.URI;
      import java.time.*;
      import java.util.*;
      import tools.jackson.databind.JsonNode;

      class Example {
        record Order(long id, String item) {}
        DoorClient door;
        String token;
        List<Order> all;
        long acknowledged;
      """;

  @Test
  void allExamplesCompile() throws Exception {
    StringBuilder source = new StringBuilder(AROUND);
    int blocks = 0;
    String page = Files.readString(DOCUMENT);
    Matcher block = BLOCK.matcher(page.substring(page.indexOf("\n## The client of the door\n")));
    while (block.find()) {
      blocks++;
      source.append("void example%d() throws Exception {\n%s}\n".formatted(blocks, block.group(1)));
    }
    assertThat(blocks).isGreaterThanOrEqualTo(4);
    assertThat(errors(source.append("}\n").toString())).isEmpty();
  }

  @Test
  void anExampleThatDoesNotCompileIsFound() {
    assertThat(errors(AROUND + "void example() { door.sendAll(); }\n}\n"))
        .singleElement()
        .asString()
        .contains("sendAll");
  }

  private static List<String> errors(String source) {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    List<String> errors = new ArrayList<>();
    compiler
        .getTask(
            new StringWriter(),
            null,
            message -> errors.add(message.toString()),
            List.of(
                "-proc:none", "-d", "target", "-classpath", System.getProperty("java.class.path")),
            null,
            List.of(
                new SimpleJavaFileObject(
                    URI.create("mem:///Example.java"), JavaFileObject.Kind.SOURCE) {
                  @Override
                  public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                    return source;
                  }
                }))
        .call();
    return errors;
  }
}
