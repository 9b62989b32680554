/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

import io.forebay.jdbc.sql.StatementKind;
import jakarta.validation.Validation;
import jakarta.validation.Validator;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.env.OriginTrackedMapPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.OriginLookup;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.boot.origin.TextResourceOrigin;
import org.springframework.boot.origin.TextResourceOrigin.Location;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;

/**
 * A YAML document of a catalogue. Spring Boot binds the elements of its lists; the first error does
 * not end this, so that all errors are reported, each with its place.
 */
final class CatalogueDocument implements BindHandler {

  private static final Validator VALIDATOR =
      Validation.buildDefaultValidatorFactory().getValidator();

  private static final Pattern INDEX = Pattern.compile("\\[[0-9]+]");

  private static final String KEYS =
      "a catalogue has statements; a statement has name, version, gateway, lane, sql, params, key,"
          + " kind, independent, explain; a parameter has name, type, nullable";

  private static final Pattern VALUE =
      Pattern.compile(
          "statements\\[\\d+](\\.(name|version|gateway|lane|sql|key|kind|independent|explain)"
              + "|\\.params\\[\\d+](\\.(name|type|nullable))?)?");
  private static final Pattern LIST = Pattern.compile("statements(\\[\\d+]\\.params)?");

  private static final Map<Class<?>, String> EXPECTED =
      Map.of(
          boolean.class,
          "true or false",
          int.class,
          "a whole number",
          StatementKind.class,
          "update or query",
          ParamType.class,
          "one of " + ParamType.ALLOWED);

  private final MapPropertySource source;
  private final List<String> lines;
  private final Consumer<CatalogueViolation> violations;
  private final Binder binder;

  /** The first property of each element, by the name of the list and that of the element. */
  private final Map<String, Map<String, String>> lists = new HashMap<>();

  private final Set<String> wrong = new HashSet<>();

  /**
   * @param lines of the file
   */
  CatalogueDocument(
      MapPropertySource source, List<String> lines, Consumer<CatalogueViolation> violations) {
    this.source = source;
    this.lines = lines;
    this.violations = violations;
    Map<String, Object> values = new LinkedHashMap<>();
    for (String property : properties()) {
      if (VALUE.matcher(property).matches()) {
        values.put(property, Objects.requireNonNull(source.getSource().get(property)));
      } else if (!isEmptyList(property)) {
        violate(property, "%s is not allowed: %s".formatted(property, KEYS));
      }
      Matcher index = INDEX.matcher(property);
      while (index.find()) {
        lists
            .computeIfAbsent(property.substring(0, index.start()), _ -> new LinkedHashMap<>())
            .putIfAbsent(property.substring(0, index.end()), property);
      }
    }
    PropertySource<?> bound = new OriginTrackedMapPropertySource(source.getName(), values);
    binder = new Binder(Objects.requireNonNull(ConfigurationPropertySource.from(bound)));
  }

  private boolean isEmptyList(String property) {
    return LIST.matcher(property).matches() && "".equals(source.getProperty(property));
  }

  /** All but that of an empty document, which has no name. */
  private List<String> properties() {
    return Stream.of(source.getPropertyNames()).filter(Objects::nonNull).toList();
  }

  /**
   * An element of a list.
   *
   * @param name of the property that it is, such as {@code statements[0]}
   * @param first the name of its first property
   */
  record Element<T>(CatalogueDocument document, String name, String first, T value) {

    <E> List<Element<E>> list(String key, Class<E> type) {
      return document.list(name + "." + key, type);
    }

    Origin place() {
      return document.place(first);
    }

    boolean isWrong(String key) {
      return document.wrong.contains(name + "." + key);
    }

    /** Reports an error at a key, or at the element if the key has no value of its own. */
    void violate(String key, String message) {
      String property = name + "." + key;
      document.violate(document.source.containsProperty(property) ? property : first, message);
    }
  }

  /** Binds the elements of a list, except those that are no mappings. */
  <T> List<Element<T>> list(String list, Class<T> type) {
    List<Element<T>> elements = new ArrayList<>();
    lists
        .getOrDefault(list, Map.of())
        .forEach((name, first) -> {
          T value =
              binder.bindOrCreate(ConfigurationPropertyName.of(name), Bindable.of(type), this);
          if (value != null) {
            elements.add(new Element<>(this, name, first, value));
          }
        });
    elements.forEach(this::validate);
    return elements;
  }

  private void validate(Element<?> element) {
    VALIDATOR
        .validate(element.value())
        .forEach(violation -> {
          String key = violation.getPropertyPath().toString();
          if (!element.isWrong(key)) {
            element.violate(key, violation.getMessage());
          }
        });
  }

  @Override
  public @Nullable Object onFailure(
      ConfigurationPropertyName name, Bindable<?> target, BindContext context, Exception error)
      throws Exception {
    if (!source.containsProperty(name.toString())) {
      throw error;
    }
    String expected = EXPECTED.getOrDefault(target.getType().resolve(), "a mapping: " + KEYS);
    refuse(name, "must be " + expected);
    return null;
  }

  /** Refuses what YAML or a conversion changes: a missing value, the text 1.10, the number 010. */
  @Override
  public void onFinish(
      ConfigurationPropertyName name,
      Bindable<?> target,
      BindContext context,
      @Nullable Object result) {
    ConfigurationProperty property = context.getConfigurationProperty();
    if (property == null || !property.getName().equals(name)) {
      return;
    }
    Object read = property.getValue();
    if (result == null) {
      refuse(name, "is empty");
    } else if (!(read instanceof String) && read.getClass() != result.getClass()) {
      refuse(name, "is %s in YAML; write it in quotes".formatted(read));
    } else if (read instanceof Integer && !isWritten(read.toString(), name.toString())) {
      refuse(name, "is %1$s in YAML; write it as %1$s".formatted(read));
    }
  }

  /** Whether the file has this text as the value of a property. */
  private boolean isWritten(String text, String property) {
    return OriginLookup.getOrigin(source, property) instanceof TextResourceOrigin origin
        && origin.getLocation() instanceof Location at
        && rest(at).startsWith(text);
  }

  private String rest(Location at) {
    String line = lines.get(at.getLine());
    return line.substring(line.offsetByCodePoints(0, at.getColumn()));
  }

  private void refuse(ConfigurationPropertyName name, String why) {
    String property = name.toString();
    wrong.add(property);
    violate(property, property.substring(property.lastIndexOf('.') + 1) + " " + why);
  }

  private void violate(String property, String message) {
    String statement = property.substring(0, property.indexOf(']') + 1);
    Object name = source.getProperty(statement + ".name");
    violations.accept(
        new CatalogueViolation(place(property), name == null ? "" : name.toString(), message));
  }

  private Origin place(String property) {
    return PropertySourceOrigin.get(source, property);
  }
}
