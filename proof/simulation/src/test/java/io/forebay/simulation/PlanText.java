/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import static java.util.stream.Collectors.joining;

import io.forebay.queue.Level;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A plan as text: {@code statements=2,kinds=EFFECT+KEYED}. */
final class PlanText {

  private static final RecordComponent[] COMPONENTS = Plan.class.getRecordComponents();

  private PlanText() {}

  /** The values of a plan that another one does not have. */
  static String difference(Plan plan, Plan other) {
    Map<String, String> values = values(plan);
    values.entrySet().removeAll(values(other).entrySet());
    return values.entrySet().stream()
        .map(it -> it.getKey() + "=" + it.getValue())
        .collect(joining(","));
  }

  static String of(List<? extends Enum<?>> values) {
    return values.stream().map(Enum::name).collect(joining("+"));
  }

  /** The plan with the values that the text names. */
  static Plan changed(Plan plan, String text) {
    Map<String, String> values = values(plan);
    for (String part : text.split(",")) {
      String[] sides = part.split("=", 2);
      if (sides.length < 2 || values.replace(sides[0], sides[1]) == null) {
        throw new IllegalArgumentException(
            "a plan has no value \"%s\"; it has %s".formatted(part, values.keySet()));
      }
    }
    Object[] made =
        Arrays.stream(COMPONENTS)
            .map(it -> parsed(it.getGenericType(), values.get(it.getName())))
            .toArray();
    try {
      Class<?>[] types =
          Arrays.stream(COMPONENTS).map(RecordComponent::getType).toArray(Class<?>[]::new);
      return Plan.class.getDeclaredConstructor(types).newInstance(made);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Map<String, String> values(Plan plan) {
    Map<String, String> values = new LinkedHashMap<>();
    for (RecordComponent component : COMPONENTS) {
      try {
        Object value = component.getAccessor().invoke(plan);
        values.put(
            component.getName(),
            value instanceof List<?> list
                ? list.stream().map(Object::toString).collect(joining("+"))
                : String.valueOf(value));
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
    }
    return values;
  }

  private static Object parsed(Type type, String text) {
    if (type == int.class) {
      return Integer.valueOf(text);
    }
    if (type == long.class) {
      return Long.valueOf(text);
    }
    if (type == double.class) {
      return Double.valueOf(text);
    }
    if (type == Level.class) {
      return Level.valueOf(text);
    }
    if (type == Accident.class) {
      return Accident.valueOf(text);
    }
    Type element = ((ParameterizedType) type).getActualTypeArguments()[0];
    return Arrays.stream(text.split("\\+"))
        .filter(it -> !it.isEmpty())
        .map(it -> element == Kind.class ? Kind.valueOf(it) : Trouble.valueOf(it))
        .toList();
  }
}
