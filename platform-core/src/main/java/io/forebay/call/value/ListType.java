/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call.value;

import java.lang.reflect.Array;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.RandomAccess;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A list of values of one type, in Java a {@link Collection}, a {@link Set} or an array. */
final class ListType extends WireType {

  private static final @Nullable Object[] NONE = {};

  private final WireType element;
  private final Function<@Nullable Object[], Object> maker;

  /**
   * @param maker makes the list, set or array of its elements
   */
  private ListType(String name, WireType element, Function<@Nullable Object[], Object> maker) {
    super(name);
    this.element = element;
    this.maker = maker;
  }

  static ListType list(WireType element) {
    return new ListType(
        "list",
        element,
        elements ->
            elements.length == 0
                ? List.of()
                : Collections.unmodifiableList(Arrays.asList(elements)));
  }

  static ListType set(WireType element) {
    return new ListType("set", element, ListType::toSet);
  }

  static ListType array(Class<?> componentType, WireType element) {
    Object empty = Array.newInstance(componentType, 0);
    return new ListType(
        "list",
        element,
        empty instanceof Object[] array
            ? elements -> toArray(array, elements)
            : elements -> toPrimitives(componentType, elements));
  }

  @Override
  void write(ValueWriter out, Object value) {
    if (value instanceof List<?> list && list instanceof RandomAccess) {
      int size = list.size();
      out.beginList(size);
      for (int i = 0; i < size; i++) {
        writeElement(out, i, list.get(i));
      }
    } else {
      @Nullable Object[] elements = elements(value);
      out.beginList(elements.length);
      for (int i = 0; i < elements.length; i++) {
        writeElement(out, i, elements[i]);
      }
    }
    out.end();
  }

  private static @Nullable Object[] elements(Object value) {
    if (value instanceof Collection<?> collection) {
      return collection.toArray();
    }
    if (value instanceof Object[] array) {
      return array;
    }
    @Nullable Object[] boxed = new @Nullable Object[Array.getLength(value)];
    Arrays.setAll(boxed, i -> Array.get(value, i));
    return boxed;
  }

  private void writeElement(ValueWriter out, int index, @Nullable Object value) {
    try {
      out.value(element, value);
    } catch (RefusedValue e) {
      throw e.in("element " + (index + 1));
    }
  }

  @Override
  Object read(ValueReader in) {
    int count = in.beginList();
    @Nullable Object[] values =
        count == 0 ? NONE : new @Nullable Object[Math.min(count, ValueReader.FIRST_ELEMENTS)];
    for (int i = 0; i < count; i++) {
      if (i == values.length) {
        // Grows step by step: the message may claim more elements than it has.
        values = Arrays.copyOf(values, Math.min(count, 2 * i));
      }
      try {
        values[i] = in.value(element);
      } catch (DecodeFailure e) {
        throw e.in("element " + (i + 1));
      }
    }
    in.end();
    return maker.apply(values);
  }

  private static Set<@Nullable Object> toSet(@Nullable Object[] elements) {
    Set<@Nullable Object> set = new LinkedHashSet<>();
    for (int i = 0; i < elements.length; i++) {
      if (!added(set, elements[i])) {
        throw DecodeFailure.malformed("element %d of a set appears twice".formatted(i + 1));
      }
    }
    return Collections.unmodifiableSet(set);
  }

  private static boolean added(Set<@Nullable Object> set, @Nullable Object value) {
    try {
      return set.add(value);
    } catch (RuntimeException e) { // of its hashCode or equals
      throw DecodeFailure.unusable("an element of a set", e);
    }
  }

  private static Object toArray(Object[] empty, @Nullable Object[] elements) {
    if (elements.length == 0) {
      return empty;
    }
    return empty.getClass() == Object[].class
        ? elements
        : Arrays.copyOf(elements, elements.length, empty.getClass());
  }

  private static Object toPrimitives(Class<?> componentType, @Nullable Object[] elements) {
    Object array = Array.newInstance(componentType, elements.length);
    for (int i = 0; i < elements.length; i++) {
      Array.set(array, i, elements[i]);
    }
    return array;
  }
}
