/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import io.forebay.kafka.broker.BrokerProcess;
import io.forebay.kafka.broker.TestBroker;
import io.forebay.testing.Ports;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.awaitility.Awaitility;

/**
 * Three brokers, one of which may be lost: every topic has three replicas and needs two in sync.
 */
final class TestCluster implements AutoCloseable {

  private static final int SIZE = 3;

  private final List<BrokerProcess> brokers;

  private TestCluster(List<BrokerProcess> brokers) {
    this.brokers = brokers;
  }

  static TestCluster start() {
    List<Integer> ports = Stream.generate(Ports::free).limit(2 * SIZE).toList();
    List<String> voters = new ArrayList<>();
    for (int node = 1; node <= SIZE; node++) {
      voters.add(node + "@127.0.0.1:" + ports.get(SIZE + node - 1));
    }
    List<CompletableFuture<BrokerProcess>> starting = new ArrayList<>();
    for (int node = 1; node <= SIZE; node++) {
      int id = node;
      // none of them listens until two have started
      starting.add(
          CompletableFuture.supplyAsync(
              () -> start(id, ports, voters), Thread::startVirtualThread));
    }
    return new TestCluster(starting.stream().map(CompletableFuture::join).toList());
  }

  private static BrokerProcess start(int node, List<Integer> ports, List<String> voters) {
    int port = ports.get(node - 1);
    int controller = ports.get(SIZE + node - 1);
    Map<String, String> properties = new HashMap<>();
    properties.put("node.id", Integer.toString(node));
    properties.put("controller.quorum.voters", String.join(",", voters));
    properties.put(
        "listeners",
        "PLAINTEXT://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d".formatted(port, controller));
    properties.put("default.replication.factor", "3");
    properties.put("min.insync.replicas", "2");
    for (String topic :
        List.of("offsets.topic", "transaction.state.log", "share.coordinator.state.topic")) {
      properties.put(topic + ".replication.factor", "3");
      properties.put(topic + ".num.partitions", "3");
    }
    properties.put("transaction.state.log.min.isr", "2");
    properties.put("share.coordinator.state.topic.min.isr", "2");
    properties.put("unclean.leader.election.enable", "false");
    return TestBroker.start(FaultRun.temporary("broker-" + node), port, properties);
  }

  int size() {
    return brokers.size();
  }

  BrokerProcess broker(int index) {
    return brokers.get(index);
  }

  String bootstrap() {
    return brokers.stream().map(BrokerProcess::bootstrap).collect(Collectors.joining(","));
  }

  /** Waits until every partition of every topic has all its replicas in sync. */
  void awaitInSync() {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap()))) {
      Awaitility.await()
          .pollInterval(Duration.ofMillis(200))
          .ignoreExceptions()
          .until(() -> inSync(admin));
    }
  }

  private static boolean inSync(Admin admin) throws Exception {
    Set<String> topics = admin.listTopics(new ListTopicsOptions().listInternal(true)).names().get();
    return admin.describeTopics(topics).allTopicNames().get().values().stream()
        .flatMap(topic -> topic.partitions().stream())
        .allMatch(partition -> partition.isr().size() == SIZE);
  }

  @Override
  public void close() {
    brokers.forEach(
        BrokerProcess::kill); // a graceful shutdown takes long, and that of the last broker hangs
  }
}
