/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.letters;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The job premium-letters, for demonstration and measurements.
 *
 * @param enabled Whether the job premium-letters exists, with the services customers and addresses;
 *     its tables are created in the system database, by the owner of schema forebay.
 * @param contracts How many contracts there shall be; the first step adds missing ones.
 * @param stepChunk How many letters are committed together.
 * @param services The address at which the services are called over HTTP.
 * @param token The token for HTTP calls, which must be granted both services; none: the HTTP
 *     variants fail.
 */
@ConfigurationProperties("forebay.jobs.letters")
record LettersProperties(
    @DefaultValue("false") boolean enabled,
    @DefaultValue("10000") @Min(1) @Max(10_000_000) int contracts,
    @DefaultValue("1000") @Min(1) @Max(100_000) int stepChunk,
    @DefaultValue("http://127.0.0.1:8080/api/v1/chunks/") URI services,
    @Nullable String token) {

  @Override
  public String toString() {
    return "LettersProperties[enabled=%s, contracts=%d, services=%s, token=%s]"
        .formatted(enabled, contracts, services, token == null ? "none" : "given");
  }
}
