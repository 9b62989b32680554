/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.forebay.jdbc.http.CatalogueEntry.Kind;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class CatalogueReaderTest {

  private static Catalogue read(String... files) throws IOException {
    CatalogueReader reader = new CatalogueReader(List.of("main", "other"));
    for (int i = 0; i < files.length; i++) {
      reader.read(
          "c" + (i + 1) + ".yaml",
          new ByteArrayInputStream(files[i].getBytes(StandardCharsets.UTF_8)));
    }
    return reader.catalogue();
  }

  private static List<String> violations(String... files) {
    return catchThrowableOfType(CatalogueInvalid.class, () -> read(files)).violations().stream()
        .map(Violation::toString)
        .toList();
  }

  @Test
  void anEntryNeedsANameAndAText() throws IOException {
    Catalogue catalogue =
        read("statements: [{name: a, sql: delete from t}]", "statements: []", "", "statements:");
    CatalogueEntry entry = Objects.requireNonNull(catalogue.find("a"));
    assertThat(entry.gateway()).isEqualTo("main");
    assertThat(entry.kind()).isEqualTo(Kind.UPDATE);
    assertThat(entry.key()).isNull();
    assertThat(entry.independent()).isFalse();
    assertThat(catalogue.entries()).hasSize(1);
  }

  @Test
  void anEntryHasAllItSays() throws IOException {
    Catalogue catalogue =
        read(
            """
            statements:
              - name: orders.move_1-b
                gateway: other
                sql: |
                  with moved as (delete from a where id = :id returning id)
                  insert into b select id, :to, :to from moved
                kind: update
                key: id
                independent: true
                params:
                  - {name: to, type: list of uuid, nullable: true}
                  - {name: id, type: long}
            """);
    CatalogueEntry entry = Objects.requireNonNull(catalogue.find("orders.move_1-b"));
    assertThat(entry.params())
        .containsExactly(
            new Param("to", new ParamType(ScalarType.UUID, true), true),
            new Param("id", new ParamType(ScalarType.LONG, false), false));
    assertThat(entry.placeholders()).containsExactly(1, 0, 0);
    assertThat(entry.key()).isEqualTo(1);
    assertThat(entry.partitionKey(new Object[] {null, 7L})).isEqualTo("7");
    assertThat(catalogue.isIndependent("other", entry.sql())).isTrue();
    assertThat(catalogue.isIndependent("main", entry.sql())).isFalse();
  }

  @Test
  void takesTheExampleOfTheDocument() throws IOException {
    String page = Files.readString(Path.of("../docs/door.md"));
    int start = page.indexOf("```yaml\n") + 8;
    Catalogue catalogue = read(page.substring(start, page.indexOf("```", start)));
    assertThat(Objects.requireNonNull(catalogue.find("orders.place")).params()).hasSize(3);
  }

  @Test
  void allThatIsWrongIsToldAtOnceWithItsPlace() {
    assertThat(
            violations(
                """
                statements:
                  - name: ok
                    sql: select 1
                  - sql: select 1
                  - name: no text
                  - name: many
                    colour: red
                    gateway: third
                    sql: insert into t values (:a, :c)
                    kind: query
                    key: z
                    independent: yes
                    params:
                      - {name: a, type: strng}
                      - {name: b, type: text, size: 5}
                      - {name: b, type: text}
                      - {type: long}
                      - {name: 1x, type: long}
                      - text
                  - name: ok
                    sql: select * from forebay.request
                  - name: unclear
                    sql: with x as (select 1) select * from x
                  - name: keyed
                    sql: insert into t values (:a)
                    key: a
                    independent: maybe
                    params: [{name: a, type: double}]
                  - name: twice
                    name: again
                    sql: select 1
                    independent: true
                """,
                "statement: []",
                "statements: {}",
                "statements:\n  - name: [\n",
                "- a"))
        .containsExactlyInAnyOrder(
            "c1.yaml:4: name is missing",
            "c1.yaml:5: no text: a name has 1 to 100 letters, digits, '.', '-' or '_'",
            "c1.yaml:5: no text: sql is missing",
            "c1.yaml:7: many: a statement has no key 'colour' (allowed: name, gateway, sql, params, key, kind, independent)",
            "c1.yaml:8: many: there is no gateway third (there are: main, other)",
            "c1.yaml:9: many: the text names :c, which is not in params (a, b, 1x)",
            "c1.yaml:10: many: kind is query, but the text is of kind update",
            "c1.yaml:11: many: the key z is no parameter (there are: a, b, 1x)",
            "c1.yaml:12: many: independent must be true or false",
            "c1.yaml:14: many: parameter a: 'strng' is no type (allowed: boolean, long, double, decimal, text, bytes, date, time, timestamp, timestamptz, uuid, json, list of one of these)",
            "c1.yaml:15: many: a parameter has no key 'size' (allowed: name, type, nullable)",
            "c1.yaml:16: many: there is a parameter b already",
            "c1.yaml:17: many: name is missing",
            "c1.yaml:18: many: the name of a parameter has letters, digits and '_' and begins with no digit, at most 100",
            "c1.yaml:19: many: a parameter must be a mapping (allowed keys: name, type, nullable)",
            "c1.yaml:19: many: name is missing",
            "c1.yaml:19: many: type is missing",
            "c1.yaml:14: many: parameter b is not used in the text",
            "c1.yaml:14: many: parameter 1x is not used in the text",
            "c1.yaml:20: ok: there is a statement of that name already, in c1.yaml:2",
            "c1.yaml:21: ok: sql: It names schema forebay, which is the gateway's own",
            "c1.yaml:23: unclear: the text does not tell its kind; add kind: update or kind: query",
            "c1.yaml:26: keyed: the key a must have type long, text or uuid",
            "c1.yaml:27: keyed: independent must be true or false",
            "c1.yaml:30: twice: a statement has the key name twice",
            "c1.yaml:32: twice: independent is for updates; a query is always performed alone",
            "c2.yaml:1: a catalogue has no key 'statement' (allowed: statements)",
            "c3.yaml:1: statements must be a list",
            "c4.yaml:3: no YAML: expected the node content, but found '<stream end>'",
            "c5.yaml:1: a catalogue must be a mapping (allowed keys: statements)");
  }
}
