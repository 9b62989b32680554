/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.spring;

import io.forebay.database.DatabaseLogin;
import io.forebay.jdbc.Limits;
import io.forebay.jdbc.Results;
import io.forebay.linux.CpuSet;
import io.forebay.service.Idle;
import io.forebay.service.ServiceOptions;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.Errors;
import org.springframework.validation.Validator;
import org.springframework.validation.annotation.Validated;

/**
 * @param defaultGateway Name of the gateway that exists if none is configured, on the embedded
 *     database; none: no gateway, and no database for one. The service sets main.
 * @param gateways Gateways by name; none: only the default gateway.
 */
@ConfigurationProperties("forebay")
@Validated
record GatewaysProperties(
    @Nullable String defaultGateway, @DefaultValue Map<String, @Valid Gateway> gateways)
    implements Validator {

  GatewaysProperties {
    if (gateways.isEmpty() && defaultGateway != null) {
      gateways = Map.of(defaultGateway, new Binder().bindOrCreate(defaultGateway, Gateway.class));
    }
  }

  @Override
  public boolean supports(Class<?> type) {
    return type == GatewaysProperties.class;
  }

  @Override
  public void validate(Object target, Errors errors) {
    gateways.forEach((name, gateway) -> GatewayRules.check(name, gateway, errors));
    GatewayRules.oneNextStage(gateways, errors);
    GatewayRules.oneServiceEach(gateways, errors);
  }

  /**
   * One gateway. It is bound as a value of the map; the annotation only documents its properties,
   * with {@code main} as an example.
   *
   * @param datasource Connects as the role that performs statements; none: the embedded database.
   * @param owner Connects as the role that owns schema forebay; required with datasource.
   * @param from The service whose answers the gateway performs, as the next stage of a pipeline;
   *     none: it has an in-queue of its own.
   * @param migrations Flyway locations of your own tables on the embedded database, such as
   *     classpath:db; none: nothing is migrated.
   * @param partitions Number of partitions, each with a connection, fixed when the queue is
   *     created; none: 1, or with from as many as that service.
   * @param acceptText Whether messages may carry SQL text, besides statements of the catalogue;
   *     none: true, but false on Kafka (kafka.md).
   * @param statementTimeout How long one statement may run; at least 1s.
   * @param results Which results are kept: all; runs, the same in fewer messages
   *     (message-format.md); or failures-only, without those of successful updates.
   * @param resultsKept The shortest time that results are kept.
   * @param idle How its threads wait for statements: back-off (up to 100 ms), yield (each keeps a
   *     CPU busy that nothing else needs) or spin (each keeps a CPU busy).
   * @param cpus The CPUs on which its threads run, such as 2-3 or 0,2; on Linux only; missing CPUs
   *     only cause a warning; none: any.
   * @param historyOneIn One in so many statements records its history; 1: all; 0: none. With from,
   *     the first stage decides.
   * @param weight Its share of the database's time, relative to the weights of its lanes; up to
   *     100.
   * @param lanes Further queues of the gateway by name, each with all settings of the gateway and
   *     its own partitions; not with from. Their names begin with that of the gateway: main-bulk.
   */
  @ConfigurationProperties("forebay.gateways.main")
  record Gateway(
      @Valid @NestedConfigurationProperty @Nullable DatabaseLogin datasource,
      @Valid @NestedConfigurationProperty @Nullable DatabaseLogin owner,
      @Nullable String from,
      @DefaultValue List<String> migrations,
      @Nullable @Min(1) Integer partitions,
      @Nullable Boolean acceptText,
      @DefaultValue("30s") @DurationMin(seconds = 1) Duration statementTimeout,
      @DefaultValue("all") Results results,
      @DefaultValue("72h") @DurationMin(seconds = 1) Duration resultsKept,
      @DefaultValue("back-off") Idle.Strategy idle,
      @Nullable String cpus,
      @DefaultValue("100") @Min(0) int historyOneIn,
      @DefaultValue("1") @Min(1) @Max(100) int weight,
      @DefaultValue Map<String, @Valid LaneSettings> lanes) {

    ServiceOptions options() {
      ServiceOptions options =
          ServiceOptions.defaults().withIdle(idle).withHistoryOneIn(historyOneIn);
      return cpus == null ? options : options.withCpus(CpuSet.of(cpus));
    }

    Limits limits() {
      Limits limits = Limits.defaults();
      return new Limits(statementTimeout, limits.maxRows(), limits.maxResultBytes());
    }
  }

  /**
   * One lane. It is bound as a value of the map; the annotation only documents its properties, with
   * {@code bulk} of {@code main} as an example.
   *
   * @param weight Its share of the database's time, relative to the weights of the gateway and its
   *     other lanes; up to 100.
   * @param callers The callers of the door whose statements it receives; none: only statements that
   *     name it in the catalogue.
   */
  @ConfigurationProperties("forebay.gateways.main.lanes.bulk")
  record LaneSettings(
      @DefaultValue("1") @Min(1) @Max(100) int weight, @DefaultValue List<String> callers) {}
}
