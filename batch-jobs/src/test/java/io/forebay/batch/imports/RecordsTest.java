/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.jdbc.catalogue.NamedStatement;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RecordsTest {

  private static final int MAX = 60;

  @TempDir static Path directory;
  private static TestGateway gateway;
  private static NamedStatement pair;
  private static NamedStatement all;

  @BeforeAll
  static void open() throws Exception {
    gateway =
        new TestGateway(
            directory,
            """
            statements:
              - name: pair
                sql: insert into pair (a, b) values (:a, :b)
                params:
                  - {name: a, type: text}
                  - {name: b, type: text, nullable: true}
              - name: all
                sql: >
                  insert into everything
                    values (:truth, :whole, :floating, :exact, :words, :raw, :day, :at, :local, :zoned, :uid, :doc)
                params:
                  - {name: truth, type: boolean, nullable: true}
                  - {name: whole, type: long, nullable: true}
                  - {name: floating, type: double, nullable: true}
                  - {name: exact, type: decimal, nullable: true}
                  - {name: words, type: text, nullable: true}
                  - {name: raw, type: bytes, nullable: true}
                  - {name: day, type: date, nullable: true}
                  - {name: at, type: time, nullable: true}
                  - {name: local, type: timestamp, nullable: true}
                  - {name: zoned, type: timestamptz, nullable: true}
                  - {name: uid, type: uuid, nullable: true}
                  - {name: doc, type: json, nullable: true}
            """,
            100_000);
    pair = gateway.statements().get("pair");
    all = gateway.statements().get("all");
  }

  @AfterAll
  static void close() throws Exception {
    gateway.close();
  }

  private static FileChannel file(byte[] content) throws IOException {
    return FileChannel.open(Files.write(directory.resolve("file"), content));
  }

  /** Line, start, end, and the arguments or the complaint of each record. */
  private static List<String> read(Records records, NamedStatement statement) throws IOException {
    List<String> read = new ArrayList<>();
    ImportRecord record;
    while ((record = records.next(statement)) != null) {
      read.add(
          "%d %d-%d %s"
              .formatted(
                  record.line(),
                  record.from(),
                  record.to(),
                  record.statement() == null
                      ? record.complaint()
                      : record.statement().arguments()));
    }
    return read;
  }

  private static List<String> csv(byte[] content) throws IOException {
    try (FileChannel file = file(content)) {
      CsvRecords records = new CsvRecords(file::read, MAX);
      records.readHeader(pair);
      return read(records, pair);
    }
  }

  private static List<String> csv(String content) throws IOException {
    return csv(content.getBytes(UTF_8));
  }

  private static List<String> json(byte[] content) throws IOException {
    try (FileChannel file = file(content)) {
      JsonLines records = new JsonLines(file::read, MAX);
      records.skipByteOrderMark();
      return read(records, pair);
    }
  }

  private static List<String> json(String content) throws IOException {
    return json(content.getBytes(UTF_8));
  }

  @Test
  void fieldsAreMappedToParametersByTheHeaderLine() throws Exception {
    assertThat(csv("b,a\n1,2\n3,4\n")).containsExactly("2 4-8 [2, 1]", "3 8-12 [4, 3]");
    assertThat(csv("a\n1\n")).containsExactly("2 2-4 [1, null]");
  }

  @Test
  void quotedFieldsMayContainCommasLineBreaksAndQuotes() throws Exception {
    assertThat(csv("a,b\n\"1,\n2\r\n\",\"say \"\"hi\"\"\"\n\"\",x\n"))
        .containsExactly("2 4-26 [1,\n2\r\n, say \"hi\"]", "5 26-31 [, x]");
  }

  @Test
  void aByteOrderMarkEmptyLinesAndBothLineBreaksAreSkipped() throws Exception {
    assertThat(csv("\ufeffa,b\r\n\r\n1,2\r\n\n\"3\",\"4\"\r\n"))
        .containsExactly("3 10-15 [1, 2]", "5 16-25 [3, 4]");
    assertThat(json("\ufeff{\"a\":\"1\"}\r\n\r\n{\"a\":\"2\"}"))
        .containsExactly("1 3-14 [1, null]", "3 16-25 [2, null]");
  }

  @Test
  void theLastLineNeedsNoLineBreak() throws Exception {
    assertThat(csv("a,b\n1,2")).containsExactly("2 4-7 [1, 2]");
    assertThat(csv("a,b\n1,2\r")).containsExactly("2 4-8 [1, 2]");
    assertThat(csv("a,b\n1,")).containsExactly("2 4-6 [1, null]");
    assertThat(csv("a,b\n1,\"2\"")).containsExactly("2 4-9 [1, 2]");
    assertThat(csv("a,b\n1,\"2\"\r")).containsExactly("2 4-10 [1, 2]");
    assertThat(csv("a,b")).isEmpty();
    assertThat(json("")).isEmpty();
  }

  @Test
  void aRecordThatCannotBeReadEndsWithItsFirstLine() throws Exception {
    assertThat(csv("a,b\n\"1,2\n3,\"4\"\n5,6\n"))
        .containsExactly("2 4-9 has text after a closing quote", "3 9-15 [3, 4]", "4 15-19 [5, 6]");
    assertThat(csv("a,b\n1,\"2\n3,4\n"))
        .containsExactly("2 4-9 has an unclosed quote", "3 9-13 [3, 4]");
    assertThat(csv("a,b\n1,5\" pipe\n3,4\n"))
        .containsExactly("2 4-14 has a quote inside an unquoted field", "3 14-18 [3, 4]");
    assertThat(csv("a,b\n1\n1,2,3\n4,5\n"))
        .containsExactly(
            "2 4-6 has 1 fields, but the header line names 2",
            "3 6-12 has 3 fields, but the header line names 2",
            "4 12-16 [4, 5]");
  }

  @Test
  void aRecordThatIsTooLongIsRejectedAndNotKeptInMemory() throws Exception {
    String x = "x".repeat(MAX);
    assertThat(csv("a,b\n" + x.substring(2) + ",y\n" + x + ",y\n1,2\n"))
        .containsExactly(
            "2 4-65 [%s, y]".formatted(x.substring(2)),
            "3 65-128 is longer than 60 bytes",
            "4 128-132 [1, 2]");
    assertThat(csv("a,b\n\"1\n" + x + "\",y\n1,2\n"))
        .containsExactly(
            "2 4-7 is longer than 60 bytes",
            "3 7-71 has a quote inside an unquoted field",
            "4 71-75 [1, 2]");
    assertThat(json("{\"a\":\"" + x + "\"}\n{\"a\":\"1\"}\n"))
        .containsExactly("1 0-69 is longer than 60 bytes", "2 69-79 [1, null]");
  }

  @Test
  void whatIsNotUtf8IsRejected() throws Exception {
    assertThat(csv("a,b\nü,ü\n1,2\n".getBytes(ISO_8859_1)))
        .containsExactly("2 4-8 is not UTF-8", "3 8-12 [1, 2]");
    assertThat(csv("a,b\nü,€𝄞\n")).containsExactly("2 4-15 [ü, €𝄞]");
    assertThat(json("{\"a\":\"ü\"}\n".getBytes(ISO_8859_1))).containsExactly("1 0-10 is not UTF-8");
  }

  @Test
  void anObjectOnALineMustBeValidForTheDoor() throws Exception {
    assertThat(
            json(
                "{\"a\":\"1\",\"b\":null}\n{\"a\":1,\"c\":2}\n[]\n{\"a\":\"1\"\n{\"a\":\"1\"} {}\n"))
        .containsExactly(
            "1 0-19 [1, null]",
            "2 19-33 a must be a string that contains neither U+0000 nor unpaired surrogates; c is not a"
                + " parameter of this statement",
            "3 33-36 must be an object of named parameters",
            "4 36-45 cannot be read as JSON",
            "5 45-58 must end after the object");
  }

  @Test
  void aFirstLineThatDoesNotNameTheParametersIsRefused() {
    assertThatThrownBy(() -> csv("b,secret,b\n"))
        .isInstanceOf(ImportRefused.class)
        .hasMessage(
            "the first line does not name the parameters of statement pair (a, b): field 2 (\"secret\") is not one of them; b appears twice; a is missing");
    assertThatThrownBy(() -> csv("secret,value\n"))
        .as("without a header line, it is a record")
        .hasMessageEndingWith(
            "(a, b): field 1 is not one of them; field 2 is not one of them; a is missing");
    assertThatThrownBy(() -> csv("")).hasMessageContaining("is missing: the file is empty");
    assertThatThrownBy(() -> csv("a,\"b")).hasMessageContaining("has an unclosed quote");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          truth    | true                      | true                      | TRUE
          whole    | -9223372036854775808      | -9223372036854775808      | 9223372036854775808
          whole    | 7                         | 7                         | 7.0
          floating | 1e3                       | 1000.0                    | 1e999
          exact    | 1.10                      | 1.10                      | 1,10
          day      | 2026-03-01                | 2026-03-01                | 01.03.2026
          at       | 13:30:00                  | 13:30                     | 25:00
          local    | 2026-03-01T13:30:00       | 2026-03-01T13:30          | 2026-03-01 13:30
          zoned    | 2026-03-01T13:30:00+01:00 | 2026-03-01T13:30+01:00    | 2026-03-01T13:30
          uid      | 018F3C4E-7d2a-7b11-9c55-0a1b2c3d4e5f | 018f3c4e-7d2a-7b11-9c55-0a1b2c3d4e5f | 1-2-3-4-5
          """)
  void aTextIsReadByTheTypeOfItsParameter(String name, String text, String value, String bad)
      throws Exception {
    assertThat(one(name, text)).contains(value);
    assertThat(one(name, bad)).startsWith(name + " must be ");
    assertThat(one(name, "")).isEqualTo("[" + "null, ".repeat(11) + "null]");
  }

  private static String one(String name, String text) throws IOException {
    byte[] content = "%s\n\"%s\"\n".formatted(name, text.replace("\"", "\"\"")).getBytes(UTF_8);
    try (FileChannel file = file(content)) {
      CsvRecords records = new CsvRecords(file::read, 1_000);
      records.readHeader(all);
      return read(records, all).getFirst().split(" ", 3)[2];
    }
  }

  @Test
  void aFieldMayHoldJsonOrBase64() throws Exception {
    assertThat(one("doc", "{\"x\": [1, 2]}")).contains("{\"x\": [1, 2]}");
    assertThat(one("doc", "{\"x\": "))
        .isEqualTo(
            "doc must be any JSON value whose strings contain neither U+0000 nor unpaired surrogates");
    assertThat(one("doc", "1 2"))
        .isEqualTo(
            "doc must be any JSON value whose strings contain neither U+0000 nor unpaired surrogates");
    assertThat(one("raw", "=")).isEqualTo("raw must be a string in Base64");
  }

  @Test
  void readingMayBeginAtAnyRecord() throws Exception {
    byte[] content = "a,b\r\n1,\"2\n3\"\n\n\"x\n4,5\r\nü,\n6,7,8\n9,\"10\"".getBytes(UTF_8);
    List<String> whole = csv(content);
    assertThat(whole).hasSize(6);
    try (FileChannel file = file(content)) {
      for (int begin = 0; begin < whole.size(); begin++) {
        String[] place = whole.get(begin).split("[ -]");
        CsvRecords records = new CsvRecords(file::read, MAX);
        records.readHeader(pair);
        records.seek(Long.parseLong(place[1]), Long.parseLong(place[0]));
        assertThat(read(records, pair)).isEqualTo(whole.subList(begin, whole.size()));
      }
    }
  }

  @Test
  void recordsMayBeLargerThanTheReadBuffer() throws Exception {
    int length = 1_000_000;
    String large = "y".repeat(length);
    byte[] content = ("a,b\n1,2\n" + large + ",3\n4,5\n").getBytes(UTF_8);
    try (FileChannel file = file(content)) {
      CsvRecords records = new CsvRecords(file::read, 2 * length);
      records.readHeader(pair);
      assertThat(read(records, pair))
          .containsExactly(
              "2 4-8 [1, 2]",
              "3 8-%d [%s, 3]".formatted(length + 11, large),
              "4 %d-%d [4, 5]".formatted(length + 11, length + 15));
    }
  }
}
