/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.forebay.jdbc.lane.Lane;
import io.forebay.jdbc.sql.NamedSql;
import io.forebay.jdbc.sql.StatementKind;
import io.forebay.text.Sha256;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.TextResourceOrigin;
import org.springframework.boot.origin.TextResourceOrigin.Location;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.util.FileCopyUtils;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.reader.UnicodeReader;

/** Reads the files of a catalogue and collects all their errors. For one catalogue. */
final class CatalogueReader {

  /** The length of a fingerprint, in hexadecimal digits. */
  private static final int FINGERPRINT_DIGITS = 16;

  private final List<String> gateways;
  private final @Nullable Set<String> lanes;
  private final List<CatalogueViolation> violations = new ArrayList<>();
  private final List<CatalogueEntry> entries = new ArrayList<>();
  private final Map<String, Origin> places = new HashMap<>();

  /**
   * @param gateways the names of all gateways; the first is the default of entries that name none
   * @param lanes the services of all lanes; null if they are not known, so that each is accepted
   */
  CatalogueReader(List<String> gateways, @Nullable Set<String> lanes) {
    this.gateways = gateways;
    this.lanes = lanes;
  }

  void read(Resource file) throws IOException {
    if (!file.exists()) {
      violate(file, null, "there is no such file");
      return;
    }
    Resource read = // once, because the file may be replaced at any time
        new ByteArrayResource(FileCopyUtils.copyToByteArray(file.getInputStream())) {
          @Override
          public String getDescription() {
            return file.getDescription();
          }
        };
    List<String> lines =
        List.of(FileCopyUtils.copyToString(new UnicodeReader(read.getInputStream())).split("\\R"));
    try {
      for (PropertySource<?> source :
          new YamlPropertySourceLoader().load(read.getDescription(), read)) {
        new CatalogueDocument((MapPropertySource) source, lines, violations::add)
            .list("statements", DeclaredStatement.class)
            .forEach(this::statement);
      }
    } catch (MarkedYAMLException e) {
      Mark mark = e.getProblemMark();
      violate(
          file,
          mark == null ? null : new Location(mark.getLine(), mark.getColumn()),
          "not valid YAML: " + e.getProblem());
    } catch (YAMLException | StackOverflowError e) { // a value may contain itself
      violate(file, null, "not valid YAML");
    }
  }

  private void violate(Resource file, @Nullable Location location, String message) {
    violations.add(new CatalogueViolation(new TextResourceOrigin(file, location), "", message));
  }

  /**
   * @throws CatalogueInvalid if there were errors
   */
  Catalogue catalogue() {
    if (!violations.isEmpty()) {
      throw new CatalogueInvalid(violations);
    }
    return new Catalogue(entries, Map.of());
  }

  private void statement(CatalogueDocument.Element<DeclaredStatement> element) {
    DeclaredStatement declared = element.value();
    String name = declared.name();
    if (name != null) {
      mustBeNew(CatalogueEntry.reference(name, declared.version()), element);
    }
    String gateway = declared.gateway() == null ? gateways.getFirst() : declared.gateway();
    if (!gateways.contains(gateway)) {
      element.violate(
          "gateway",
          "unknown gateway %s (gateways: %s)".formatted(gateway, String.join(", ", gateways)));
    }
    String lane = declared.lane();
    if (lane != null && lanes != null && !lanes.contains(Lane.service(gateway, lane))) {
      element.violate("lane", "gateway %s has no lane %s".formatted(gateway, lane));
    }
    List<CatalogueDocument.Element<Param>> declaredParams = element.list("params", Param.class);
    List<Param> params = params(declaredParams);
    Integer key = key(element, params);
    if (declared.sql() == null) {
      return;
    }
    NamedSql sql = NamedSql.of(declared.sql());
    if (sql.refusal() != null) {
      element.violate("sql", "sql: " + sql.refusal());
    }
    List<Integer> placeholders = placeholders(element, sql, params);
    mustUse(declaredParams, sql);
    StatementKind kind = sql.refusal() == null ? kind(element, sql.kind()) : null;
    if (kind == StatementKind.QUERY && declared.independent()) {
      element.violate(
          "independent", "independent is for updates; a query is always performed alone");
    }
    if (name != null && kind != null && violations.isEmpty()) {
      entries.add(
          new CatalogueEntry(
              name,
              declared.version(),
              CatalogueEntry.reference(name, declared.version())
                  + ":"
                  + fingerprint(kind, sql.text(), params, placeholders),
              gateway,
              lane,
              sql.text(),
              params,
              placeholders,
              key,
              kind,
              declared.independent(),
              declared.explain(),
              element.place()));
    }
  }

  private void mustBeNew(String id, CatalogueDocument.Element<DeclaredStatement> element) {
    Origin first = places.putIfAbsent(id, element.place());
    if (first != null) {
      element.violate(
          "name",
          "duplicate statement, first defined in %s; use another name or another version"
              .formatted(first));
    }
  }

  private static List<Param> params(List<CatalogueDocument.Element<Param>> elements) {
    Map<String, Param> params = new LinkedHashMap<>();
    for (CatalogueDocument.Element<Param> element : elements) {
      Param param = element.value();
      if (param.name() != null && params.putIfAbsent(param.name(), param) != null) {
        element.violate("name", "duplicate parameter %s".formatted(param.name()));
      }
    }
    return List.copyOf(params.values());
  }

  private static @Nullable Integer key(
      CatalogueDocument.Element<DeclaredStatement> statement, List<Param> params) {
    String key = statement.value().key();
    if (key == null) {
      return null;
    }
    int index = params.stream().map(Param::name).toList().indexOf(key);
    if (index < 0) {
      statement.violate(
          "key", "the key %s is not a parameter (parameters: %s)".formatted(key, names(params)));
    } else if (!params.get(index).mayBeKey()) {
      statement.violate("key", "the key %s must have type long, text or uuid".formatted(key));
    }
    return index;
  }

  private static @Nullable StatementKind kind(
      CatalogueDocument.Element<DeclaredStatement> statement, @Nullable StatementKind told) {
    StatementKind declared = statement.value().kind();
    if (declared == null && told == null && !statement.isWrong("kind")) {
      statement.violate(
          "sql", "the kind cannot be derived from the text; add kind: update or kind: query");
    }
    if (declared != null && told != null && told != declared) {
      statement.violate(
          "kind", "kind is %s, but the text is of kind %s".formatted(declared.word(), told.word()));
    }
    return declared == null ? told : declared;
  }

  private static List<Integer> placeholders(
      CatalogueDocument.Element<DeclaredStatement> statement, NamedSql sql, List<Param> params) {
    List<String> declared = params.stream().map(Param::name).toList();
    for (String name : new LinkedHashSet<>(sql.names())) {
      if (!declared.contains(name)) {
        statement.violate(
            "sql", "the text uses :%s, which is not in params (%s)".formatted(name, names(params)));
      }
    }
    return sql.names().stream().map(declared::indexOf).toList();
  }

  private static void mustUse(List<CatalogueDocument.Element<Param>> params, NamedSql sql) {
    for (CatalogueDocument.Element<Param> param : params) {
      String name = param.value().name();
      if (name != null && !sql.names().contains(name)) {
        param.violate("name", "parameter %s is not used in the text".formatted(name));
      }
    }
  }

  private static String names(List<Param> params) {
    return params.isEmpty() ? "none" : String.join(", ", params.stream().map(Param::name).toList());
  }

  /**
   * A fingerprint of text and parameters. It differs if a message for one statement would have
   * another effect with the other.
   */
  private static String fingerprint(
      StatementKind kind, String sql, List<Param> params, List<Integer> placeholders) {
    StringBuilder what = new StringBuilder(kind.word()).append('\n').append(sql);
    for (Param param : params) {
      what.append('\n').append(param.name()).append(' ').append(param.type().word());
    }
    return fingerprint(what.append('\n').append(placeholders).toString());
  }

  static String fingerprint(String what) {
    return Sha256.hex(what.getBytes(UTF_8)).substring(0, FINGERPRINT_DIGITS);
  }
}
