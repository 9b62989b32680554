/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import io.forebay.call.value.Aliases;
import io.forebay.call.value.Classes;
import io.forebay.call.value.TypeResolver;
import io.forebay.call.value.WireType;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The checked declarations of an interface and its aliases: the methods of a protocol and its
 * types.
 */
final class Declaration {

  private final Class<?> type;
  private final Aliases aliases;
  private final TypeResolver types = new TypeResolver();
  private final List<Method> methods = new ArrayList<>();
  private final List<WireType[]> parameters = new ArrayList<>();
  private final List<@Nullable WireType> results = new ArrayList<>();
  private final List<String> violations = new ArrayList<>();

  private Declaration(Class<?> type, Aliases aliases) {
    this.type = type;
    this.aliases = aliases;
  }

  /**
   * @throws IllegalArgumentException if the interface is not a protocol; it lists everything wrong
   */
  static Declaration of(Class<?> type, Aliases aliases) {
    Declaration declaration = new Declaration(type, aliases);
    declaration.check();
    return declaration;
  }

  /** The methods sorted by name, so that their order is stable. */
  ProtocolMethod[] methods(MethodHandles.Lookup lookup) throws IllegalAccessException {
    ProtocolMethod[] made = new ProtocolMethod[methods.size()];
    for (int i = 0; i < made.length; i++) {
      Method method = methods.get(i);
      made[i] =
          new ProtocolMethod(method, parameters.get(i), results.get(i), lookup.unreflect(method));
    }
    return made;
  }

  Classes classes() {
    return new Classes(aliases, types.records());
  }

  private void check() {
    if (!type.isInterface() || type.isAnnotation()) {
      violations.add("it is not an interface");
    } else if (type.isSealed()) {
      violations.add("it is sealed");
    } else {
      checkMethods();
    }
    aliases.types().forEach(this::checkAlias);
    violations.addAll(types.violations);
    if (!violations.isEmpty()) {
      String separator = System.lineSeparator() + "  - ";
      throw new IllegalArgumentException(
          type.getTypeName()
              + " cannot be the interface of a service:"
              + separator
              + String.join(separator, violations));
    }
  }

  private void checkMethods() {
    Map<String, List<Method>> byName =
        Arrays.stream(type.getMethods())
            .filter(m -> Modifier.isAbstract(m.getModifiers()) && !isOfObject(m))
            .collect(Collectors.groupingBy(Method::getName, TreeMap::new, Collectors.toList()));
    if (byName.isEmpty() && type != NoEvents.class) {
      violations.add("it has no abstract method");
    }
    byName.forEach(this::checkMethod);
  }

  private static boolean isOfObject(Method method) {
    return Stream.of(Object.class.getMethods())
        .anyMatch(m ->
            m.getName().equals(method.getName())
                && Arrays.equals(m.getParameterTypes(), method.getParameterTypes()));
  }

  /**
   * @param same the methods of that name; a method that is inherited twice is listed twice
   */
  private void checkMethod(String name, List<Method> same) {
    if (same.stream().map(m -> List.of(m.getParameterTypes())).distinct().count() > 1) {
      violations.add("method %s is overloaded; names must be unique".formatted(name));
    }
    Method method = same.getFirst();
    Type[] declared = method.getGenericParameterTypes();
    WireType[] resolved = new WireType[declared.length];
    for (int i = 0; i < declared.length; i++) {
      resolved[i] = types.resolve(declared[i], "parameter %d of method %s".formatted(i + 1, name));
    }
    methods.add(method);
    parameters.add(resolved);
    results.add(result(name, same));
  }

  /** The type of the method's result, or null if it has none. */
  private @Nullable WireType result(String name, List<Method> same) {
    WireType result = null;
    List<Type> declared = same.stream().map(Method::getGenericReturnType).distinct().toList();
    if (declared.size() > 1) {
      violations.add("method %s is declared with different results".formatted(name));
    }
    for (Type returned : declared) {
      if (returned instanceof ParameterizedType future
          && future.getRawType() == CompletableFuture.class
          && !(future.getActualTypeArguments()[0] instanceof TypeVariable)) {
        result =
            types.resolve(
                future.getActualTypeArguments()[0], "the result of method %s".formatted(name));
      } else if (returned != void.class) {
        violations.add(
            "method %s returns %s (allowed: void, CompletableFuture<…>)"
                .formatted(name, returned.getTypeName()));
      }
    }
    return result;
  }

  private void checkAlias(String alias, Class<?> registered) {
    if (registered.isRecord()) {
      types.record(registered, "alias '" + alias + "'");
    }
  }
}
