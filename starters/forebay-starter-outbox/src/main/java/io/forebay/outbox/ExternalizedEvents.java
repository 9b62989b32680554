/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.outbox;

import io.forebay.hosting.HostedService;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.expression.EvaluationContext;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.support.BrokerRouting;
import org.springframework.util.ReflectionUtils;

/**
 * Sends events that Spring Modulith externalizes, in the transaction that publishes them. The
 * target of an event is the name of a service, its key is the partition key. The event, or what its
 * mapping makes of it, is the argument of a method of the service's interface, or a {@link
 * Consumer} that makes the call.
 */
final class ExternalizedEvents implements ApplicationListener<PayloadApplicationEvent<?>> {

  private final EventExternalizationConfiguration configuration;
  private final EvaluationContext context;
  private final Outbox outbox;
  private final Supplier<Map<String, HostedService<?, ?>>> services;
  private final Map<String, TransactionalCalls<?>> targets = new ConcurrentHashMap<>();

  /**
   * @param context of the expressions in targets and keys
   * @param services those that can be called, by their names
   */
  ExternalizedEvents(
      EventExternalizationConfiguration configuration,
      EvaluationContext context,
      Outbox outbox,
      Supplier<Map<String, HostedService<?, ?>>> services) {
    this.configuration = configuration;
    this.context = context;
    this.outbox = outbox;
    this.services = services;
  }

  /** Another thread has no part in the transaction. */
  @Override
  public boolean supportsAsyncExecution() {
    return false;
  }

  @Override
  public void onApplicationEvent(PayloadApplicationEvent<?> published) {
    Object event = published.getPayload();
    if (configuration.supports(event)) {
      BrokerRouting routing = BrokerRouting.of(configuration.determineTarget(event), context);
      String key = routing.getKey(event);
      Object argument = configuration.map(event);
      targets
          .computeIfAbsent(routing.getTarget(event), this::calls)
          .sendTo(key, calls -> call(calls, argument));
    }
  }

  private TransactionalCalls<?> calls(String name) {
    HostedService<?, ?> service = services.get().get(name);
    if (service == null) {
      throw new IllegalStateException(
          "Event not sent: its target %s is not the name of a service of this process"
              .formatted(name));
    }
    return outbox.calls(service);
  }

  @SuppressWarnings("unchecked") // a consumer of another type throws
  private static void call(Object calls, Object argument) {
    if (argument instanceof Consumer<?> maker) {
      ((Consumer<Object>) maker).accept(calls);
      return;
    }
    List<Method> methods =
        Arrays.stream(calls.getClass().getInterfaces())
            .flatMap(it -> Arrays.stream(it.getMethods()))
            .filter(it -> isCallWith(argument, it))
            .toList();
    if (methods.size() != 1) {
      throw new IllegalArgumentException(
          "Event not sent: %s is the argument of %d methods of its target (limit=1); map the event to a Consumer that makes the call"
              .formatted(argument.getClass().getName(), methods.size()));
    }
    ReflectionUtils.makeAccessible(methods.getFirst());
    ReflectionUtils.invokeMethod(methods.getFirst(), calls, argument);
  }

  private static boolean isCallWith(Object argument, Method method) {
    return Modifier.isAbstract(method.getModifiers())
        && method.getParameterCount() == 1
        && method.getParameterTypes()[0].isInstance(argument);
  }
}
