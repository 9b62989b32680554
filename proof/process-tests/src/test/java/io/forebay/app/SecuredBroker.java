/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import io.forebay.kafka.broker.BrokerProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;

/** A broker with a listener that requires a password, and an open one for the test. */
final class SecuredBroker {

  private static final String USER = "forebay";
  private static final int ITERATIONS = 4096;

  private final Path directory;
  private final int open = freePort();
  private final int controller = freePort();
  private final int secured = freePort();

  SecuredBroker(Path directory) throws IOException {
    this.directory = directory;
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** Starts it; no client is admitted to the secured listener yet. */
  BrokerProcess start() {
    Map<String, String> properties = new HashMap<>();
    properties.put("controller.quorum.voters", "1@127.0.0.1:" + controller);
    properties.put(
        "listeners",
        "PLAINTEXT://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d,SASL_PLAINTEXT://127.0.0.1:%d"
            .formatted(open, controller, secured));
    properties.put(
        "advertised.listeners",
        "PLAINTEXT://127.0.0.1:%d,SASL_PLAINTEXT://127.0.0.1:%d".formatted(open, secured));
    properties.put(
        "listener.security.protocol.map",
        "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT");
    properties.put("sasl.enabled.mechanisms", "SCRAM-SHA-256");
    properties.put(
        "listener.name.sasl_plaintext.scram-sha-256.sasl.jaas.config",
        "org.apache.kafka.common.security.scram.ScramLoginModule required;");
    return BrokerProcess.start(
        Path.of(System.getProperty("forebay.test.kafka.classpath")), directory, open, properties);
  }

  /** Admits a client with this password from now on, also after restarts. */
  void admit(BrokerProcess broker, String password)
      throws ExecutionException, InterruptedException {
    Properties properties = new Properties();
    properties.put("bootstrap.servers", broker.bootstrap());
    try (Admin admin = Admin.create(properties)) {
      ScramCredentialInfo info = new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, ITERATIONS);
      admin
          .alterUserScramCredentials(
              List.of(new UserScramCredentialUpsertion(USER, info, password)))
          .all()
          .get();
    }
  }

  /** The properties of a Forebay with a password, right or wrong. */
  List<String> client(String password) {
    String properties = "forebay.kafka.properties.";
    return Stream.of(
            "forebay.kafka.bootstrap-servers=127.0.0.1:" + secured,
            properties + "security.protocol=SASL_PLAINTEXT",
            properties + "sasl.mechanism=SCRAM-SHA-256",
            properties
                + "sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule"
                + " required username=\"%s\" password=\"%s\";".formatted(USER, password))
        .toList();
  }
}
