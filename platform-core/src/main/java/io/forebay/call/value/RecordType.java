/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call.value;

import static io.forebay.call.value.DecodeFailure.malformed;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A record, encoded as a map from the name of each component to its value. */
final class RecordType extends WireType {

  /** Marks a component that has not been read; null is a value. */
  private static final Object MISSING = new Object();

  private final Component[] components;
  private final int required;
  private final MethodHandle constructor;

  private RecordType(Class<?> type, Component[] components, MethodHandle constructor) {
    super(type.getSimpleName());
    this.components = components;
    this.required = (int) Stream.of(components).filter(it -> !it.optional).count();
    this.constructor = constructor;
  }

  /**
   * Creates the type without the types of its components, because a record may contain itself.
   *
   * @throws IllegalAccessException if its package is not open to this one
   */
  static RecordType of(Class<?> type) throws IllegalAccessException {
    MethodHandles.Lookup lookup = MethodHandles.privateLookupIn(type, MethodHandles.lookup());
    RecordComponent[] declared = type.getRecordComponents();
    Component[] components = new Component[declared.length];
    Class<?>[] types = new Class<?>[declared.length];
    for (int i = 0; i < declared.length; i++) {
      types[i] = declared[i].getType();
      components[i] = new Component(declared[i], lookup.unreflect(declared[i].getAccessor()));
    }
    try {
      MethodHandle constructor =
          lookup
              .findConstructor(type, MethodType.methodType(void.class, types))
              .asFixedArity()
              .asSpreader(Object[].class, types.length)
              .asType(MethodType.methodType(Object.class, Object[].class));
      return new RecordType(type, components, constructor);
    } catch (NoSuchMethodException e) {
      throw new AssertionError("a record has a canonical constructor", e);
    }
  }

  void resolve(int component, WireType type) {
    components[component].type = type;
  }

  @Override
  void write(ValueWriter out, Object value) {
    int present = present(value);
    out.beginMap(present);
    for (Component component : components) {
      if (present < components.length && component.isLeftOut(value)) {
        continue;
      }
      out.encoded(component.name);
      try {
        component.write(out, value);
      } catch (RefusedValue e) {
        throw e.in(name() + "." + component.text);
      }
    }
    out.end();
  }

  private int present(Object value) {
    int present = components.length;
    if (required < components.length) {
      for (Component component : components) {
        present -= component.isLeftOut(value) ? 1 : 0;
      }
    }
    return present;
  }

  @Override
  Object read(ValueReader in) {
    int count = in.beginMap("a record");
    if (count < required || count > components.length) {
      throw malformed(
          "%s has %d components, the map has %,d".formatted(name(), components.length, count));
    }
    @Nullable Object[] values = new @Nullable Object[components.length];
    Arrays.fill(values, MISSING);
    for (int i = 0; i < count; i++) {
      int index = componentOf(in, i);
      if (values[index] != MISSING) {
        throw malformed(name() + "." + components[index].text + " appears twice");
      }
      try {
        values[index] = in.value(components[index].type);
      } catch (DecodeFailure e) {
        throw e.in(name() + "." + components[index].text);
      }
    }
    in.end();
    for (int i = 0; count < components.length && i < values.length; i++) {
      if (values[i] == MISSING) {
        values[i] = components[i].absent(name());
      }
    }
    return construct(values);
  }

  /**
   * Looks first at the expected component: names usually come in order; any other order is only
   * slower.
   */
  private int componentOf(ValueReader in, int expected) {
    int length = in.beginName();
    for (int i = 0; i < components.length; i++) {
      int index =
          expected + i < components.length ? expected + i : expected + i - components.length;
      if (in.skipName(length, components[index].nameBytes)) {
        return index;
      }
    }
    throw malformed("%s has no component '%s'".formatted(name(), in.unknownName(length)));
  }

  private Object construct(@Nullable Object[] values) {
    try {
      return (Object) constructor.invokeExact(values);
    } catch (Error e) {
      throw e;
    } catch (Throwable e) {
      throw new DecodeFailure(
          UndecodableReason.MALFORMED,
          "the constructor of %s refused the values (%s)".formatted(name(), e.getClass().getName()),
          e);
    }
  }

  private static final class Component {
    final String text;
    final byte[] nameBytes;
    final byte[] name;
    private final Class<?> declared;
    private final boolean optional;
    private final MethodHandle accessor;
    WireType type = ScalarType.ANY;

    Component(RecordComponent component, MethodHandle accessor) {
      text = component.getName();
      nameBytes = text.getBytes(StandardCharsets.UTF_8);
      name = CborOutput.encoded(out -> out.text(Cbor.TEXT, text));
      declared = component.getType();
      optional =
          component.isAnnotationPresent(Values.LeftOutIfNull.class) && !declared.isPrimitive();
      this.accessor = accessor.asType(MethodType.methodType(carrier(declared), Object.class));
    }

    /** The type that the accessor returns; numbers stay primitive, so that none is boxed. */
    private static Class<?> carrier(Class<?> declared) {
      if (!declared.isPrimitive()) {
        return Object.class;
      }
      return declared == boolean.class || declared == float.class || declared == double.class
          ? declared
          : long.class;
    }

    boolean isLeftOut(Object bean) {
      try {
        return optional && (Object) accessor.invokeExact(bean) == null;
      } catch (RuntimeException | Error e) {
        throw e;
      } catch (Throwable e) {
        throw new IllegalStateException("the accessor of " + text + " threw", e);
      }
    }

    /** The value of a component that a message does not have. */
    @Nullable Object absent(String record) {
      if (!optional) {
        throw malformed(record + "." + text + " is missing");
      }
      return null;
    }

    void write(ValueWriter writer, Object bean) {
      try {
        if (declared == boolean.class) {
          writer.out.bool((boolean) accessor.invokeExact(bean));
        } else if (declared == float.class) {
          writer.out.float32((float) accessor.invokeExact(bean));
        } else if (declared == double.class) {
          writer.out.float64((double) accessor.invokeExact(bean));
        } else if (declared.isPrimitive()) {
          writer.out.integer((long) accessor.invokeExact(bean));
        } else {
          writer.value(type, (Object) accessor.invokeExact(bean));
        }
      } catch (RuntimeException | Error e) {
        throw e;
      } catch (Throwable e) {
        throw new IllegalStateException("the accessor of " + text + " threw", e);
      }
    }
  }
}
