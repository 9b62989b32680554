/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.bench.outbox.ForebayApplication;
import io.forebay.bench.outbox.ModulithApplication;
import io.forebay.bench.outbox.NamastackApplication;
import java.util.List;

/** An outbox for applications with Spring Boot. */
enum OutboxContender {
  FOREBAY(ForebayApplication.class, List.of("forebay.backend=chronicle")),

  /** Resubmits as after a restart. */
  MODULITH(
      ModulithApplication.class,
      List.of(
          "spring.datasource.hikari.maximum-pool-size=30",
          "spring.task.execution.pool.core-size=16",
          "spring.modulith.events.completion-mode=delete",
          "spring.modulith.events.jdbc.schema-initialization.enabled=true")),

  /** With the settings of its own performance test. */
  NAMASTACK(
      NamastackApplication.class,
      List.of(
          "spring.datasource.hikari.maximum-pool-size=30",
          "namastack.outbox.polling.batch-size=1000",
          "namastack.outbox.polling.fixed.interval=${outbox.poll}",
          "namastack.outbox.processing.executor-core-pool-size=16",
          "namastack.outbox.processing.executor-max-pool-size=32",
          "namastack.outbox.instance.heartbeat-interval=1s",
          "namastack.outbox.instance.stale-instance-timeout=10s",
          "namastack.outbox.instance.rebalance-interval=1s"));

  private final Class<?> application;
  private final List<String> properties;

  OutboxContender(Class<?> application, List<String> properties) {
    this.application = application;
    this.properties = properties;
  }

  /** Its configuration. */
  Class<?> application() {
    return application;
  }

  List<String> properties() {
    return properties;
  }
}
