/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.spring;

import io.forebay.jdbc.Results;
import io.forebay.jdbc.StatementCatalogue;
import io.forebay.jdbc.gateway.JDBCService;
import io.forebay.queue.QueueBackend;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/**
 * Copies of the configured gateways: with their settings and databases, but with names and queues
 * of their own. For measurements; the configured gateways themselves are not opened. Thread-safe.
 */
public final class GatewayCopies {

  private final GatewaysProperties configured;
  private final BeanFactory beans;

  private GatewayCopies(GatewaysProperties configured, BeanFactory beans) {
    this.configured = configured;
    this.beans = beans;
  }

  /** Provides a {@link GatewayCopies}. Not together with {@link GatewayAutoConfiguration}. */
  @AutoConfiguration
  @EnableConfigurationProperties(GatewaysProperties.class)
  static class Configuration {

    @Bean
    GatewayCopies forebayGatewayCopies(GatewaysProperties configured, BeanFactory beans) {
      return new GatewayCopies(configured, beans);
    }
  }

  /**
   * The configured gateways that have an in-queue of their own, in the order of the configuration.
   */
  public List<String> gateways() {
    return configured.gateways().entrySet().stream()
        .filter(it -> it.getValue().from() == null)
        .map(Map.Entry::getKey)
        .toList();
  }

  /**
   * A gateway to copy. Opens the embedded database if it has no other.
   *
   * @throws IllegalArgumentException if {@link #gateways} has none of that name
   */
  public Original original(String gateway) {
    GatewaysProperties.Gateway settings = configured.gateways().get(gateway);
    if (settings == null || settings.from() != null) {
      throw new IllegalArgumentException(
          "no gateway %s (gateways: %s)".formatted(gateway, gateways()));
    }
    return new Original(gateway, ConfiguredGateway.of(gateway, settings, beans));
  }

  /** A configured gateway. Thread-safe. */
  public static final class Original {

    private final String name;
    private final ConfiguredGateway gateway;

    private Original(String name, ConfiguredGateway gateway) {
      this.name = name;
      this.gateway = gateway;
    }

    public String name() {
      return name;
    }

    /** Connects as the role that performs statements. */
    public DataSource performing() {
      return gateway.performing();
    }

    /** Connects as the role that owns schema forebay. */
    public DataSource owning() {
      return gateway.owning();
    }

    /**
     * Opens a copy, which is not started yet, and whose results are kept, all of them. It performs
     * statements of the catalogue only.
     *
     * @param copy its name
     */
    public JDBCService copy(String copy, QueueBackend queues, StatementCatalogue catalogue) {
      return gateway
          .builder(copy)
          .queues(queues, Objects.requireNonNullElse(gateway.settings().partitions(), 1))
          .results(Results.ALL)
          .acceptText(false)
          .catalogue(catalogue)
          .build();
    }
  }
}
