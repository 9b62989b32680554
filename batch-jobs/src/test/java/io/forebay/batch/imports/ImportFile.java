/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A file of items, with the expected outcome of each record. */
final class ImportFile {

  private final ByteArrayOutputStream file = new ByteArrayOutputStream();
  private final ByteArrayOutputStream rejects = new ByteArrayOutputStream();
  private final List<String> rows = new ArrayList<>();
  private int line = 2;

  /**
   * @param records how many; every 500th record and the two after it are bad
   */
  ImportFile(int records) {
    add(file, "\ufeffid,name,price\r\n");
    add(rejects, "line,reason,record\r\n");
    for (int id = 0; id < records; id++) {
      switch (id % 500) {
        case 100 -> reject(id + ",a \"\"thing\"\"\"", "has a quote inside an unquoted field");
        case 101 -> reject(id + ",a,b,c", "has 4 fields, but the header line names 3");
        case 102 -> reject("none," + id + ",1.5", "id must be a whole number from -2^63 to 2^63-1");
        case 7 -> add(id, "two\r\nlines, one ü", "\"two\r\nlines, one ü\"", 2);
        case 8 -> add(id, "say \"hello\"", "\"say \"\"hello\"\"\"", 1);
        default -> add(id, "item " + id % 97, "item " + id % 97, 1);
      }
    }
  }

  private static void add(ByteArrayOutputStream target, String text) {
    target.writeBytes(text.getBytes(UTF_8));
  }

  private void add(int id, String name, String field, int lines) {
    boolean priced = id % 3 != 0;
    add(file, id + "," + field + "," + (priced ? id + ".25" : "") + "\r\n");
    rows.add(id + "|" + name + "|" + (priced ? id + ".25" : "null"));
    line += lines;
  }

  private void reject(String record, String reason) {
    add(file, record + "\r\n");
    add(rejects, "%d,\"%s\",\"%s\"\r\n".formatted(line, reason, record.replace("\"", "\"\"")));
    line++;
  }

  void write(Path path) throws IOException {
    Files.write(path, file.toByteArray());
  }

  String rejects() {
    return rejects.toString(UTF_8);
  }

  /** The expected rows, in the order of their numbers. */
  List<String> rows() {
    return rows;
  }
}
