/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.TextResourceOrigin;
import org.springframework.boot.origin.TextResourceOrigin.Location;
import org.springframework.core.io.Resource;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * A mapping in a file of a catalogue. A value is the text that the file has, so that YAML makes
 * neither {@code 1.10} a number nor {@code no} a boolean. Errors do not end the reading, so that
 * all are reported, each with its place.
 */
final class CatalogueNode {

  private final Resource file;
  private final Node node;

  /** The name of the statement that it is or belongs to; null if it is a document. */
  private final @Nullable String statement;

  private final Consumer<CatalogueViolation> violations;
  private final Map<String, Node> values = new HashMap<>();

  /**
   * @param keys those that are allowed
   */
  CatalogueNode(
      Resource file,
      Node node,
      @Nullable String statement,
      List<String> keys,
      Consumer<CatalogueViolation> violations) {
    this.file = file;
    this.node = node;
    this.statement = statement;
    this.violations = violations;
    String allowed = String.join(", ", keys);
    if (!(node instanceof MappingNode)) {
      violate(node, "must be a mapping with these keys: " + allowed);
    }
    for (NodeTuple entry : entries(node)) {
      Node key = entry.getKeyNode();
      String name = text(key);
      if (name == null || !keys.contains(name)) {
        violate(key, "key %s is not allowed (allowed: %s)".formatted(name, allowed));
      } else if (values.putIfAbsent(name, entry.getValueNode()) != null) {
        violate(key, "key %s appears twice".formatted(name));
      }
    }
  }

  private static List<NodeTuple> entries(Node node) {
    return node instanceof MappingNode mapping ? mapping.getValue() : List.of();
  }

  /** Null if it is no text. */
  private static @Nullable String text(@Nullable Node value) {
    return value instanceof ScalarNode scalar && !scalar.getTag().equals(Tag.NULL)
        ? scalar.getValue()
        : null;
  }

  void mustHave(String... keys) {
    Arrays.stream(keys)
        .filter(key -> !values.containsKey(key))
        .forEach(key -> violate(key, key + " is missing"));
  }

  /** Null if there is none. */
  @Nullable String text(String key) {
    String text = text(values.get(key));
    if (text == null && values.containsKey(key)) {
      violate(key, key + " must have one value");
    }
    return text;
  }

  /**
   * A value of a type.
   *
   * @param parser returns null if a text has not that type
   * @return null if there is none
   */
  <T> @Nullable T value(String key, Function<String, @Nullable T> parser, String expected) {
    String text = text(key);
    T value = text == null ? null : parser.apply(text);
    if (text != null && value == null) {
      violate(key, "%s must be %s".formatted(key, expected));
    }
    return value;
  }

  boolean flag(String key) {
    Map<String, Boolean> flags = Map.of("true", true, "false", false);
    return Boolean.TRUE.equals(value(key, flags::get, "true or false"));
  }

  /** The mappings of a list; none if there is no list. */
  List<CatalogueNode> list(String key, List<String> keys) {
    Node value = values.get(key);
    if (value instanceof SequenceNode sequence) {
      return sequence.getValue().stream()
          .map(it -> new CatalogueNode(file, it, statementOf(it), keys, violations))
          .filter(it -> it.node instanceof MappingNode)
          .toList();
    }
    if (value != null && !value.getTag().equals(Tag.NULL)) {
      violate(key, key + " must be a list");
    }
    return List.of();
  }

  private String statementOf(Node element) {
    if (statement != null) {
      return statement;
    }
    for (NodeTuple entry : entries(element)) {
      if ("name".equals(text(entry.getKeyNode()))) {
        return Objects.requireNonNullElse(text(entry.getValueNode()), "");
      }
    }
    return "";
  }

  /** Reports an error at the value of a key, or at the mapping if the key has no value. */
  void violate(String key, String message) {
    violate(values.getOrDefault(key, node), message);
  }

  private void violate(Node at, String message) {
    violations.accept(
        new CatalogueViolation(place(at), statement == null ? "" : statement, message));
  }

  Origin place() {
    return place(node);
  }

  private Origin place(Node at) {
    Mark mark = at.getStartMark();
    return new TextResourceOrigin(file, new Location(mark.getLine(), mark.getColumn()));
  }
}
