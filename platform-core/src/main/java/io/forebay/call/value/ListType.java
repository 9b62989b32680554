/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call.value;

import java.lang.reflect.Array;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.ConcurrentModificationException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.RandomAccess;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A list of values of one type, in Java a {@link Collection}, a {@link Set} or an array. */
abstract class ListType extends WireType {

  private final WireType element;

  private ListType(String name, WireType element) {
    super(name);
    this.element = element;
  }

  static ListType list(WireType element) {
    return new OfList(element);
  }

  static ListType set(WireType element) {
    return new OfSet(element);
  }

  static ListType array(Class<?> componentType, WireType element) {
    return componentType.isPrimitive()
        ? new OfPrimitives(componentType, element)
        : new OfArray(componentType, element);
  }

  final void writeElements(ValueWriter out, List<?> list) {
    int size = list.size();
    out.beginList(size);
    if (list instanceof RandomAccess) {
      for (int i = 0; i < size; i++) {
        writeElement(out, i, list.get(i));
      }
    } else {
      int i = 0;
      for (Object value : list) {
        writeElement(out, i++, value);
      }
      if (i != size) {
        throw new ConcurrentModificationException("a list changed while it was written");
      }
    }
    out.end();
  }

  final void writeElements(ValueWriter out, @Nullable Object[] array) {
    out.beginList(array.length);
    for (int i = 0; i < array.length; i++) {
      writeElement(out, i, array[i]);
    }
    out.end();
  }

  private void writeElement(ValueWriter out, int index, @Nullable Object value) {
    try {
      out.value(element, value);
    } catch (RefusedValue e) {
      throw e.in("element " + (index + 1));
    }
  }

  /** Reads the elements into an array, which may be longer than the list. */
  final @Nullable Object[] readElements(ValueReader in, int count) {
    @Nullable Object[] values = new @Nullable Object[Math.min(count, ValueReader.FIRST_ELEMENTS)];
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
    return values;
  }

  private static final class OfList extends ListType {

    OfList(WireType element) {
      super("list", element);
    }

    @Override
    void write(ValueWriter out, Object value) {
      if (value instanceof List<?> list) {
        writeElements(out, list);
      } else {
        writeElements(out, ((Collection<?>) value).toArray());
      }
    }

    @Override
    Object read(ValueReader in) {
      int count = in.beginList();
      if (count == 0) {
        in.end();
        return List.of();
      }
      return Collections.unmodifiableList(Arrays.asList(readElements(in, count)));
    }
  }

  private static final class OfSet extends ListType {

    OfSet(WireType element) {
      super("set", element);
    }

    @Override
    void write(ValueWriter out, Object value) {
      writeElements(out, ((Set<?>) value).toArray());
    }

    @Override
    Object read(ValueReader in) {
      int count = in.beginList();
      @Nullable Object[] values = readElements(in, count);
      Set<@Nullable Object> set = new LinkedHashSet<>();
      for (int i = 0; i < count; i++) {
        if (!added(set, values[i])) {
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
  }

  private static final class OfArray extends ListType {

    private final Object[] empty;

    OfArray(Class<?> componentType, WireType element) {
      super("list", element);
      empty = (Object[]) Array.newInstance(componentType, 0);
    }

    @Override
    void write(ValueWriter out, Object value) {
      writeElements(out, (Object[]) value);
    }

    @Override
    Object read(ValueReader in) {
      int count = in.beginList();
      if (count == 0) {
        in.end();
        return empty;
      }
      @Nullable Object[] values = readElements(in, count);
      return empty.getClass() == Object[].class
          ? values
          : Arrays.copyOf(values, count, empty.getClass());
    }
  }

  private static final class OfPrimitives extends ListType {

    private final Class<?> componentType;

    OfPrimitives(Class<?> componentType, WireType element) {
      super("list", element);
      this.componentType = componentType;
    }

    @Override
    void write(ValueWriter out, Object value) {
      @Nullable Object[] values = new @Nullable Object[Array.getLength(value)];
      Arrays.setAll(values, i -> Array.get(value, i));
      writeElements(out, values);
    }

    @Override
    Object read(ValueReader in) {
      int count = in.beginList();
      @Nullable Object[] values = readElements(in, count);
      Object array = Array.newInstance(componentType, count);
      for (int i = 0; i < count; i++) {
        Array.set(array, i, values[i]);
      }
      return array;
    }
  }
}
