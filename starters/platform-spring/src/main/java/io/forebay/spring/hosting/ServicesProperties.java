/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring.hosting;

import io.forebay.hosting.ServiceDefinition;
import io.forebay.linux.CpuSet;
import io.forebay.operations.StartRefused;
import io.forebay.service.Idle;
import io.forebay.service.ServiceOptions;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Min;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.Errors;
import org.springframework.validation.Validator;
import org.springframework.validation.annotation.Validated;

/**
 * @param services Own services of this application by name; none: all run as they are defined.
 */
@ConfigurationProperties("forebay")
@Validated
record ServicesProperties(@DefaultValue Map<String, @Valid OfService> services)
    implements Validator {

  /**
   * One service. It is bound as a value of the map; the annotation only documents its properties,
   * with {@code main} as an example.
   *
   * @param idle How its threads wait for messages, as for a gateway: back-off, yield or spin; none:
   *     as its definition says, by default back-off.
   * @param cpus The CPUs on which its threads run, such as 2-3 or 0,2; on Linux only; none: as its
   *     definition says, by default any.
   * @param await How long a call without a result waits until the queue has accepted it; 0: until
   *     it is appended; none: as its definition says, by default 30s on Kafka and 0 on one host.
   * @param historyOneIn One in so many messages records its history; 1: all; 0: none; none: as its
   *     definition says, by default 100.
   */
  @ConfigurationProperties("forebay.services.main")
  record OfService(
      Idle.@Nullable Strategy idle,
      @Nullable String cpus,
      @Nullable Duration await,
      @Min(0) @Nullable Integer historyOneIn) {

    private ServiceOptions applyTo(ServiceOptions defined) {
      ServiceOptions options = idle == null ? defined : defined.withIdle(idle);
      options = cpus == null ? options : options.withCpus(CpuSet.of(cpus));
      return historyOneIn == null ? options : options.withHistoryOneIn(historyOneIn);
    }
  }

  <I, O> ServiceDefinition<I, O> applyTo(ServiceDefinition<I, O> definition) {
    OfService configured = services.get(definition.name());
    if (configured == null) {
      return definition;
    }
    ServiceDefinition<I, O> own = definition.withOptions(configured.applyTo(definition.options()));
    return configured.await() == null ? own : own.withAwait(configured.await());
  }

  /**
   * @throws StartRefused if the configuration names other services than these; it lists all
   */
  void mustName(Collection<String> own) {
    List<String> unknown =
        services.keySet().stream().filter(name -> !own.contains(name)).sorted().toList();
    if (!unknown.isEmpty()) {
      throw new StartRefused(
          "forebay.services configures %s, but this application defines no such services (known: %s; a gateway has its properties at forebay.gateways.<name>)"
              .formatted(unknown, own));
    }
  }

  @Override
  public boolean supports(Class<?> type) {
    return type == ServicesProperties.class;
  }

  @Override
  public void validate(Object target, Errors errors) {
    services.forEach((name, service) -> {
      if (service.await() != null && service.await().isNegative()) {
        errors.rejectValue("services[" + name + "].await", "await", "must not be negative");
      }
      if (service.cpus() != null) {
        try {
          CpuSet.of(service.cpus());
        } catch (IllegalArgumentException e) {
          errors.rejectValue("services[" + name + "].cpus", "cpus", String.valueOf(e.getMessage()));
        }
      }
    });
  }
}
