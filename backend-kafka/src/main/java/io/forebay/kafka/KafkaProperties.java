/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Pattern;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

/**
 * @param bootstrapServers Where the cluster is found; host:port, several separated by commas.
 * @param prefix What the names of topics and consumer groups begin with.
 * @param replicationFactor Of topics that are created; without it the cluster's default.
 * @param retention How long topics that are created keep messages, performed or not.
 * @param refuseAfter Messages are refused while one before them has not been acknowledged for so
 *     long.
 * @param buffer What each queue may hold of messages that are not acknowledged yet.
 * @param properties Of every Kafka client, such as those of SASL and TLS, by their Kafka names.
 */
@ConfigurationProperties("forebay.kafka")
@Validated
record KafkaProperties(
    @DefaultValue("localhost:9092") @NotBlank String bootstrapServers,
    @DefaultValue("forebay.")
        @Pattern(
            regexp = "[a-zA-Z0-9._-]{0,100}",
            message = "must be letters, digits, '.', '_' and '-', at most 100")
        String prefix,
    @Min(1) @Max(32767) @Nullable Integer replicationFactor,
    @DefaultValue("7d") Duration retention,
    @DefaultValue("5s") Duration refuseAfter,
    @DefaultValue("32MB") DataSize buffer,
    Map<String, String> properties) {

  KafkaProperties {
    properties = properties == null ? Map.of() : Map.copyOf(properties);
  }

  KafkaBackend.Options options() {
    Map<String, String> client = new HashMap<>(properties);
    client.put("bootstrap.servers", bootstrapServers);
    return new KafkaBackend.Options(
        client,
        prefix,
        replicationFactor == null ? OptionalInt.empty() : OptionalInt.of(replicationFactor),
        retention,
        refuseAfter,
        buffer.toBytes());
  }
}
