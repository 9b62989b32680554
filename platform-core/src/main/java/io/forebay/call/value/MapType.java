/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call.value;

import java.util.Collections;
import java.util.ConcurrentModificationException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A map; its entries keep their order. */
final class MapType extends WireType {

  private final WireType key;
  private final WireType value;

  MapType(WireType key, WireType value) {
    super("map");
    this.key = key;
    this.value = value;
  }

  @Override
  void write(ValueWriter out, Object written) {
    Map<?, ?> map = (Map<?, ?>) written;
    int size = map.size();
    out.beginMap(size);
    int i = 0;
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      i++;
      try {
        if (entry.getKey() == null) {
          throw new RefusedValue("a map with the key null");
        }
        out.value(key, entry.getKey());
        out.value(value, entry.getValue());
      } catch (RefusedValue e) {
        throw e.in("entry " + i);
      }
    }
    if (i != size) {
      throw new ConcurrentModificationException("a map changed while it was written");
    }
    out.end();
  }

  @Override
  Object read(ValueReader in) {
    int count = in.beginMap("a map");
    Map<Object, @Nullable Object> map = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      try {
        Object name = in.value(key);
        if (name == null) {
          throw DecodeFailure.wrongType(key.name(), "null");
        }
        put(map, name, in.value(value));
      } catch (DecodeFailure e) {
        throw e.in("entry " + (i + 1));
      }
    }
    in.end();
    return Collections.unmodifiableMap(map);
  }

  private static void put(Map<Object, @Nullable Object> map, Object name, @Nullable Object value) {
    int size = map.size();
    try {
      map.put(name, value);
    } catch (RuntimeException e) { // of its hashCode or equals
      throw DecodeFailure.unusable("a key of a map", e);
    }
    if (map.size() == size) {
      throw DecodeFailure.malformed("its key appears twice");
    }
  }
}
