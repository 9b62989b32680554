/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import io.forebay.kafka.broker.BrokerProcess;
import java.nio.file.Path;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;

/** The broker that tests share which leave it as they found it; it ends with their process. */
final class TestBroker {

  /** Where the build has written the class path of a broker. */
  static final Path CLASS_PATH = Path.of(System.getProperty("forebay.test.kafka.classpath"));

  private static final BrokerProcess SHARED = start("broker", Map.of());

  private TestBroker() {}

  static BrokerProcess shared() {
    return SHARED;
  }

  /** One of its own, which ends with this process at the latest. */
  static BrokerProcess start(String name, Map<String, String> properties) {
    BrokerProcess broker = BrokerProcess.start(CLASS_PATH, directory(name), 0, properties);
    Runtime.getRuntime().addShutdownHook(new Thread(broker::kill));
    // It listens a moment before it serves, and longer on a busy machine.
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
