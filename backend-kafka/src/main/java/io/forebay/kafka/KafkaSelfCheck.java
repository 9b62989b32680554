/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.operations.Loopback;
import io.forebay.operations.SelfCheck;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueTrouble;
import io.forebay.queue.QueueUnavailable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Checks whether the cluster is available, whether connections to it are encrypted, and whether the
 * topics meet Forebay's guarantees.
 */
final class KafkaSelfCheck implements SelfCheck {

  private final KafkaBackend backend;

  KafkaSelfCheck(KafkaBackend backend) {
    this.backend = backend;
  }

  @Override
  public List<Result> run() {
    List<KafkaMessageQueue> queues = backend.queues();
    List<Result> results = new ArrayList<>();
    boolean answers = queues.stream().anyMatch(queue -> queue.trouble().isEmpty());
    results.add(new Result("Kafka", answers ? State.OK : State.UNKNOWN, backend.place()));
    results.add(encryption(backend.client()));
    results.add(senders());
    for (KafkaMessageQueue queue : queues) {
      String check = "topic of " + queue.name();
      QueueTrouble trouble = queue.trouble().orElse(null);
      if (trouble != null) {
        State state =
            trouble.reason() == QueueRefused.Reason.UNAVAILABLE ? State.UNKNOWN : State.FAILED;
        results.add(new Result(check, state, trouble.text(), Harm.OUTAGE, null));
      } else if (queue.warnings().isEmpty()) {
        results.add(new Result(check, State.OK, queue.description()));
      } else {
        queue
            .warnings()
            .forEach(it -> results.add(new Result(check, State.WARN, it, Harm.LOSS, null)));
      }
    }
    return results;
  }

  private Result senders() {
    String check = "senders of messages";
    if (backend.trustsUnproven()) {
      return new Result(
          check,
          State.WARN,
          "every program that can write to a topic can act as any caller",
          Harm.ACCESS,
          "Set forebay.kafka.trust-unproven to false when all instances are updated.");
    }
    try {
      return backend
          .differenceOfKeys()
          .map(it -> new Result(check, State.FAILED, it, Harm.OUTAGE, null))
          .orElseGet(() -> new Result(check, State.OK, "a message without proof is of kafka:NAME"));
    } catch (QueueUnavailable e) {
      return new Result(
          check, State.UNKNOWN, "whether other instances have the same key: " + e.getMessage());
    }
  }

  /** Judges by the addresses that are configured; brokers may advertise others. */
  static Result encryption(Map<String, String> client) {
    String check = "TLS to Kafka";
    if (Loopback.areAll(client.getOrDefault("bootstrap.servers", ""))) {
      return new Result(check, State.OK, "the brokers are on this host");
    }
    String protocol =
        client.getOrDefault("security.protocol", "PLAINTEXT").toUpperCase(Locale.ROOT);
    String text = "security.protocol is " + protocol;
    if (!protocol.equals("SSL") && !protocol.equals("SASL_SSL")) {
      return new Result(
          check,
          State.WARN,
          text + ": passwords and messages cross the network in plain text",
          Harm.ACCESS,
          "Set security.protocol to SASL_SSL in forebay.kafka.properties.");
    }
    return client.getOrDefault("ssl.endpoint.identification.algorithm", "https").isBlank()
        ? new Result(
            check,
            State.WARN,
            text + ": encrypted, but the names of the brokers are not checked",
            Harm.ACCESS,
            "Remove ssl.endpoint.identification.algorithm from forebay.kafka.properties.")
        : new Result(check, State.OK, text + ": encrypted, to brokers of these names");
  }
}
