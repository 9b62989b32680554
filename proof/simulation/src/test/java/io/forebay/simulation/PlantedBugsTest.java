/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The simulation finds bugs that are planted in the product, one at a time, each in a JVM of its
 * own. With {@code -Dforebay.docs.write=true} the table of {@code docs/reliability.md} is written.
 */
@Tag("planted")
class PlantedBugsTest {

  private static final Path ROOT = Path.of("../..");
  private static final Path PLANTED = Path.of("target/planted");
  private static final long MOST_HISTORIES = 20_000;
  private static final Pattern FOUND = Pattern.compile("seed (\\d+): \\[(.*)]");
  private static final Pattern RUN = Pattern.compile("(\\d+) histories,");
  private static final List<String> ROWS = new ArrayList<>();

  @ParameterizedTest
  @EnumSource
  void isFound(Bug bug) throws Exception {
    Path classes = Files.createDirectories(PLANTED.resolve(bug.name()));
    compile(bug, classes);
    String output = run(bug, classes);
    Matcher found = FOUND.matcher(output);
    assertThat(found.find()).as("%s is found: %s", bug.what(), output).isTrue();
    Matcher run = RUN.matcher(output);
    assertThat(run.find()).isTrue();
    ROWS.add(
        "| %s | %s | %s |"
            .formatted(bug.what(), found.group(2).split("[:,]")[0].strip(), run.group(1)));
  }

  private static void compile(Bug bug, Path classes) throws Exception {
    Path source =
        PLANTED.resolve(bug.name() + "-source").resolve(Path.of(bug.file()).getFileName());
    Files.createDirectories(source.getParent());
    Files.writeString(source, bug.plant(Files.readString(ROOT.resolve(bug.file()))));
    int status =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-nowarn",
                "-proc:none",
                "-d",
                classes.toString(),
                "-cp",
                System.getProperty("java.class.path"),
                source.toString());
    assertThat(status).as("%s compiles", bug).isZero();
  }

  private static String run(Bug bug, Path classes) throws Exception {
    Process process =
        Histories.start(
            classes + ":", Long.toString(bug.firstSeed()), Long.toString(MOST_HISTORIES), "first");
    String output = new String(process.getInputStream().readAllBytes());
    process.waitFor();
    return output;
  }

  @AfterAll
  static void writeTable() throws Exception {
    if (Boolean.getBoolean("forebay.docs.write") && ROWS.size() == Bug.values().length) {
      ReliabilityDocument.writeTable(ROWS);
    }
  }
}
