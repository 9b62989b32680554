/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;

import io.forebay.app.ComposeFile.Mount;
import io.forebay.app.ComposeFile.Service;
import io.forebay.kafka.broker.BrokerProcess;
import io.forebay.kafka.broker.TestBroker;
import io.forebay.testing.ChildProcess;
import io.forebay.testing.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;

/**
 * The first broker of {@code docker/compose.kafka.yaml} without a container: its variables, the
 * certificates of {@code secrets.sh}, and the rights of {@code kafka/rights.sh}; and an open
 * listener for the test, which may do everything.
 */
final class SecuredBroker {

  private static final String USER = "forebay";

  /** Another program, which may write statements. */
  private static final String PROGRAM = "shop";

  private static final String PROGRAMS_PASSWORD = "very-secret-of-shop";
  private static final ScramMechanism MECHANISM = ScramMechanism.SCRAM_SHA_512;
  private static final int ITERATIONS = 4096;

  /** Variables of the image that are not properties of the broker. */
  private static final Set<String> OF_THE_IMAGE = Set.of("KAFKA_HEAP_OPTS", "CLUSTER_ID");

  /** How the variables of Forebay begin that become properties of its Kafka clients. */
  private static final String PROPERTIES = "FOREBAY_KAFKA_PROPERTIES_";

  private final ComposeFile compose = ComposeFile.read("compose.kafka.yaml");
  private final Path directory;
  private final Path secrets;
  private final int open = Ports.free();
  private final int controller = Ports.free();
  private final int clients = Ports.free();
  private final int brokers = Ports.free();

  SecuredBroker(Path directory) throws Exception {
    this.directory = Files.createDirectories(directory);
    secrets = directory.resolve("secrets");
    ContainerFilesTest.secrets(secrets);
  }

  /** The password that {@code secrets.sh} has made for Forebay. */
  String password() throws IOException {
    return Files.readString(secrets.resolve("kafka_forebay_password"));
  }

  /** Starts it; it admits no client yet. */
  BrokerProcess start() {
    Map<String, String> properties = new HashMap<>();
    compose
        .services()
        .get("kafka-1")
        .environment()
        .forEach((variable, value) -> {
          if (!OF_THE_IMAGE.contains(variable)) {
            properties.put(property(variable), here(value));
          }
        });
    properties.put("controller.quorum.voters", "1@localhost:" + controller);
    properties.put(
        "listeners",
        "CLIENTS://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d,BROKERS://127.0.0.1:%d,OPEN://127.0.0.1:%d"
            .formatted(clients, controller, brokers, open));
    properties.put(
        "advertised.listeners",
        "CLIENTS://localhost:%d,BROKERS://localhost:%d,OPEN://127.0.0.1:%d"
            .formatted(clients, brokers, open));
    properties.merge("listener.security.protocol.map", "OPEN:PLAINTEXT", (a, b) -> a + "," + b);
    properties.merge("super.users", "User:ANONYMOUS", (a, b) -> a + ";" + b); // of the open one
    properties.put("log.dirs", directory.resolve("data").toString());
    properties.put("min.insync.replicas", "1");
    properties.put("transaction.state.log.min.isr", "1");
    properties.put("share.coordinator.state.topic.min.isr", "1");
    properties.replaceAll((name, value) -> name.endsWith("replication.factor") ? "1" : value);
    return TestBroker.start(directory, open, properties);
  }

  /** As the image does it. */
  private static String property(String variable) {
    return variable
        .substring("KAFKA_".length())
        .toLowerCase(Locale.ROOT)
        .replace("___", "-")
        .replace('_', '.');
  }

  private String here(String value) {
    return value.replace("/run/secrets", secrets.toString());
  }

  /** Admits Forebay and the other program, from now on and after restarts. */
  void admit(BrokerProcess broker) throws Exception {
    Path tools = Files.createDirectories(directory.resolve("bin"));
    tool(tools, "kafka-configs.sh", "kafka.admin.ConfigCommand");
    tool(tools, "kafka-acls.sh", "org.apache.kafka.tools.AclCommand");
    ProcessBuilder rights =
        new ProcessBuilder("sh", ComposeFile.FOLDER.resolve("kafka/rights.sh").toString());
    rights
        .environment()
        .putAll(
            Map.of(
                "KAFKA_BIN", tools.toString(),
                "SECRETS", secrets.toString(),
                "BROKERS", "localhost:" + brokers));
    try (ChildProcess script = ChildProcess.start(rights)) {
      if (script.awaitEnd() != 0) {
        throw new IllegalStateException("kafka/rights.sh failed: " + script.output());
      }
    }
    ResourcePattern in =
        new ResourcePattern(ResourceType.TOPIC, "forebay.main.in", PatternType.LITERAL);
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
      admin
          .createAcls(List.of(grant(in, AclOperation.WRITE), grant(in, AclOperation.DESCRIBE)))
          .all()
          .get();
    }
    set(broker, PROGRAM, PROGRAMS_PASSWORD);
  }

  private static void tool(Path directory, String name, String main) throws IOException {
    Path script =
        Files.writeString(
            directory.resolve(name),
            """
            #!/bin/sh
            exec '%s' -XX:TieredStopAtLevel=1 -cp '%s' %s "$@"
            """
                .formatted(
                    Path.of(System.getProperty("java.home"), "bin", "java"),
                    Files.readString(Path.of(System.getProperty("forebay.test.kafka.classpath")))
                        .strip(),
                    main));
    if (!script.toFile().setExecutable(true)) {
      throw new IOException(script + " cannot be made executable");
    }
  }

  private static AclBinding grant(ResourcePattern to, AclOperation operation) {
    return new AclBinding(
        to, new AccessControlEntry("User:" + PROGRAM, "*", operation, AclPermissionType.ALLOW));
  }

  /** Changes the password of Forebay. */
  void setPassword(BrokerProcess broker, String password)
      throws ExecutionException, InterruptedException {
    set(broker, USER, password);
  }

  private static void set(BrokerProcess broker, String user, String password)
      throws ExecutionException, InterruptedException {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
      ScramCredentialInfo info = new ScramCredentialInfo(MECHANISM, ITERATIONS);
      admin
          .alterUserScramCredentials(
              List.of(new UserScramCredentialUpsertion(user, info, password)))
          .all()
          .get();
    }
  }

  /** The variables of Forebay for its brokers, and its secret. */
  Map<String, String> variables() throws IOException {
    Service forebay = compose.services().get("forebay-1");
    Path mounted = Files.createDirectories(directory.resolve("run-secrets"));
    for (Mount secret : forebay.secrets()) {
      if (secret.target().contains("kafka")) {
        Path target = mounted.resolve(secret.target());
        Files.copy(secrets.resolve(secret.source()), target, REPLACE_EXISTING);
      }
    }
    Map<String, String> variables = new HashMap<>();
    forebay
        .environment()
        .forEach((name, value) -> {
          if (name.startsWith(PROPERTIES)) {
            variables.put(name, here(value));
          }
        });
    variables.put("FOREBAY_KAFKA_PROPERTIES_BOOTSTRAP_SERVERS", "localhost:" + clients);
    variables.put("SPRING_CONFIG_IMPORT", "configtree:" + mounted + "/");
    return variables;
  }

  /** The properties of the Kafka clients of the other program. */
  Map<String, Object> program() throws IOException {
    Map<String, Object> properties = new HashMap<>();
    variables()
        .forEach((name, value) -> {
          if (name.startsWith(PROPERTIES)) {
            properties.put(
                name.substring(PROPERTIES.length()).toLowerCase(Locale.ROOT).replace('_', '.'),
                value);
          }
        });
    properties.put("bootstrap.servers", "localhost:" + clients);
    properties.put(
        "sasl.jaas.config",
        "org.apache.kafka.common.security.scram.ScramLoginModule"
            + " required username=\"%s\" password=\"%s\";".formatted(PROGRAM, PROGRAMS_PASSWORD));
    return properties;
  }
}
