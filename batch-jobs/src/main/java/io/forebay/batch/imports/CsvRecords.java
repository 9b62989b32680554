/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.forebay.jdbc.catalogue.InvalidRecord;
import io.forebay.jdbc.catalogue.NamedStatement;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads RFC 4180 records: fields separated by commas, enclosed in double quotes if they contain
 * commas, line breaks or quotes; quotes inside are doubled. Lines end with CR LF or LF; the first
 * line names the fields.
 */
final class CsvRecords extends Records {

  private static final int QUOTE = '"';

  /** What is quoted as the name of a field. */
  private static final Pattern NAME = Pattern.compile("[\\p{L}\\p{N} _.-]{1,60}");

  /** Where the fields of the record begin and end, relative to the start of the record. */
  private int[] begins = new int[16];

  private int[] ends = new int[16];

  /** Whether a field contains doubled quotes. */
  private boolean[] doubled = new boolean[16];

  private int fields;

  /** The number of the parameter for each field. */
  private int[] parameters = {};

  private int parameterCount;

  CsvRecords(ReadAt file, int maxRecord) {
    super(file, maxRecord);
  }

  /**
   * Reads the field names at the beginning of the file.
   *
   * @throws ImportRefused if they do not match the parameters of the statement; the message lists
   *     all violations
   */
  void readHeader(NamedStatement statement) throws IOException {
    skipByteOrderMark();
    List<String> names = new ArrayList<>();
    try {
      if (window.at(0) == FileWindow.END) {
        throw new Malformed("is missing: the file is empty");
      }
      Extent extent = scan();
      if (!window.isUtf8(extent.length())) {
        throw new Malformed("is not UTF-8");
      }
      for (int field = 0; field < fields; field++) {
        names.add(text(field));
      }
      skip(extent);
    } catch (Malformed e) {
      throw new ImportRefused("the header line " + e.getMessage());
    }
    List<String> known = statement.parameters();
    List<String> wrong = wrong(names, known, statement);
    if (!wrong.isEmpty()) {
      throw new ImportRefused(
          "the first line does not name the parameters of statement %s (%s): %s"
              .formatted(statement.name(), String.join(", ", known), String.join("; ", wrong)));
    }
    parameters = names.stream().mapToInt(known::indexOf).toArray();
    parameterCount = known.size();
  }

  private static List<String> wrong(
      List<String> names, List<String> known, NamedStatement statement) {
    List<String> wrong = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    // If no field names a parameter, the line may be a record, and messages have no values.
    boolean header = names.stream().anyMatch(known::contains);
    for (String name : names) {
      if (!known.contains(name)) {
        wrong.add(
            "field %d%s is not one of them"
                .formatted(names.indexOf(name) + 1, header ? quoted(name) : ""));
      } else if (!seen.add(name)) {
        wrong.add(name + " appears twice");
      }
    }
    for (String name : statement.required()) {
      if (!names.contains(name)) {
        wrong.add(name + " is missing");
      }
    }
    return wrong;
  }

  private static String quoted(String name) {
    return NAME.matcher(name).matches() ? " (\"%s\")".formatted(name) : "";
  }

  @Override
  Extent scan() throws IOException, Malformed {
    fields = 0;
    int lines = 1;
    int at = 0;
    while (true) {
      boolean quoted = window.at(at) == QUOTE;
      boolean twice = false;
      int begin = quoted ? at + 1 : at;
      int next;
      if (quoted) {
        at++;
        while (true) {
          next = window.at(at);
          if (next == QUOTE) {
            if (window.at(at + 1) != QUOTE) {
              break;
            }
            twice = true;
            at++;
          } else if (next == '\n') {
            lines++;
          } else if (next == FileWindow.END) {
            throw new Malformed("has an unclosed quote");
          }
          checkLength(++at);
        }
        add(begin, at, twice);
        next = window.at(++at);
        if (next == '\r' && (window.at(at + 1) == '\n' || window.at(at + 1) == FileWindow.END)) {
          next = window.at(++at);
        }
      } else {
        next = window.at(at);
        while (next != ',' && next != '\n' && next != FileWindow.END) {
          if (next == QUOTE) {
            throw new Malformed("has a quote inside an unquoted field");
          }
          checkLength(++at);
          next = window.at(at);
        }
        boolean carriageReturn = next != ',' && at > begin && window.at(at - 1) == '\r';
        add(begin, carriageReturn ? at - 1 : at, false);
      }
      switch (next) {
        case ',' -> at++;
        case '\n' -> {
          return new Extent(at + 1, lines);
        }
        case FileWindow.END -> {
          return new Extent(at, lines);
        }
        default -> throw new Malformed("has text after a closing quote");
      }
    }
  }

  private void checkLength(int at) throws Malformed {
    if (at > maxRecord) {
      throw tooLong();
    }
  }

  private void add(int begin, int end, boolean twice) {
    if (fields == begins.length) {
      begins = Arrays.copyOf(begins, fields * 2);
      ends = Arrays.copyOf(ends, fields * 2);
      doubled = Arrays.copyOf(doubled, fields * 2);
    }
    begins[fields] = begin;
    ends[fields] = end;
    doubled[fields++] = twice;
  }

  private String text(int field) {
    String text =
        new String(
            window.bytes(), window.start() + begins[field], ends[field] - begins[field], UTF_8);
    return doubled[field] ? text.replace("\"\"", "\"") : text;
  }

  @Override
  NamedStatement.Bound bind(NamedStatement statement, Extent extent)
      throws InvalidRecord, Malformed {
    if (fields != parameters.length) {
      throw new Malformed(
          "has %,d fields, but the header line names %,d".formatted(fields, parameters.length));
    }
    @Nullable String[] texts = new String[parameterCount];
    for (int field = 0; field < fields; field++) {
      texts[parameters[field]] = text(field);
    }
    return statement.bind(texts);
  }
}
