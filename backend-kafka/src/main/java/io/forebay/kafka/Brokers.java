/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.operations.StartRefused;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails;
import org.springframework.util.ClassUtils;

/** Finds the brokers. */
final class Brokers {

  private static final String DETAILS =
      "org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails";

  private Brokers() {}

  /**
   * The properties of Kafka's clients that say where the cluster is: as configured for Forebay, or
   * else as Spring Boot knows it, which may be from a container.
   *
   * @throws StartRefused if Spring Boot's clients use an SSL bundle there
   */
  static Map<String, String> of(KafkaProperties properties, BeanFactory beans) {
    String own = properties.properties().get("bootstrap.servers");
    if (own != null) {
      return Map.of("bootstrap.servers", own);
    }
    Map<String, String> found =
        ClassUtils.isPresent(DETAILS, Brokers.class.getClassLoader())
            ? OfSpringBoot.find(beans)
            : null;
    return found == null ? Map.of("bootstrap.servers", "localhost:9092") : found;
  }

  /** Is loaded only if spring-boot-kafka is on the class path. */
  private static final class OfSpringBoot {

    static @Nullable Map<String, String> find(BeanFactory beans) {
      KafkaConnectionDetails details =
          beans.getBeanProvider(KafkaConnectionDetails.class).getIfUnique();
      if (details == null) {
        return null;
      }
      if (details.getSslBundle() != null) {
        throw new StartRefused(
            "Forebay does not use the SSL bundle of Spring Boot's KafkaConnectionDetails; set"
                + " bootstrap.servers and TLS in forebay.kafka.properties (docs/kafka.md)");
      }
      Map<String, String> client = new HashMap<>();
      client.put("bootstrap.servers", String.join(",", details.getBootstrapServers()));
      String protocol = details.getSecurityProtocol();
      if (protocol != null) {
        client.put("security.protocol", protocol);
      }
      return client;
    }
  }
}
