/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import io.forebay.access.StartText;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/** What the service prints when it is ready, beside the admin page and credentials. */
@Component
final class StartOutput implements StartText {

  private static final Logger log = LoggerFactory.getLogger(StartOutput.class);

  private final Transport transport;
  private final Environment environment;
  private final StartedServices startedServices;

  StartOutput(Transport transport, Environment environment, StartedServices startedServices) {
    this.transport = transport;
    this.environment = environment;
    this.startedServices = startedServices;
  }

  /** A service that performs nothing must not be reported as ready. */
  @Override
  public String headline(String address) {
    List<String> failed = startedServices.failed();
    return failed.isEmpty()
        ? "Forebay is ready: " + address
        : "Forebay has started, but needs an operator: %s\n\n    %s\n"
            .formatted(address, String.join("\n    ", failed));
  }

  @Override
  public String exampleTitle() {
    return Welcome.isOn(environment) ? "Send a statement" : "List the statements";
  }

  @Override
  public String exampleRequest() {
    return Welcome.request(environment);
  }

  @EventListener(ApplicationReadyEvent.class)
  void warnOfPlainText() {
    if (transport.isPlain()) {
      log.warn(
          "Connections are not encrypted: {}; set server.ssl.bundle, or server.address to 127.0.0.1"
              + " behind a proxy that encrypts (docs/security.md)",
          transport.plainPorts());
    }
  }
}
