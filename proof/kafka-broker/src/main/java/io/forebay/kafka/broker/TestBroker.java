/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka.broker;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.utils.AppInfoParser;
import org.testcontainers.kafka.KafkaContainer;

/** The brokers of tests, which end with the process of the tests at the latest. */
public final class TestBroker {

  private TestBroker() {}

  /**
   * The address of the broker that all tests of this JVM share: a {@link #container} if property
   * {@code forebay.test.containers} is true, otherwise a process. Use topics of your own, and do
   * not stop it.
   */
  public static String shared() {
    return Shared.ADDRESS;
  }

  /** Starts a broker that may be killed, on a free port. */
  public static BrokerProcess start(Path directory, Map<String, String> properties) {
    return start(directory, 0, properties);
  }

  /**
   * Like {@link BrokerProcess#start(Path, Path, int, Map)}, but waits until the broker responds.
   * Property {@code forebay.test.kafka.classpath} names the file with its class path.
   */
  public static BrokerProcess start(Path directory, int port, Map<String, String> properties) {
    Path classPath =
        Path.of(Objects.requireNonNull(System.getProperty("forebay.test.kafka.classpath")));
    BrokerProcess broker = BrokerProcess.start(classPath, directory, port, properties);
    Runtime.getRuntime().addShutdownHook(new Thread(broker::kill));
    // It listens before it can serve requests.
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
      admin.describeCluster().clusterId().toCompletionStage().toCompletableFuture().join();
    }
    return broker;
  }

  /** A broker of the public image with the settings of the others, to be started. */
  public static KafkaContainer container() {
    KafkaContainer container = new KafkaContainer("apache/kafka:" + AppInfoParser.getVersion());
    BrokerProcess.SETTINGS.forEach((name, value) ->
        container.withEnv("KAFKA_" + name.toUpperCase(Locale.ROOT).replace('.', '_'), value));
    return container;
  }

  private static final class Shared {

    static final String ADDRESS = start();

    private static String start() {
      if (Boolean.getBoolean("forebay.test.containers")) {
        KafkaContainer container = container();
        container.start();
        return container.getBootstrapServers();
      }
      String directory = "broker-" + ProcessHandle.current().pid();
      return TestBroker.start(Path.of("target", directory).toAbsolutePath(), Map.of()).bootstrap();
    }
  }
}
