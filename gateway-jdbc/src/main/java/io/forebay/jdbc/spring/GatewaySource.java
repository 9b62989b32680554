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
import java.util.TreeMap;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Finds the service whose answers a gateway performs. */
final class GatewaySource {

  private final String gateway;
  private final String wanted;

  private GatewaySource(String gateway, String wanted) {
    this.gateway = gateway;
    this.wanted = wanted;
  }

  /**
   * The service, which is closed later than the gateway.
   *
   * @throws StartRefused if there is no such service, or it has other answers or another next stage
   */
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
    return new GatewaySource(gateway, wanted).checked(services);
  }

  @SuppressWarnings("unchecked") // compared
  private HostedService<?, JDBCStatement> checked(Map<String, DefinedService<?, ?>> services) {
    DefinedService<?, ?> source = services.get(wanted);
    if (source == null) {
      throw refused(
          "which is not a service of this application (known: " + services.keySet() + ")");
    }
    Class<?> answers = source.definition().answers().type();
    if (answers != JDBCStatement.class) {
      throw refused(
          "whose answers are %s and not %s"
              .formatted(answers.getName(), JDBCStatement.class.getName()));
    }
    services.values().stream()
        .filter(it -> it.source().map(HostedService::name).filter(wanted::equals).isPresent())
        .findAny()
        .ifPresent(other -> {
          throw refused("but so does service " + other.name());
        });
    return (HostedService<?, JDBCStatement>) source;
  }

  private StartRefused refused(String why) {
    return new StartRefused(
        "gateway %s performs the answers of service %s, %s".formatted(gateway, wanted, why));
  }
}
