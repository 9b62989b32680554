/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call.value;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Maps declared types to their encodings and collects the types that have none. */
public final class TypeResolver {

  private static final String ALLOWED =
      "boolean, byte, short, int, long, float, double and their boxes, BigDecimal, String, byte[],"
          + " LocalDate, LocalTime, LocalDateTime, OffsetDateTime, Instant, Duration, UUID, Json, Class,"
          + " Object, a record or enum, a List, Collection, Set, Map or array of such";

  public final List<String> violations = new ArrayList<>();
  private final Map<Class<?>, RecordType> records = new HashMap<>();

  /**
   * @param where what has this type, for the text of a violation
   */
  public WireType resolve(Type type, String where) {
    return switch (type) {
      case Class<?> c -> resolveClass(c, where);
      case ParameterizedType p -> resolveParameterized(p, where);
      case GenericArrayType a -> resolveArray(erase(a), a.getGenericComponentType(), where);
      case WildcardType w -> resolve(w.getUpperBounds()[0], where);
      case TypeVariable<?> v -> resolveClass(erase(v), where);
      default -> refuse(type, where);
    };
  }

  private WireType resolveParameterized(ParameterizedType type, String where) {
    Class<?> raw = (Class<?>) type.getRawType();
    Type[] arguments = type.getActualTypeArguments();
    if (raw == Map.class) {
      return new MapType(
          resolveKey(arguments[0], where + ", its keys"),
          resolve(arguments[1], where + ", its values"));
    }
    if (raw == List.class || raw == Collection.class) {
      return ListType.list(resolve(arguments[0], where));
    }
    return raw == Set.class
        ? ListType.set(resolveKey(arguments[0], where + ", its elements"))
        : resolveClass(raw, where);
  }

  /** Refuses types whose values are not equal after the transport. */
  private WireType resolveKey(Type type, String where) {
    WireType key = resolve(type, where);
    Class<?> erased = erase(type);
    if (erased == Object.class || erased.isArray()) {
      violations.add(
          "%s is %s, which has no equality that a message preserves"
              .formatted(where, type.getTypeName()));
    }
    return key;
  }

  private WireType resolveClass(Class<?> type, String where) {
    WireType scalar = ScalarType.of(type);
    if (scalar != null) {
      return scalar;
    }
    if (type == List.class || type == Collection.class) {
      return ListType.list(ScalarType.ANY);
    }
    if (type.isArray()) {
      return resolveArray(type, type.getComponentType(), where);
    }
    if (type.isEnum()) {
      return new EnumType(type);
    }
    return type.isRecord() ? record(type, where) : refuse(type, where);
  }

  private WireType resolveArray(Class<?> array, Type component, String where) {
    return ListType.array(array.getComponentType(), resolve(component, where));
  }

  /** How a record is written and read; a record that contains itself is resolved once. */
  public WireType record(Class<?> type, String where) {
    RecordType known = records.get(type);
    if (known != null) {
      return known;
    }
    RecordType record;
    try {
      record = RecordType.of(type);
    } catch (IllegalAccessException e) {
      violations.add(
          "%s is the record %s, whose package is not open to io.forebay.call"
              .formatted(where, type.getTypeName()));
      return ScalarType.ANY;
    }
    records.put(type, record);
    RecordComponent[] components = type.getRecordComponents();
    for (int i = 0; i < components.length; i++) {
      RecordComponent component = components[i];
      record.resolve(
          i,
          resolve(
              component.getGenericType(),
              where + ", " + type.getSimpleName() + "." + component.getName()));
    }
    return record;
  }

  /** All resolved records by class. */
  public Map<Class<?>, RecordType> records() {
    return records;
  }

  private WireType refuse(Type type, String where) {
    violations.add(
        "%s is %s, which no message can carry (allowed: %s)"
            .formatted(where, type.getTypeName(), ALLOWED));
    return ScalarType.ANY;
  }

  private static Class<?> erase(Type type) {
    return switch (type) {
      case Class<?> c -> c;
      case ParameterizedType p -> (Class<?>) p.getRawType();
      case GenericArrayType a -> erase(a.getGenericComponentType()).arrayType();
      case TypeVariable<?> v -> erase(v.getBounds()[0]);
      case WildcardType w -> erase(w.getUpperBounds()[0]);
      default -> Object.class;
    };
  }
}
