/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/** A mapping of a YAML file. Its getters report errors with their lines. */
final class YamlMapping {

  private final String file;
  private final Node node;
  private final Consumer<CatalogueViolation> violations;
  private final String statement;
  private final Map<String, Node> values = new LinkedHashMap<>();

  /**
   * @param what the kind of mapping, for messages
   * @param allowed the allowed keys
   * @param statement the name of the statement that contains the mapping; null if the mapping has
   *     its own name
   */
  YamlMapping(
      String file,
      Node node,
      String what,
      List<String> allowed,
      @Nullable String statement,
      Consumer<CatalogueViolation> violations) {
    this.file = file;
    this.node = node;
    this.violations = violations;
    this.statement = statement == null ? nameOf(node) : statement;
    if (!(node instanceof MappingNode mapping)) {
      violate(node, what + " must be a mapping (allowed keys: " + list(allowed) + ")");
      return;
    }
    for (NodeTuple tuple : mapping.getValue()) {
      String key = tuple.getKeyNode() instanceof ScalarNode scalar ? scalar.getValue() : "";
      if (!allowed.contains(key)) {
        violate(
            tuple.getKeyNode(),
            "%s has no key '%s' (allowed: %s)".formatted(what, key, list(allowed)));
      } else if (values.put(key, tuple.getValueNode()) != null) {
        violate(tuple.getKeyNode(), "%s has the key %s twice".formatted(what, key));
      }
    }
  }

  private static String nameOf(Node node) {
    if (node instanceof MappingNode mapping) {
      for (NodeTuple tuple : mapping.getValue()) {
        if (tuple.getKeyNode() instanceof ScalarNode key
            && key.getValue().equals("name")
            && tuple.getValueNode() instanceof ScalarNode value) {
          return value.getValue();
        }
      }
    }
    return "";
  }

  private static String list(List<String> words) {
    return String.join(", ", words);
  }

  String statement() {
    return statement;
  }

  SourceLine place() {
    return place(node);
  }

  private SourceLine place(Node at) {
    return new SourceLine(file, at.getStartMark().getLine() + 1);
  }

  /** Reports an error at a key, or at the mapping if the key is missing. */
  void violate(String key, String message) {
    violate(values.getOrDefault(key, node), message);
  }

  private void violate(Node at, String message) {
    violations.accept(new CatalogueViolation(place(at), statement, message));
  }

  boolean has(String key) {
    return values.containsKey(key);
  }

  /** Returns the text of a key; null if the key is missing or its value is not a text. */
  @Nullable String text(String key) {
    Node value = values.get(key);
    if (value == null) {
      return null;
    }
    if (value instanceof ScalarNode scalar && !scalar.getTag().equals(Tag.NULL)) {
      return scalar.getValue();
    }
    violate(value, key + " must be a text");
    return null;
  }

  /** Returns the text of a required key; null if it is missing or empty, which is reported. */
  @Nullable String required(String key) {
    if (!values.containsKey(key)) {
      violate(node, key + " is missing");
      return null;
    }
    String text = text(key);
    if (text != null && text.isBlank()) {
      violate(key, key + " is empty");
      return null;
    }
    return text;
  }

  /** Returns false if the key is missing. */
  boolean flag(String key) {
    Node value = values.get(key);
    if (value == null) {
      return false;
    }
    if (value instanceof ScalarNode scalar
        && (scalar.getValue().equals("true") || scalar.getValue().equals("false"))) {
      return scalar.getValue().equals("true");
    }
    violate(value, key + " must be true or false");
    return false;
  }

  /**
   * Returns each mapping of a list; empty if the key is missing. The arguments are those of the
   * constructor.
   */
  List<YamlMapping> mappings(
      String key, String what, List<String> allowed, @Nullable String belongsTo) {
    Node value = values.get(key);
    if (value == null || value.getTag().equals(Tag.NULL)) {
      return List.of();
    }
    if (value instanceof SequenceNode sequence) {
      return sequence.getValue().stream()
          .map(each -> new YamlMapping(file, each, what, allowed, belongsTo, violations))
          .toList();
    }
    violate(value, key + " must be a list");
    return List.of();
  }
}
