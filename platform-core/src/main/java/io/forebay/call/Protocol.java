/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import io.forebay.queue.MessageQueue;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * An interface whose calls become messages and back. Its abstract methods return {@code void}, have
 * names of their own, and take what messages can carry: {@code boolean}, {@code byte} to {@code
 * long}, {@code float}, {@code double} and their boxes, {@code BigDecimal}, {@code String}, {@code
 * byte[]}, the classes of {@code java.time} for dates and times, {@code UUID}, {@link Json}, {@code
 * Class}, {@code Object}, enums, records, and lists and arrays of these. Default and static methods
 * are not part of it. The interface and the records need not be public.
 *
 * <p>Where {@code Object} is declared, integers of every size arrive as {@code Long}, an {@code
 * Instant} as {@code OffsetDateTime} and an array as {@code List}; a record must be registered as
 * an alias.
 *
 * <p>Making one takes milliseconds; it is immutable and thread-safe, so keep it.
 *
 * @param <T> the interface
 */
public final class Protocol<T> {

  private final Class<T> type;
  private final ProtocolMethod[] methods;
  private final Classes classes;
  private final WriterClass writerClass;

  private Protocol(
      Class<T> type, ProtocolMethod[] methods, Classes classes, WriterClass writerClass) {
    this.type = type;
    this.methods = methods;
    this.classes = classes;
    this.writerClass = writerClass;
  }

  /** A protocol in which no class is registered. */
  public static <T> Protocol<T> of(Class<T> type) {
    return of(type, Aliases.none());
  }

  /**
   * A protocol in which these classes are registered.
   *
   * @throws IllegalArgumentException if the interface is none; it lists everything that is wrong
   */
  public static <T> Protocol<T> of(Class<T> type, Aliases aliases) {
    List<String> violations = new ArrayList<>(typeViolations(type));
    TypeResolver types = new TypeResolver();
    List<Method> declared = type.isInterface() ? declared(type, violations) : List.of();
    Map<Class<?>, RecordType> registered = new HashMap<>();
    aliases
        .types()
        .forEach((alias, c) -> {
          if (c.isRecord() && types.record(c, "alias '" + alias + "'") instanceof RecordType r) {
            registered.put(c, r);
          }
        });
    Map<Method, WireType[]> parameters = new HashMap<>();
    declared.forEach(m -> parameters.put(m, parameters(m, types)));
    violations.addAll(types.violations);
    if (!violations.isEmpty()) {
      throw new IllegalArgumentException(
          "%s is not a protocol:%n  - %s"
              .formatted(type.getTypeName(), String.join("%n  - ".formatted(), violations)));
    }
    try {
      MethodHandles.Lookup lookup = MethodHandles.privateLookupIn(type, MethodHandles.lookup());
      ProtocolMethod[] methods = new ProtocolMethod[declared.size()];
      for (int i = 0; i < methods.length; i++) {
        Method m = declared.get(i);
        methods[i] =
            new ProtocolMethod(m, Objects.requireNonNull(parameters.get(m)), lookup.unreflect(m));
      }
      return new Protocol<>(
          type, methods, new Classes(aliases, registered), WriterClass.of(lookup, type, methods));
    } catch (IllegalAccessException e) {
      throw new IllegalArgumentException(
          "%s is not a protocol: its package is not open to io.forebay.call"
              .formatted(type.getTypeName()),
          e);
    }
  }

  /** A writer whose messages go to the partition that their id gives. */
  public Writer<T> writer(MessageQueue queue) {
    return new Writer<>(this, queue, null, AppendClock.system());
  }

  /**
   * A writer whose messages all go to the partition that the key gives, so they keep their order.
   */
  public Writer<T> writer(MessageQueue queue, String key) {
    return new Writer<>(this, queue, key, AppendClock.system());
  }

  /** A writer of answers to the messages that are being handled. */
  public Output<T> output(MessageQueue queue) {
    return new Output<>(this, queue, AppendClock.system());
  }

  /**
   * A reader that calls {@code target} for the messages it is given.
   *
   * @param queueName of the queue they come from, for error texts
   */
  public CallReader<T> reader(String queueName, T target) {
    return new CallReader<>(this, queueName, target);
  }

  /** A reader of a whole queue that calls {@code target} for each message. */
  public Reader<T> reader(MessageQueue queue, T target) {
    return new Reader<>(queue, reader(queue.name(), target));
  }

  /** The interface. */
  public Class<T> type() {
    return type;
  }

  ProtocolMethod[] methods() {
    return methods;
  }

  Classes classes() {
    return classes;
  }

  T calls(CallEncoder encoder) {
    return type.cast(writerClass.instance(encoder));
  }

  private static List<String> typeViolations(Class<?> type) {
    List<String> violations = new ArrayList<>();
    if (!type.isInterface() || type.isAnnotation()) {
      violations.add("it is not an interface");
    } else if (type.isSealed()) {
      violations.add("it is sealed");
    }
    return violations;
  }

  /** The methods of the protocol by name; one that is inherited on two ways counts once. */
  private static List<Method> declared(Class<?> type, List<String> violations) {
    Map<String, List<Method>> byName =
        Arrays.stream(type.getMethods())
            .filter(m -> Modifier.isAbstract(m.getModifiers()) && !isOfObject(m))
            .collect(Collectors.groupingBy(Method::getName));
    List<Method> methods = new ArrayList<>();
    byName.forEach((name, same) -> {
      long signatures =
          same.stream().map(m -> Arrays.asList(m.getParameterTypes())).distinct().count();
      if (signatures > 1) {
        violations.add("method %s is overloaded; names must be unique".formatted(name));
      }
      same.stream()
          .filter(m -> m.getReturnType() != void.class)
          .findFirst()
          .ifPresent(m ->
              violations.add(
                  "method %s returns %s instead of void"
                      .formatted(name, m.getReturnType().getTypeName())));
      methods.add(same.getFirst());
    });
    if (methods.isEmpty()) {
      violations.add("it has no abstract method");
    }
    methods.sort(Comparator.comparing(Method::getName));
    violations.sort(Comparator.naturalOrder());
    return methods;
  }

  private static boolean isOfObject(Method method) {
    return Stream.of(Object.class.getMethods())
        .anyMatch(m ->
            m.getName().equals(method.getName())
                && Arrays.equals(m.getParameterTypes(), method.getParameterTypes()));
  }

  private static WireType[] parameters(Method method, TypeResolver types) {
    Type[] declared = method.getGenericParameterTypes();
    WireType[] parameters = new WireType[declared.length];
    for (int i = 0; i < declared.length; i++) {
      parameters[i] =
          types.resolve(
              declared[i], "parameter %d of method %s".formatted(i + 1, method.getName()));
    }
    return parameters;
  }
}
