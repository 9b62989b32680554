/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.queue.sender.SenderKeys;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Pattern;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.Errors;
import org.springframework.validation.Validator;
import org.springframework.validation.annotation.Validated;

/**
 * @param prefix Prefix of the names of topics and consumer groups.
 * @param replicationFactor Replicas of topics that Forebay creates; none: the cluster's default.
 * @param retention How long topics that Forebay creates keep messages, performed or not; at least
 *     1h.
 * @param properties Properties of every Kafka client, such as those of SASL and TLS, by their Kafka
 *     names; without bootstrap.servers, the brokers are those of Spring Boot's
 *     KafkaConnectionDetails (start.md), and without them localhost:9092; none: no properties.
 * @param senderKeys Secrets with which instances prove which messages they wrote, at least 32
 *     characters each; the first one is for new messages; none: one in the system database.
 */
@ConfigurationProperties("forebay.kafka")
@Validated
record KafkaProperties(
    @DefaultValue("forebay.")
        @Pattern(
            regexp = "[a-zA-Z0-9._-]{0,100}",
            message = "must be letters, digits, '.', '_' and '-', at most 100")
        String prefix,
    @Min(1) @Max(32767) @Nullable Integer replicationFactor,
    @DefaultValue("7d") Duration retention,
    Map<String, String> properties,
    List<String> senderKeys)
    implements Validator {

  private static final Duration SHORTEST_RETENTION = Duration.ofHours(1);

  private static final int SHORTEST_KEY = 32;

  KafkaProperties {
    properties = properties == null ? Map.of() : Map.copyOf(properties);
    senderKeys = senderKeys == null ? List.of() : List.copyOf(senderKeys);
  }

  @Override
  public boolean supports(Class<?> type) {
    return type == KafkaProperties.class;
  }

  @Override
  public void validate(Object target, Errors errors) {
    if (retention.compareTo(SHORTEST_RETENTION) < 0) {
      errors.rejectValue(
          "retention",
          "range",
          "must be at least 1h, because older messages are deleted, performed or"
              + " not; to keep messages for ever, set retention.ms=-1 on the topic");
    }
    if (senderKeys.stream().anyMatch(key -> key.length() < SHORTEST_KEY)) {
      errors.rejectValue(
          "senderKeys", "range", "each must have at least %d characters".formatted(SHORTEST_KEY));
    }
    OwnProperties.reasons(properties.keySet())
        .forEach((key, reason) -> errors.rejectValue("properties." + key, "own", reason));
  }

  /**
   * @param brokers properties that say where the cluster is, unless they are configured
   * @param stored used if no keys are configured
   * @param trustUnproven whether messages without a proof may name any sender
   */
  KafkaBackend.Options options(
      Map<String, String> brokers, SenderKeys stored, boolean trustUnproven) {
    Map<String, String> client = new HashMap<>(properties);
    brokers.forEach(client::putIfAbsent);
    return new KafkaBackend.Options(
        client,
        prefix,
        replicationFactor == null ? OptionalInt.empty() : OptionalInt.of(replicationFactor),
        retention,
        senderKeys.isEmpty() ? stored : () -> senderKeys,
        trustUnproven);
  }

  /** Omits the properties, which may contain secrets. */
  @Override
  public String toString() {
    return "Kafka, prefix %s".formatted(prefix);
  }
}
