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
import java.io.StringReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.TextResourceOrigin;
import org.springframework.boot.origin.TextResourceOrigin.Location;
import org.springframework.core.io.Resource;
import org.springframework.util.FileCopyUtils;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.reader.UnicodeReader;

/** Reads the files of a catalogue and collects all their errors. For one catalogue. */
final class CatalogueReader {

  private static final List<String> STATEMENT =
      List.of(
          "name",
          "version",
          "gateway",
          "lane",
          "sql",
          "params",
          "key",
          "kind",
          "independent",
          "explain");
  private static final List<String> PARAM = List.of("name", "type", "nullable");

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,100}");
  private static final Pattern PARAM_NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,99}");
  private static final Pattern VERSION = Pattern.compile("[1-9][0-9]{0,8}");

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
    LoaderOptions options = new LoaderOptions();
    options.setCodePointLimit(Integer.MAX_VALUE);
    String text = FileCopyUtils.copyToString(new UnicodeReader(file.getInputStream()));
    try {
      for (Node document : new Yaml(options).composeAll(new StringReader(text))) {
        if (!document.getTag().equals(Tag.NULL)) {
          new CatalogueNode(file, document, null, List.of("statements"), violations::add)
              .list("statements", STATEMENT)
              .forEach(this::statement);
        }
      }
    } catch (MarkedYAMLException e) {
      Mark mark = e.getProblemMark();
      violate(
          file,
          mark == null ? null : new Location(mark.getLine(), mark.getColumn()),
          "not valid YAML: " + e.getProblem());
    } catch (YAMLException e) {
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

  private void statement(CatalogueNode node) {
    node.mustHave("name", "sql");
    String name = node.text("name");
    if (name != null && !NAME.matcher(name).matches()) {
      node.violate("name", "a name has 1 to 100 letters, digits, '.', '-' or '_'");
    }
    Integer declaredVersion =
        node.value(
            "version",
            it -> VERSION.matcher(it).matches() ? Integer.valueOf(it) : null,
            "a whole number from 1 to 999999999");
    int version = declaredVersion == null ? 1 : declaredVersion;
    if (name != null) {
      mustBeNew(CatalogueEntry.reference(name, version), node);
    }
    String gateway = Objects.requireNonNullElse(node.text("gateway"), gateways.getFirst());
    if (!gateways.contains(gateway)) {
      node.violate(
          "gateway",
          "unknown gateway %s (gateways: %s)".formatted(gateway, String.join(", ", gateways)));
    }
    String lane = node.text("lane");
    if (lane != null && lanes != null && !lanes.contains(Lane.service(gateway, lane))) {
      node.violate("lane", "gateway %s has no lane %s".formatted(gateway, lane));
    }
    Map<String, CatalogueNode> places = new LinkedHashMap<>();
    List<Param> params = params(node.list("params", PARAM), places);
    Integer key = key(node, params);
    boolean independent = node.flag("independent");
    boolean explain = node.flag("explain");
    StatementKind declaredKind = node.value("kind", StatementKind::of, "update or query");
    String text = node.text("sql");
    if (text == null) {
      return;
    }
    NamedSql sql = NamedSql.of(text);
    if (sql.refusal() != null) {
      node.violate("sql", "sql: " + sql.refusal());
    }
    List<Integer> placeholders = placeholders(node, sql, params);
    mustUse(places, sql);
    StatementKind kind = sql.refusal() == null ? kind(node, declaredKind, sql.kind()) : null;
    if (kind == StatementKind.QUERY && independent) {
      node.violate("independent", "independent is for updates; a query is always performed alone");
    }
    if (name != null && kind != null && violations.isEmpty()) {
      entries.add(
          new CatalogueEntry(
              name,
              version,
              CatalogueEntry.reference(name, version)
                  + ":"
                  + fingerprint(kind, sql.text(), params, placeholders),
              gateway,
              lane,
              sql.text(),
              params,
              placeholders,
              key,
              kind,
              independent,
              explain,
              node.place()));
    }
  }

  private void mustBeNew(String id, CatalogueNode node) {
    Origin first = places.putIfAbsent(id, node.place());
    if (first != null) {
      node.violate(
          "name",
          "duplicate statement, first defined in %s; use another name or another version"
              .formatted(first));
    }
  }

  /**
   * @param places receives the place of each parameter
   */
  private static List<Param> params(List<CatalogueNode> nodes, Map<String, CatalogueNode> places) {
    List<Param> params = new ArrayList<>();
    for (CatalogueNode node : nodes) {
      node.mustHave("name", "type");
      String name = node.text("name");
      ParamType type = node.value("type", ParamType::of, "one of " + ParamType.ALLOWED);
      boolean nullable = node.flag("nullable");
      if (name == null) {
        continue;
      }
      if (!PARAM_NAME.matcher(name).matches()) {
        node.violate(
            "name",
            "the name of a parameter has at most 100 letters, digits and '_' and does not begin with a digit");
      }
      if (places.putIfAbsent(name, node) == null) {
        params.add(new Param(name, type == null ? ParamType.UNKNOWN : type, nullable));
      } else {
        node.violate("name", "duplicate parameter %s".formatted(name));
      }
    }
    return params;
  }

  private static @Nullable Integer key(CatalogueNode statement, List<Param> params) {
    String key = statement.text("key");
    if (key == null) {
      return null;
    }
    int index = params.stream().map(Param::name).toList().indexOf(key);
    if (index < 0) {
      statement.violate(
          "key", "the key %s is not a parameter (parameters: %s)".formatted(key, names(params)));
    } else if (!params.get(index).type().mayBeKey()) {
      statement.violate("key", "the key %s must have type long, text or uuid".formatted(key));
    }
    return index;
  }

  private static @Nullable StatementKind kind(
      CatalogueNode statement, @Nullable StatementKind declared, @Nullable StatementKind told) {
    if (declared == null && told == null) {
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
      CatalogueNode statement, NamedSql sql, List<Param> params) {
    List<String> declared = params.stream().map(Param::name).toList();
    for (String name : new LinkedHashSet<>(sql.names())) {
      if (!declared.contains(name)) {
        statement.violate(
            "sql", "the text uses :%s, which is not in params (%s)".formatted(name, names(params)));
      }
    }
    return sql.names().stream().map(declared::indexOf).toList();
  }

  private static void mustUse(Map<String, CatalogueNode> params, NamedSql sql) {
    params.forEach((name, node) -> {
      if (!sql.names().contains(name)) {
        node.violate("name", "parameter %s is not used in the text".formatted(name));
      }
    });
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
