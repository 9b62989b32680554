/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.forebay.jdbc.catalogue.CatalogueEntry.Kind;
import io.forebay.jdbc.lane.Lane;
import io.forebay.jdbc.sql.NamedSql;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.reader.UnicodeReader;

/** Reads the files of a catalogue and collects all their errors. For one catalogue. */
final class CatalogueReader {

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,100}");
  private static final Pattern VERSION = Pattern.compile("[1-9][0-9]{0,8}");
  private static final int FINGERPRINT_BYTES = 8;
  private static final Pattern PARAM = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,99}");
  private static final List<String> FILE_KEYS = List.of("statements");
  private static final List<String> ENTRY_KEYS =
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
  private static final List<String> PARAM_KEYS = List.of("name", "type", "nullable");

  /** Replaces an unknown type. */
  private static final ParamType ANY = new ParamType(ScalarType.TEXT, false);

  private final List<String> gateways;
  private final @Nullable Set<String> lanes;
  private final List<CatalogueViolation> violations = new ArrayList<>();
  private final List<CatalogueEntry> entries = new ArrayList<>();
  private final Map<String, SourceLine> names = new HashMap<>();

  /**
   * @param gateways the names of all gateways; the first is the default of entries that name none
   * @param lanes the services of all lanes; null if they are not known, so that each is accepted
   */
  CatalogueReader(List<String> gateways, @Nullable Set<String> lanes) {
    this.gateways = gateways;
    this.lanes = lanes;
  }

  /** Reports a missing file. */
  void missing(String file) {
    violations.add(new CatalogueViolation(new SourceLine(file, 1), "", "there is no such file"));
  }

  void read(String file, InputStream content) throws IOException {
    Node root;
    try (UnicodeReader reader = new UnicodeReader(content)) {
      root = new Yaml(new LoaderOptions()).compose(reader);
    } catch (MarkedYAMLException e) {
      int line = e.getProblemMark() == null ? 1 : e.getProblemMark().getLine() + 1;
      violations.add(
          new CatalogueViolation(
              new SourceLine(file, line), "", "not valid YAML: " + e.getProblem()));
      return;
    } catch (YAMLException e) {
      violations.add(new CatalogueViolation(new SourceLine(file, 1), "", "not valid YAML"));
      return;
    }
    if (root != null) {
      new YamlMapping(file, root, "a catalogue", FILE_KEYS, "", violations::add)
          .mappings("statements", "a statement", ENTRY_KEYS, null)
          .forEach(this::entry);
    }
  }

  /**
   * @throws CatalogueInvalid if there were errors
   */
  Catalogue catalogue() {
    if (!violations.isEmpty()) {
      throw new CatalogueInvalid(violations);
    }
    return new Catalogue(entries);
  }

  private void entry(YamlMapping yaml) {
    String name = yaml.required("name");
    int version = version(yaml);
    if (name != null) {
      checkName(yaml, name, version);
    }
    String gateway = gateway(yaml);
    String lane = lane(yaml, gateway);
    List<Param> params = params(yaml);
    boolean independent = yaml.flag("independent");
    boolean explain = yaml.flag("explain");
    String sql = yaml.required("sql");
    Integer key = key(yaml, params);
    if (sql == null) {
      return;
    }
    NamedSql named = NamedSql.of(sql);
    String refusal = named.refusal();
    if (refusal != null) {
      yaml.violate("sql", "sql: " + refusal);
    }
    Kind kind = refusal == null ? kind(yaml, named.answer()) : null;
    List<Integer> placeholders = placeholders(yaml, named, params);
    if (independent && kind == Kind.QUERY) {
      yaml.violate("independent", "independent is for updates; a query is always performed alone");
    }
    if (name != null && gateway != null && kind != null) {
      entries.add(
          new CatalogueEntry(
              name,
              version,
              CatalogueEntry.reference(name, version)
                  + ":"
                  + fingerprint(kind, named.text(), params, placeholders),
              gateway,
              lane,
              named.text(),
              params,
              placeholders,
              key,
              kind,
              independent,
              explain,
              yaml.place()));
    }
  }

  private void checkName(YamlMapping yaml, String name, int version) {
    if (!NAME.matcher(name).matches()) {
      yaml.violate("name", "a name has 1 to 100 letters, digits, '.', '-' or '_'");
    }
    SourceLine before = names.putIfAbsent(CatalogueEntry.reference(name, version), yaml.place());
    if (before != null) {
      yaml.violate(
          "name",
          "duplicate statement, first defined in %s; use another name or another version"
              .formatted(before));
    }
  }

  private static int version(YamlMapping yaml) {
    String version = yaml.has("version") ? yaml.text("version") : "1";
    if (version == null || !VERSION.matcher(version).matches()) {
      yaml.violate("version", "a version is a whole number from 1 to 999999999");
      return 1;
    }
    return Integer.parseInt(version);
  }

  /**
   * A fingerprint of text and parameters. It differs if a message for one statement would have
   * another effect with the other.
   */
  private static String fingerprint(
      Kind kind, String sql, List<Param> params, List<Integer> placeholders) {
    StringBuilder what = new StringBuilder(kind.word()).append('\n').append(sql);
    for (Param param : params) {
      what.append('\n').append(param.name()).append(' ').append(param.type().word());
    }
    return fingerprint(what.append('\n').append(placeholders).toString());
  }

  static String fingerprint(String what) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(what.getBytes(UTF_8));
      return HexFormat.of().formatHex(digest, 0, FINGERPRINT_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform supports SHA-256", e);
    }
  }

  private @Nullable String gateway(YamlMapping yaml) {
    String gateway = yaml.has("gateway") ? yaml.text("gateway") : gateways.getFirst();
    if (gateway != null && !gateways.contains(gateway)) {
      yaml.violate(
          "gateway",
          "unknown gateway %s (gateways: %s)".formatted(gateway, String.join(", ", gateways)));
    }
    return gateway;
  }

  private @Nullable String lane(YamlMapping yaml, @Nullable String gateway) {
    String lane = yaml.text("lane");
    if (lane != null
        && gateway != null
        && lanes != null
        && !lanes.contains(Lane.service(gateway, lane))) {
      yaml.violate("lane", "gateway %s has no lane %s".formatted(gateway, lane));
    }
    return lane;
  }

  private static List<Param> params(YamlMapping yaml) {
    List<Param> params = new ArrayList<>();
    Set<String> known = new LinkedHashSet<>();
    for (YamlMapping each : yaml.mappings("params", "a parameter", PARAM_KEYS, yaml.statement())) {
      String name = each.required("name");
      String type = each.required("type");
      boolean nullable = each.flag("nullable");
      if (name == null) {
        continue;
      }
      if (!PARAM.matcher(name).matches()) {
        each.violate(
            "name",
            "the name of a parameter has at most 100 letters, digits and '_' and does not begin"
                + " with a digit");
      }
      if (!known.add(name)) {
        each.violate("name", "duplicate parameter %s".formatted(name));
        continue;
      }
      Optional<ParamType> declared = type == null ? Optional.empty() : ParamType.of(type);
      if (type != null && declared.isEmpty()) {
        each.violate(
            "type",
            "parameter %s: unknown type '%s' (allowed: %s)"
                .formatted(name, type, ParamType.ALLOWED));
      }
      params.add(new Param(name, declared.orElse(ANY), nullable));
    }
    return List.copyOf(params);
  }

  private static @Nullable Integer key(YamlMapping yaml, List<Param> params) {
    String key = yaml.text("key");
    if (key == null) {
      return null;
    }
    for (int i = 0; i < params.size(); i++) {
      Param param = params.get(i);
      if (param.name().equals(key)) {
        if (!param.type().mayBeKey()) {
          yaml.violate("key", "the key %s must have type long, text or uuid".formatted(key));
        }
        return i;
      }
    }
    yaml.violate(
        "key", "the key %s is not a parameter (parameters: %s)".formatted(key, names(params)));
    return null;
  }

  private static @Nullable Kind kind(YamlMapping yaml, NamedSql.Answer answer) {
    Kind told =
        switch (answer) {
          case COUNT -> Kind.UPDATE;
          case ROWS -> Kind.QUERY;
          case UNKNOWN -> null;
        };
    if (!yaml.has("kind")) {
      if (told == null) {
        yaml.violate(
            "sql", "the kind cannot be derived from the text; add kind: update or kind: query");
      }
      return told;
    }
    String kind = yaml.text("kind");
    for (Kind each : Kind.values()) {
      if (each.word().equals(kind)) {
        if (told != null && told != each) {
          yaml.violate(
              "kind", "kind is %s, but the text is of kind %s".formatted(kind, told.word()));
        }
        return each;
      }
    }
    if (kind != null) {
      yaml.violate("kind", "unknown kind '%s' (allowed: update, query)".formatted(kind));
    }
    return null;
  }

  private static List<Integer> placeholders(YamlMapping yaml, NamedSql sql, List<Param> params) {
    List<String> declared = params.stream().map(Param::name).toList();
    List<Integer> placeholders = new ArrayList<>();
    Set<String> used = new LinkedHashSet<>(sql.names());
    for (String name : used) {
      if (!declared.contains(name)) {
        yaml.violate(
            "sql", "the text uses :%s, which is not in params (%s)".formatted(name, names(params)));
      }
    }
    for (String name : declared) {
      if (!used.contains(name)) {
        yaml.violate("params", "parameter %s is not used in the text".formatted(name));
      }
    }
    sql.names().forEach(name -> placeholders.add(declared.indexOf(name)));
    return List.copyOf(placeholders);
  }

  private static String names(List<Param> params) {
    return params.isEmpty() ? "none" : String.join(", ", params.stream().map(Param::name).toList());
  }
}
