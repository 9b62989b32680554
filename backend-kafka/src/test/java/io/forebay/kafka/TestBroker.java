/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.kafka.broker.BrokerProcess;
import java.nio.file.Path;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;

/** The one broker that the tests of this module share; it ends with their process. */
final class TestBroker {

  private static final BrokerProcess SHARED = start();

  private TestBroker() {}

  static BrokerProcess shared() {
    return SHARED;
  }

  private static BrokerProcess start() {
    BrokerProcess broker =
        BrokerProcess.start(
            Path.of(System.getProperty("forebay.test.kafka.classpath")),
            Path.of("target", "broker-" + ProcessHandle.current().pid()).toAbsolutePath(),
            0,
            Map.of());
    Runtime.getRuntime().addShutdownHook(new Thread(broker::kill));
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
      admin.describeCluster().clusterId().toCompletionStage().toCompletableFuture().join();
    }
    return broker;
  }
}
