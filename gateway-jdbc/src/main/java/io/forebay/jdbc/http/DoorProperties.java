/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.jdbc.http.body.ByteBudget;
import io.forebay.jdbc.http.limit.CallerLimits;
import io.forebay.jdbc.http.limit.Callers;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Min;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.Errors;
import org.springframework.validation.Validator;
import org.springframework.validation.annotation.Validated;

/**
 * @param catalogue YAML files of statements, as file:… or classpath:…; none:
 *     file:${forebay.data}/catalogue.yaml, if it exists.
 * @param maxBody The maximum size of a request body; from 1B to 16MB.
 * @param maxBodies The most memory that request bodies above 8KB may take at once, those of one
 *     caller a quarter of it, or one body; none: an eighth of the heap, at least max-body.
 * @param maxResults The most memory that results above 8KB may take while they are sent, unless
 *     there is only one; none: an eighth of the heap.
 * @param maxWait The longest time that a request may ask to wait for its result.
 * @param maxWaiting The most requests that may wait for results at the same time.
 * @param maxStreams The most streams that may be sent at the same time.
 * @param acceptTimeout How long a request waits until its statement is stored safely; after that
 *     its outcome is unknown.
 * @param eachCaller Limits of each caller that callers does not name; none: no limits.
 * @param callers Limits of single callers, by name, instead of those of each-caller; none: all have
 *     those of each-caller.
 */
@ConfigurationProperties("forebay.door")
@Validated
record DoorProperties(
    @DefaultValue List<String> catalogue,
    @DefaultValue("1MB") DataSize maxBody,
    @Nullable DataSize maxBodies,
    @Nullable DataSize maxResults,
    @DefaultValue("30s") @DurationMin Duration maxWait,
    @DefaultValue("1000") @Min(0) int maxWaiting,
    @DefaultValue("64") @Min(0) int maxStreams,
    @DefaultValue("10s") @DurationMin(millis = 1) Duration acceptTimeout,
    @Valid @NestedConfigurationProperty @Nullable CallerLimits eachCaller,
    @DefaultValue Map<String, @Valid CallerLimits> callers)
    implements Validator {

  private static final DataSize LARGEST_BODY = DataSize.ofMegabytes(16);

  int maxBodyBytes() {
    return Math.toIntExact(maxBody.toBytes());
  }

  long maxResultsBytes() {
    return maxResults == null ? Runtime.getRuntime().maxMemory() / 8 : maxResults.toBytes();
  }

  Callers limitedCallers() {
    CallerLimits each = eachCaller == null ? CallerLimits.NONE : eachCaller;
    long most =
        maxBodies == null
            ? Math.max(maxBody.toBytes(), Runtime.getRuntime().maxMemory() / 8)
            : maxBodies.toBytes();
    ByteBudget bodies = new ByteBudget(most);
    return new Callers(
        each, callers, () -> bodies.part(Math.clamp(maxBody.toBytes(), most / 4, most / 2)));
  }

  @Override
  public boolean supports(Class<?> type) {
    return type == DoorProperties.class;
  }

  @Override
  public void validate(Object target, Errors errors) {
    if (maxBody.toBytes() < 1 || maxBody.compareTo(LARGEST_BODY) > 0) {
      errors.rejectValue("maxBody", "size", "must be from 1B to 16MB");
    }
    if (maxBodies != null && maxBodies.compareTo(maxBody) < 0) {
      errors.rejectValue("maxBodies", "size", "must be at least max-body");
    }
    if (maxResults != null && maxResults.toBytes() < 1) {
      errors.rejectValue("maxResults", "size", "must be at least 1B");
    }
    if (eachCaller != null) {
      eachCaller.check("eachCaller", errors);
    }
    callers.forEach((name, limits) -> limits.check("callers[" + name + "]", errors));
  }
}
