/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.forebay.jdbc.StatementCatalogue.Known;
import io.forebay.jdbc.sql.StatementKind;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;

class CatalogueReaderTest {

  private static final String STATEMENT =
      "name, version, gateway, lane, sql, params, key, kind, independent, explain";

  private static Catalogue read(String... files) throws IOException {
    CatalogueReader reader =
        new CatalogueReader(List.of("main", "other"), Set.of("main-bulk", "main-reports"));
    for (int i = 0; i < files.length; i++) {
      String name = "c" + (i + 1) + ".yaml";
      reader.read(
          new ByteArrayResource(files[i].getBytes(StandardCharsets.UTF_8)) {
            @Override
            public String getDescription() {
              return name;
            }
          });
    }
    return reader.catalogue();
  }

  private static List<String> violations(String... files) {
    return catchThrowableOfType(CatalogueInvalid.class, () -> read(files)).violations().stream()
        .map(CatalogueViolation::toString)
        .toList();
  }

  @Test
  void anEntryRequiresANameAndAText() throws IOException {
    Catalogue catalogue =
        read(
            "statements: [{name: a, sql: delete from t}]",
            "statements: []",
            "",
            "statements:",
            "{}");
    CatalogueEntry entry = Objects.requireNonNull(catalogue.find("a"));
    assertThat(entry.gateway()).isEqualTo("main");
    assertThat(entry.kind()).isEqualTo(StatementKind.UPDATE);
    assertThat(entry.key()).isNull();
    assertThat(entry.independent()).isFalse();
    assertThat(entry.explain()).isFalse();
    assertThat(catalogue.entries()).hasSize(1);
  }

  @Test
  void anEntryNamesALaneOfItsGateway() throws IOException {
    CatalogueEntry entry =
        Objects.requireNonNull(
            read("statements: [{name: a, sql: delete from t, lane: bulk}]").find("a"));
    assertThat(entry.lane()).isEqualTo("bulk");
    assertThat(
            violations("statements: [{name: a, gateway: other, sql: delete from t, lane: bulk}]"))
        .containsExactly("c1.yaml - 1:66: a: gateway other has no lane bulk");
  }

  @Test
  void aTextIsExplainedOnlyIfEveryStatementThatHasItSaysSo() throws IOException {
    Catalogue catalogue =
        read(
            """
            statements:
              - {name: a, sql: delete from t, explain: true}
              - {name: b, sql: delete from u, explain: true}
              - {name: c, sql: delete from u}
            """);
    assertThat(catalogue.known("main", "delete from t"))
        .isEqualTo(new Known("a", List.of(), false, true));
    assertThat(catalogue.known("main", "delete from u"))
        .isEqualTo(new Known("b", List.of(), false, false));
    assertThat(catalogue.known("main", "delete from v")).isNull();
    assertThat(catalogue.known("other", "delete from t")).isNull();
  }

  @Test
  void theHighestVersionOfANameIsSent() throws IOException {
    Catalogue catalogue =
        read(
            """
            statements:
              - {name: a, version: 3, sql: delete from t where x = 3}
              - {name: a, sql: delete from t where x = 1}
              - {name: a, version: 12, sql: delete from t where x = 12}
              - {name: a, version: 4, sql: delete from t where x = 4}
            """);
    CatalogueEntry entry = Objects.requireNonNull(catalogue.find("a"));
    assertThat(entry.version()).isEqualTo(12);
    assertThat(catalogue.entries()).containsExactly(entry);
    assertThat(catalogue.all()).hasSize(4);
    assertThat(catalogue.find("main", "a@1").sql()).endsWith("x = 1");
    assertThat(catalogue.find("main", "a@12")).isSameAs(entry);
    assertThat(catalogue.find("main", entry.reference())).isSameAs(entry);
    assertThat(violations("statements: [{name: a, version: 0, sql: delete from t}]"))
        .containsExactly("c1.yaml - 1:33: a: version must be a whole number from 1 to 999999999");
  }

  @Test
  void whatIsKnownOfATextIsThatOfTheNewestVersion() throws IOException {
    Catalogue catalogue =
        read(
            """
            statements:
              - name: first
                independent: true
                sql: delete from t where a = :a
                params: [{name: a, type: long}]
              - name: b
                version: 2
                sql: delete from t where a = :b
                params: [{name: b, type: long}]
            """);
    assertThat(catalogue.known("main", "delete from t where a = ?"))
        .isEqualTo(new Known("b", List.of("b"), true, false));
    Known b = new Known("b", List.of("b"), false, false);
    assertThat(catalogue.known("main", "b@2")).isEqualTo(b);
    assertThat(catalogue.known("main", catalogue.find("main", "b@2").reference())).isEqualTo(b);
    assertThat(catalogue.known("main", "b@1"))
        .as("a version that is gone")
        .isEqualTo(new Known("b", List.of(), false, false));
    assertThat(catalogue.known("main", "c@1")).isNull();
    assertThat(catalogue.known("other", "b@2")).isNull();
  }

  @Test
  void anUnknownReferenceIsReportedWithWhatExists() throws IOException {
    Catalogue catalogue =
        read(
            """
            statements:
              - {name: a, version: 2, sql: delete from t}
              - {name: a, version: 3, sql: delete from t}
            """);
    assertThat(List.of("b@1", "a@1", "a@2:0123456789abcdef"))
        .extracting(reference -> missing(catalogue, "main", reference))
        .containsExactly(
            "the catalogue of this instance has no statement b of gateway main",
            "the catalogue of this instance has a in version 2, 3 only",
            "the catalogue of this instance has a@2 with another text or other parameters");
    assertThat(missing(catalogue, "other", "a@2")).endsWith("no statement a of gateway other");
  }

  private static String missing(Catalogue catalogue, String gateway, String reference) {
    return catchThrowableOfType(
            NoSuchElementException.class, () -> catalogue.find(gateway, reference))
        .getMessage();
  }

  private static String reference(String yaml) throws IOException {
    return Objects.requireNonNull(read("statements: [" + yaml + "]").find("a")).reference();
  }

  @Test
  void aReferenceChangesOnlyWithTheTextAndTheParameters() throws IOException {
    String params = "params: [{name: x, type: long}, {name: y, type: long}]";
    String sql = "sql: 'update t set b = :y where a = :x'";
    String first = reference("{name: a, " + sql + ", " + params + "}");
    assertThat(first).matches("a@1:[0-9a-f]{16}");
    assertThat(
            reference(
                "{name: a, " + sql + ", independent: true, explain: true, key: x, " + params + "}"))
        .isEqualTo(first);
    assertThat(
            List.of(
                reference("{name: a, sql: 'update t set b = :y where c = :x', " + params + "}"),
                reference("{name: a, sql: 'update t set b = :x where a = :y', " + params + "}"),
                reference(
                    "{name: a, "
                        + sql
                        + ", params: [{name: y, type: long}, {name: x, type: long}]}"),
                reference(
                    "{name: a, "
                        + sql
                        + ", params: [{name: x, type: text}, {name: y, type: long}]}")))
        .doesNotContain(first)
        .doesNotHaveDuplicates();
  }

  @Test
  void anEntryAcceptsOnlyValuesOfItsParameters() throws IOException {
    CatalogueEntry entry =
        Objects.requireNonNull(
            read("""
            statements:
              - name: a
                sql: update t set b = :b, c = :c where a = :a or b = :b
                params:
                  - {name: a, type: long}
                  - {name: b, type: list of text}
                  - {name: c, type: decimal, nullable: true}
            """)
                .find("a"));
    List<String> b = List.of("x");
    assertThat(entry.arguments(new Object[] {7L, b, null})).containsExactly(b, null, 7L, b);
    assertThat(entry.arguments(new Object[] {7L, b, 5L})).containsExactly(b, 5L, 7L, b);
    assertThatThrownBy(() -> entry.arguments(new Object[] {7L}))
        .hasMessage("it has 3 parameters, but 1 values were given");
    assertThatThrownBy(() -> entry.arguments(new Object[] {"secret", b, null}))
        .hasMessage("parameter a must be of type long and not null");
    assertThatThrownBy(() -> entry.arguments(new Object[] {null, b, null}))
        .hasMessage("parameter a must be of type long and not null");
    assertThatThrownBy(() -> entry.arguments(new Object[] {7L, List.of("x", 1L), null}))
        .hasMessage("parameter b must be of type list of text and not null");
    assertThatThrownBy(() -> entry.arguments(new Object[] {7L, b, 1.5}))
        .hasMessage("parameter c must be of type decimal");
  }

  @Test
  void anEntryHasAllConfiguredValues() throws IOException {
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
    assertThat(catalogue.known("other", entry.sql()))
        .isEqualTo(new Known(entry.name(), List.of("id", "to", "to"), true, false));
    assertThat(catalogue.known("main", entry.sql())).isNull();
  }

  @Test
  void acceptsTheExampleOfTheDocument() throws IOException {
    String page = Files.readString(Path.of("../docs/door.md"));
    int start = page.indexOf("```yaml\n") + 8;
    Catalogue catalogue = read(page.substring(start, page.indexOf("```", start)));
    assertThat(Objects.requireNonNull(catalogue.find("orders.place")).params()).hasSize(3);
  }

  @Test
  void allErrorsAreReportedAtOnceWithTheirPlace() {
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
                    independent: perhaps
                    params:
                      - {name: a, type: strng}
                      - {name: b, type: text, size: 5}
                      - {name: b, type: text}
                      - {type: long}
                      - {name: 1x, type: long}
                      - text
                      - {name: y}
                  - name: ok
                    sql: select * from forebay.request
                  - name: unclear
                    sql: with x as (select 1) select * from x
                  - name: keyed
                    sql: insert into t values (:a)
                    key: a
                    kind: insert
                    params: [{name: a, type: double}]
                  - name: reads
                    sql: select 1
                    independent: true
                  - text
                """,
                "statement: []",
                "statements: {a: {sql: select 1}}",
                "statements:\n  - name: [\n",
                "- a",
                "statements: [{name: a, name: b, sql: select 1}]",
                "statements: a\u0000",
                "statements: &a [*a]",
                """
                statements:
                  - {name: a, sql: 'select :a', params: {a: long}}
                  - {name: b, sql: 'select 1', params: long}
                  - {name: c, sql: 'select 1', params: []}
                "a]": b
                "[c]": d
                e: !!set {f}
                "statements[x y]": {name: d, sql: select 1}
                """))
        .containsExactlyInAnyOrder(
            "c1.yaml - 4:5: name is missing",
            "c1.yaml - 5:11: no text: a name has 1 to 100 letters, digits, '.', '-' or '_'",
            "c1.yaml - 5:5: no text: sql is missing",
            "c1.yaml - 7:5: many: key colour is not allowed (allowed: " + STATEMENT + ")",
            "c1.yaml - 8:14: many: unknown gateway third (gateways: main, other)",
            "c1.yaml - 9:10: many: the text uses :c, which is not in params (a, b, 1x, y)",
            "c1.yaml - 10:11: many: kind is query, but the text is of kind update",
            "c1.yaml - 11:10: many: the key z is not a parameter (parameters: a, b, 1x, y)",
            "c1.yaml - 12:18: many: independent must be true or false",
            "c1.yaml - 14:25: many: type must be one of boolean, long, double, decimal, text,"
                + " bytes, date, time, timestamp, timestamptz, uuid, json, list of one of these",
            "c1.yaml - 15:16: many: parameter b is not used in the text",
            "c1.yaml - 18:16: many: parameter 1x is not used in the text",
            "c1.yaml - 20:16: many: parameter y is not used in the text",
            "c1.yaml - 15:31: many: key size is not allowed (allowed: name, type, nullable)",
            "c1.yaml - 16:16: many: duplicate parameter b",
            "c1.yaml - 17:9: many: name is missing",
            "c1.yaml - 18:16: many: the name of a parameter has at most 100 letters, digits and"
                + " '_' and does not begin with a digit",
            "c1.yaml - 19:9: many: must be a mapping with these keys: name, type, nullable",
            "c1.yaml - 20:9: many: type is missing",
            "c1.yaml - 21:11: ok: duplicate statement, first defined in c1.yaml - 2:5; use another"
                + " name or another version",
            "c1.yaml - 22:10: ok: sql: The text refers to schema forebay, which is reserved"
                + " for the gateway",
            "c1.yaml - 24:10: unclear: the kind cannot be derived from the text; add kind: update"
                + " or kind: query",
            "c1.yaml - 27:10: keyed: the key a must have type long, text or uuid",
            "c1.yaml - 28:11: keyed: kind must be update or query",
            "c1.yaml - 32:18: reads: independent is for updates; a query is always performed alone",
            "c1.yaml - 33:5: must be a mapping with these keys: " + STATEMENT,
            "c2.yaml - 1:1: key statement is not allowed (allowed: statements)",
            "c3.yaml - 1:13: statements must be a list",
            "c4.yaml - 3:1: not valid YAML: expected the node content, but found '<stream end>'",
            "c5.yaml - 1:1: must be a mapping with these keys: statements",
            "c6.yaml - 1:24: a: key name appears twice",
            "c7.yaml: not valid YAML",
            "c8.yaml - 1:13: must be a mapping with these keys: " + STATEMENT,
            "c9.yaml - 2:20: a: the text uses :a, which is not in params (none)",
            "c9.yaml - 2:12: a: duplicate statement, first defined in c6.yaml - 1:14; use another"
                + " name or another version",
            "c9.yaml - 2:41: a: params must be a list",
            "c9.yaml - 3:40: b: params must be a list",
            "c9.yaml - 5:1: key a] is not allowed (allowed: statements)",
            "c9.yaml - 6:1: key [c] is not allowed (allowed: statements)",
            "c9.yaml - 7:1: key e is not allowed (allowed: statements)",
            "c9.yaml - 8:1: key statements[x y] is not allowed (allowed: statements)");
  }

  @Test
  void aFileThatCannotBeReadIsNoInvalidCatalogue() {
    CatalogueReader reader = new CatalogueReader(List.of("main"), null);
    Resource unreadable =
        new ByteArrayResource(new byte[0]) {
          @Override
          public InputStream getInputStream() throws IOException {
            throw new IOException("no permission");
          }
        };
    assertThatThrownBy(() -> reader.read(unreadable)).isInstanceOf(IOException.class);
  }

  @Test
  void aFileMayBeReplacedWhileItIsRead() throws IOException {
    Iterator<String> contents =
        List.of("statements: []", "statements:\n- name: a\n  version: 1\n  sql: delete from t")
            .iterator();
    CatalogueReader reader = new CatalogueReader(List.of("main"), null);
    reader.read(
        new ByteArrayResource(new byte[0]) {
          @Override
          public InputStream getInputStream() {
            return new ByteArrayInputStream(contents.next().getBytes(StandardCharsets.UTF_8));
          }
        });
    assertThat(reader.catalogue().entries()).isEmpty();
  }

  @Test
  void aKeyIsWrittenAsItIsDeclared() {
    assertThat(
            violations(
                """
                statements:
                  - Name: a
                    s-q-l: select 1
                    EXPLAIN: true
                """))
        .containsExactlyInAnyOrder(
            "c1.yaml - 2:5: key Name is not allowed (allowed: " + STATEMENT + ")",
            "c1.yaml - 3:5: key s-q-l is not allowed (allowed: " + STATEMENT + ")",
            "c1.yaml - 4:5: key EXPLAIN is not allowed (allowed: " + STATEMENT + ")",
            "c1.yaml - 2:5: name is missing",
            "c1.yaml - 2:5: sql is missing");
  }

  @Test
  void aMappingInPlaceOfAValueIsRefusedWithItsPlace() {
    assertThat(
            violations(
                """
                statements:
                  - name: a
                    gateway: {bytes: x}
                    sql: select :a
                    params: [{name: a, type: {list: true}}]
                """))
        .containsExactly(
            "c1.yaml - 3:14: a: gateway must have one value",
            "c1.yaml - 5:30: a: type must have one value");
  }

  @Test
  void aVersionIsTheNumberThatIsWritten() throws IOException {
    assertThat(
            violations(
                """
                statements:
                  - {name: a, version: 010, sql: select 1}
                  - {name: b, version: 0x1F, sql: select 1}
                  - {name: c, version: 1_0, sql: select 1}
                  - {name: d, version: 1:30, sql: select 1}
                """))
        .containsExactly(
            "c1.yaml - 2:24: a: version must be a whole number from 1 to 999999999",
            "c1.yaml - 3:24: b: version must be a whole number from 1 to 999999999",
            "c1.yaml - 4:24: c: version must be a whole number from 1 to 999999999",
            "c1.yaml - 5:24: d: version must be a whole number from 1 to 999999999");
    String sql = "select '\uD83D\uDE00'";
    CatalogueEntry entry =
        Objects.requireNonNull(
            read("\uFEFFstatements:\r\n  - {sql: \"" + sql + "\", version: 10, name: a}")
                .find("a"));
    assertThat(entry.version()).isEqualTo(10);
    assertThat(entry.sql()).isEqualTo(sql);
  }

  @Test
  void aValueThatIsMissingIsRefused() {
    assertThat(
            violations(
                """
                statements:
                  - name: 1.10
                    version: 1.5
                    sql: select 1
                  - name: b
                    version:
                    kind:
                    independent:
                    key:
                    lane:
                    gateway:
                    sql:
                  - name:
                    sql: {text: select 1}
                  - name: c
                    sql: select :no
                    params:
                      - {name: no, type: long, nullable: }
                """))
        .containsExactlyInAnyOrder(
            "c1.yaml - 3:14: 1.10: version must be a whole number from 1 to 999999999",
            "c1.yaml - 6:13: b: version must have one value",
            "c1.yaml - 7:10: b: kind must have one value",
            "c1.yaml - 8:17: b: independent must have one value",
            "c1.yaml - 9:9: b: key must have one value",
            "c1.yaml - 10:10: b: lane must have one value",
            "c1.yaml - 11:13: b: gateway must have one value",
            "c1.yaml - 12:9: b: sql must have one value",
            "c1.yaml - 13:10: name must have one value",
            "c1.yaml - 14:10: sql must have one value",
            "c1.yaml - 18:41: c: nullable must have one value");
  }

  @Test
  void aTextIsTakenAsItIsWritten() throws IOException {
    Catalogue catalogue =
        read(
            """
            statements:
              - name: a.b
                sql: |
                  delete from t
                  where a = '${user.home}, #{1}' -- [x]
                  and b in (1, 2)
            ---
            statements:
              - {name: "1.10", version: "7", sql: delete from t}
              - {name: no, sql: delete from t where id = 1.10}
            """);
    assertThat(Objects.requireNonNull(catalogue.find("a.b")).sql())
        .isEqualTo("delete from t\nwhere a = '${user.home}, #{1}' -- [x]\nand b in (1, 2)\n");
    assertThat(Objects.requireNonNull(catalogue.find("1.10")).version()).isEqualTo(7);
    assertThat(catalogue.find("no")).isNotNull();
  }
}
