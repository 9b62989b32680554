/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.spring;

import io.forebay.hosting.DefinedService;
import io.forebay.hosting.HostedService;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.operations.StartRefused;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Finds the service whose answers a gateway performs. */
final class GatewaySource {

  private GatewaySource() {}

  /**
   * The service, which is closed later than the gateway.
   *
   * @throws StartRefused if there is no such service, or it has other answers or another next stage
   */
  @SuppressWarnings("unchecked") // compared
  static HostedService<?, JDBCStatement> find(
      String gateway, String wanted, ConfigurableListableBeanFactory beans) {
    Map<String, DefinedService<?, ?>> services = new TreeMap<>();
    for (String bean : beans.getBeanNamesForType(DefinedService.class, true, false)) {
      DefinedService<?, ?> service = beans.getBean(bean, DefinedService.class);
      services.put(service.name(), service);
      if (service.name().equals(wanted)) {
        beans.registerDependentBean(bean, gateway + "Gateway");
      }
    }
    String refusal = refusal(wanted, services);
    if (refusal != null) {
      throw new StartRefused(
          "gateway %s performs the answers of service %s, %s".formatted(gateway, wanted, refusal));
    }
    return (HostedService<?, JDBCStatement>) Objects.requireNonNull(services.get(wanted));
  }

  private static @Nullable String refusal(
      String wanted, Map<String, DefinedService<?, ?>> services) {
    DefinedService<?, ?> source = services.get(wanted);
    if (source == null) {
      return "which is not a service of this application (known: " + services.keySet() + ")";
    }
    Class<?> answers = source.definition().answers().type();
    if (answers != JDBCStatement.class) {
      return "whose answers are %s and not %s"
          .formatted(answers.getName(), JDBCStatement.class.getName());
    }
    return services.values().stream()
        .filter(it -> it.source().map(HostedService::name).filter(wanted::equals).isPresent())
        .findAny()
        .map(other -> "but so does service " + other.name())
        .orElse(null);
  }
}
