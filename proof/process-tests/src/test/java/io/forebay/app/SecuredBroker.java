/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static org.apache.kafka.common.acl.AclOperation.CREATE;
import static org.apache.kafka.common.acl.AclOperation.DESCRIBE;
import static org.apache.kafka.common.acl.AclOperation.DESCRIBE_CONFIGS;
import static org.apache.kafka.common.acl.AclOperation.READ;
import static org.apache.kafka.common.acl.AclOperation.WRITE;

import io.forebay.kafka.broker.BrokerProcess;
import io.forebay.testing.ChildProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
import org.apache.kafka.common.resource.Resource;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;

/**
 * A broker whose listener requires TLS and a password, and grants only what docs/kafka.md names;
 * and an open one for the test, which may do everything.
 */
final class SecuredBroker {

  private static final String USER = "forebay";

  /** Another program, which may write statements. */
  private static final String PROGRAM = "shop";

  private static final String PROGRAMS_PASSWORD = "very-secret-of-shop";
  private static final String STORE_PASSWORD = "changeit";
  private static final int ITERATIONS = 4096;

  private final Path directory;
  private final Path store;
  private final Path certificate;
  private final int open = freePort();
  private final int controller = freePort();
  private final int secured = freePort();

  SecuredBroker(Path directory) throws IOException {
    this.directory = Files.createDirectories(directory);
    store = directory.resolve("broker.p12");
    certificate = directory.resolve("broker.pem");
    keytool("-genkeypair", "-keyalg", "EC", "-dname", "CN=broker", "-ext", "san=ip:127.0.0.1");
    keytool("-exportcert", "-rfc", "-file", certificate.toString());
  }

  private void keytool(String... arguments) {
    List<String> command = new ArrayList<>(List.of(arguments));
    command.addAll(List.of("-alias", "broker", "-storetype", "PKCS12"));
    command.addAll(List.of("-keystore", store.toString(), "-storepass", STORE_PASSWORD));
    ChildProcess.run(ChildProcess.tool("keytool", command.toArray(String[]::new)));
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
        "PLAINTEXT://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d,SASL_SSL://127.0.0.1:%d"
            .formatted(open, controller, secured));
    properties.put(
        "advertised.listeners",
        "PLAINTEXT://127.0.0.1:%d,SASL_SSL://127.0.0.1:%d".formatted(open, secured));
    properties.put(
        "listener.security.protocol.map",
        "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_SSL:SASL_SSL");
    properties.put("sasl.enabled.mechanisms", "SCRAM-SHA-256");
    properties.put(
        "listener.name.sasl_ssl.scram-sha-256.sasl.jaas.config",
        "org.apache.kafka.common.security.scram.ScramLoginModule required;");
    properties.put("ssl.keystore.type", "PKCS12");
    properties.put("ssl.keystore.location", store.toString());
    properties.put("ssl.keystore.password", STORE_PASSWORD);
    properties.put(
        "authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer");
    properties.put("super.users", "User:ANONYMOUS"); // of the open listeners
    return BrokerProcess.start(
        Path.of(System.getProperty("forebay.test.kafka.classpath")), directory, open, properties);
  }

  /** Admits Forebay with this password, and the other program, from now on and after restarts. */
  void admit(BrokerProcess broker, String password)
      throws ExecutionException, InterruptedException {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
      List<AclBinding> grants = new ArrayList<>();
      prefixed(grants, ResourceType.TOPIC, CREATE, DESCRIBE, READ, WRITE, DESCRIBE_CONFIGS);
      prefixed(grants, ResourceType.GROUP, READ, DESCRIBE);
      prefixed(grants, ResourceType.TRANSACTIONAL_ID, WRITE, DESCRIBE);
      ResourcePattern cluster =
          new ResourcePattern(ResourceType.CLUSTER, Resource.CLUSTER_NAME, PatternType.LITERAL);
      grants.add(grant(USER, cluster, DESCRIBE));
      grants.add(grant(USER, cluster, DESCRIBE_CONFIGS));
      ResourcePattern in =
          new ResourcePattern(ResourceType.TOPIC, "forebay.main.in", PatternType.LITERAL);
      grants.add(grant(PROGRAM, in, WRITE));
      grants.add(grant(PROGRAM, in, DESCRIBE));
      admin.createAcls(grants).all().get();
      ScramCredentialInfo info = new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, ITERATIONS);
      admin
          .alterUserScramCredentials(
              List.of(
                  new UserScramCredentialUpsertion(USER, info, password),
                  new UserScramCredentialUpsertion(PROGRAM, info, PROGRAMS_PASSWORD)))
          .all()
          .get();
    }
  }

  private static void prefixed(
      List<AclBinding> grants, ResourceType type, AclOperation... operations) {
    for (AclOperation operation : operations) {
      grants.add(
          grant(USER, new ResourcePattern(type, "forebay.", PatternType.PREFIXED), operation));
    }
  }

  private static AclBinding grant(String user, ResourcePattern to, AclOperation operation) {
    return new AclBinding(
        to, new AccessControlEntry("User:" + user, "*", operation, AclPermissionType.ALLOW));
  }

  /** The properties of a Forebay with a password, right or wrong. */
  List<String> client(String password) {
    List<String> properties = new ArrayList<>();
    client(USER, password)
        .forEach((name, value) -> {
          boolean own = name.equals("bootstrap.servers");
          properties.add(
              (own ? "forebay.kafka.bootstrap-servers" : "forebay.kafka.properties." + name)
                  + "="
                  + value);
        });
    return properties;
  }

  /** The properties of the Kafka clients of the other program. */
  Map<String, Object> program() {
    return new HashMap<>(client(PROGRAM, PROGRAMS_PASSWORD));
  }

  private Map<String, String> client(String user, String password) {
    return Map.of(
        "bootstrap.servers",
        "127.0.0.1:" + secured,
        "security.protocol",
        "SASL_SSL",
        "ssl.truststore.type",
        "PEM",
        "ssl.truststore.location",
        certificate.toString(),
        "sasl.mechanism",
        "SCRAM-SHA-256",
        "sasl.jaas.config",
        "org.apache.kafka.common.security.scram.ScramLoginModule"
            + " required username=\"%s\" password=\"%s\";".formatted(user, password));
  }
}
