/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.host;

import io.forebay.operations.SelfCheck;
import io.forebay.operations.ServiceView;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Checks whether there are services, and whether one failed or waits, for example because the role
 * of its database may do too much.
 */
final class ServicesSelfCheck implements SelfCheck {

  private final Supplier<List<ServiceView>> services;

  ServicesSelfCheck(Supplier<List<ServiceView>> services) {
    this.services = services;
  }

  @Override
  public List<Result> run() {
    List<ServiceView> all = services.get();
    if (all.isEmpty()) {
      return List.of(
          new Result(
              "services",
              State.WARN,
              "there is neither a gateway nor a service",
              Harm.UNFINISHED,
              "Configure forebay.gateways.<name>.datasource in application.yaml, or define a bean"
                  + " ServiceDefinition (docs/services.md)."));
    }
    List<Result> results = new ArrayList<>();
    for (ServiceView service : all) {
      switch (service.state().phase()) {
        case FAILED, FENCED -> results.add(problem(State.FAILED, service));
        case WAITING -> results.add(problem(State.WARN, service));
        default -> {}
      }
    }
    return results;
  }

  /** The reason of a state says what to change. */
  private static Result problem(State state, ServiceView service) {
    return new Result(
        "service " + service.name(), state, service.state().reason(), Harm.OUTAGE, null);
  }
}
