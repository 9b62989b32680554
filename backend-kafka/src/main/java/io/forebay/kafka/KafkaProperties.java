/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Pattern;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.Errors;
import org.springframework.validation.Validator;
import org.springframework.validation.annotation.Validated;

/**
 * @param bootstrapServers Where the cluster is found; host:port, several separated by commas.
 * @param prefix What the names of topics and consumer groups begin with.
 * @param replicationFactor Of topics that are created; none: the cluster's default.
 * @param retention How long topics that are created keep messages, performed or not; at least 1h.
 * @param refuseAfter Messages are refused while one before them has not been acknowledged for so
 *     long; at least 1s.
 * @param buffer What each queue may hold of messages that are not acknowledged yet; at least 2MB.
 * @param properties Of every Kafka client, such as those of SASL and TLS, by their Kafka names, but
 *     for those that Forebay sets itself; none: no more than these.
 * @param dev A broker of this process's own, for development; profile kafka-dev has it.
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
    Map<String, String> properties,
    @DefaultValue @Valid @NestedConfigurationProperty Dev dev)
    implements Validator {

  private static final Duration SHORTEST_RETENTION = Duration.ofHours(1);
  private static final Duration SHORTEST_PATIENCE = Duration.ofSeconds(1);

  /** Room for the largest message while another is on its way. */
  private static final DataSize LEAST_BUFFER = DataSize.ofMegabytes(2);

  /**
   * @param enabled Starts a broker as a child process and uses that; bootstrap-servers is not
   *     heeded.
   * @param classPath File with the class path of the broker; required with enabled, and given by
   *     mvn spring-boot:run.
   * @param port Where it listens on 127.0.0.1; 0: on a free port.
   */
  record Dev(
      @DefaultValue("false") boolean enabled,
      @Nullable Path classPath,
      @DefaultValue("0") @Min(0) @Max(65535) int port) {}

  KafkaProperties {
    properties = properties == null ? Map.of() : Map.copyOf(properties);
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
    if (refuseAfter.compareTo(SHORTEST_PATIENCE) < 0) {
      errors.rejectValue("refuseAfter", "range", "must be at least 1s");
    }
    if (buffer.compareTo(LEAST_BUFFER) < 0) {
      errors.rejectValue(
          "buffer", "range", "must be at least 2MB, so that the largest message fits");
    }
    OwnProperties.reasons(properties.keySet())
        .forEach((key, reason) -> errors.rejectValue("properties." + key, "own", reason));
  }

  /**
   * @param servers where the cluster is found
   */
  KafkaBackend.Options options(String servers) {
    Map<String, String> client = new HashMap<>(properties);
    client.put("bootstrap.servers", servers);
    return new KafkaBackend.Options(
        client,
        prefix,
        replicationFactor == null ? OptionalInt.empty() : OptionalInt.of(replicationFactor),
        retention,
        refuseAfter,
        buffer.toBytes());
  }

  /** Without the properties, which may hold secrets. */
  @Override
  public String toString() {
    return "Kafka at " + bootstrapServers + ", prefix " + prefix;
  }
}
