/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import io.forebay.kafka.broker.BrokerProcess;
import java.nio.file.Path;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;

/** The broker shared by tests that leave it unchanged; it ends with their process. */
final class TestBroker {

  /** The file in which the build writes the broker's class path. */
  static final Path CLASS_PATH = Path.of(System.getProperty("forebay.test.kafka.classpath"));

  private static final BrokerProcess SHARED = start("broker", Map.of());

  private TestBroker() {}

  static BrokerProcess shared() {
    return SHARED;
  }

  /** Starts a separate broker, which ends with this process at the latest. */
  static BrokerProcess start(String name, Map<String, String> properties) {
    BrokerProcess broker = BrokerProcess.start(CLASS_PATH, directory(name), 0, properties);
    Runtime.getRuntime().addShutdownHook(new Thread(broker::kill));
    // It listens before it can serve requests; wait until it does.
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
      admin.describeCluster().clusterId().toCompletionStage().toCompletableFuture().join();
    }
    return broker;
  }

  static Path directory(String name) {
    return Path.of("target", "fault-tests", name + "-" + ProcessHandle.current().pid())
        .toAbsolutePath();
  }
}
