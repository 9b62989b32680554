/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring.hosting;

import io.forebay.hosting.ServiceDefinition;
import io.forebay.operations.StartRefused;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Finds the stages of pipelines among the services of the application. */
final class Stages {

  private final ConfigurableListableBeanFactory beans;

  /** The definitions by the names of their beans. */
  private final Map<String, ServiceDefinition<?, ?>> definitions = new TreeMap<>();

  private Stages(ConfigurableListableBeanFactory beans) {
    this.beans = beans;
    for (String bean : beans.getBeanNamesForType(ServiceDefinition.class, true, false)) {
      definitions.put(bean, beans.getBean(bean, ServiceDefinition.class));
    }
  }

  /**
   * The service whose answers another one performs; it is closed later than that one.
   *
   * @param bean the name of the definition's bean
   * @return null if the service has an in-queue of its own
   * @throws StartRefused if there is no such service, or it has other answers or another next stage
   */
  static <I> @Nullable OwnService<?, I> source(
      ConfigurableListableBeanFactory beans, String bean, ServiceDefinition<I, ?> definition) {
    return definition
        .source()
        .map(name -> new Stages(beans).<I>find(name, bean, definition))
        .orElse(null);
  }

  @SuppressWarnings("unchecked") // checked by the comparison
  private <I> OwnService<?, I> find(
      String wanted, String bean, ServiceDefinition<I, ?> definition) {
    Map.Entry<String, ServiceDefinition<?, ?>> before = before(wanted, definition);
    ServiceDefinition<?, ?> source = before.getValue();
    if (source.answers().type() != definition.calls().type()) {
      throw refused(
          definition,
          "whose answers are %s and not %s"
              .formatted(source.answers().type().getName(), definition.calls().type().getName()));
    }
    definitions.values().stream()
        .filter(other -> !other.name().equals(definition.name()))
        .filter(other -> wanted.equals(other.source().orElse(null)))
        .findAny()
        .ifPresent(other -> {
          throw refused(definition, "but so does service " + other.name());
        });
    String service = before.getKey() + OwnServices.SERVICE;
    beans.registerDependentBean(service, bean + OwnServices.SERVICE);
    return beans.getBean(service, OwnService.class);
  }

  private Map.Entry<String, ServiceDefinition<?, ?>> before(
      String service, ServiceDefinition<?, ?> definition) {
    return definitions.entrySet().stream()
        .filter(entry -> entry.getValue().name().equals(service))
        .findFirst()
        .orElseThrow(() ->
            refused(
                definition,
                "which is not a service of this application (known: "
                    + definitions.values().stream().map(ServiceDefinition::name).toList()
                    + ")"));
  }

  private static StartRefused refused(ServiceDefinition<?, ?> definition, String why) {
    return new StartRefused(
        "service %s performs the answers of service %s, %s"
            .formatted(definition.name(), definition.source().orElse(""), why));
  }
}
