/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Maps the columns of a row to the components of a record. */
public final class RecordMapping<R extends Record> {

  private final MethodHandle constructor;
  private final RecordComponent[] components;
  private final int[] columns;

  private RecordMapping(MethodHandle constructor, RecordComponent[] components, int[] columns) {
    this.constructor = constructor;
    this.components = components;
    this.columns = columns;
  }

  public static <R extends Record> RecordMapping<R> of(Class<R> type, List<String> labels) {
    RecordComponent[] components = type.getRecordComponents();
    List<String> names = labels.stream().map(RecordMapping::plain).toList();
    int[] columns =
        Arrays.stream(components).mapToInt(c -> names.indexOf(plain(c.getName()))).toArray();
    for (int i = 0; i < columns.length; i++) {
      if (columns[i] < 0) {
        throw new IllegalArgumentException(
            "record %s has a component %s, but the result has no such column (columns=%s)"
                .formatted(type.getSimpleName(), components[i].getName(), labels));
      }
    }
    return new RecordMapping<>(constructor(type, components), components, columns);
  }

  /** Normalizes a label or component name: ignores case and underscores. */
  private static String plain(String name) {
    return name.replace("_", "").toLowerCase(Locale.ROOT);
  }

  private static MethodHandle constructor(Class<?> type, RecordComponent[] components) {
    Class<?>[] types =
        Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
    try {
      return MethodHandles.privateLookupIn(type, MethodHandles.lookup())
          .findConstructor(type, MethodType.methodType(void.class, types))
          .asSpreader(Object[].class, types.length);
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException("record " + type.getName() + " is not accessible", e);
    }
  }

  @SuppressWarnings("unchecked")
  R map(List<@Nullable Object> row) {
    @Nullable Object[] args = new Object[components.length];
    for (int i = 0; i < args.length; i++) {
      args[i] = fit(row.get(columns[i]), components[i]);
    }
    try {
      return (R) constructor.invoke(args);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalArgumentException("a record could not be created", e);
    }
  }

  private static @Nullable Object fit(@Nullable Object value, RecordComponent component) {
    Class<?> type = component.getType();
    if (value == null) {
      if (type.isPrimitive()) {
        throw new IllegalArgumentException(
            "component " + component.getName() + " is " + type + ", but the column is null");
      }
      return null;
    }
    Object fitted =
        switch (value) {
          case Long l when type == int.class || type == Integer.class -> Math.toIntExact(l);
          case Long l when type == BigDecimal.class -> BigDecimal.valueOf(l);
          case Long l when isDouble(type) && (long) (double) l == l -> (double) l;
          case BigDecimal d when type == long.class || type == Long.class -> d.longValueExact();
          case BigDecimal d when type == int.class || type == Integer.class -> d.intValueExact();
          case BigDecimal d when isDouble(type) -> d.doubleValue();
          case Float f when isDouble(type) -> (double) f;
          default -> value;
        };
    if (!MethodType.methodType(type).wrap().returnType().isInstance(fitted)) {
      throw new IllegalArgumentException(
          "component %s is %s, but the column contains %s"
              .formatted(
                  component.getName(), type.getSimpleName(), value.getClass().getSimpleName()));
    }
    return fitted;
  }

  private static boolean isDouble(Class<?> type) {
    return type == double.class || type == Double.class;
  }
}
