/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.jdbc.http.body.ByteBudget;
import io.forebay.jdbc.http.limit.CallerLimits;
import io.forebay.jdbc.http.limit.Callers;
import jakarta.validation.Valid;
import java.util.List;
import java.util.Map;
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
 * @param eachCaller Limits of each caller that callers does not name; none: no limits.
 * @param callers Limits of single callers, by name, instead of those of each-caller; none: all have
 *     those of each-caller.
 */
@ConfigurationProperties("forebay.door")
@Validated
record DoorProperties(
    @DefaultValue List<String> catalogue,
    @DefaultValue("1MB") DataSize maxBody,
    @Valid @NestedConfigurationProperty @Nullable CallerLimits eachCaller,
    @DefaultValue Map<String, @Valid CallerLimits> callers)
    implements Validator {

  private static final DataSize LARGEST_BODY = DataSize.ofMegabytes(16);

  int maxBodyBytes() {
    return Math.toIntExact(maxBody.toBytes());
  }

  /**
   * @param bodyBytes the most memory of request bodies
   */
  Callers limitedCallers(long bodyBytes) {
    CallerLimits each = eachCaller == null ? CallerLimits.NONE : eachCaller;
    long most = Math.max(maxBody.toBytes(), bodyBytes);
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
    if (eachCaller != null) {
      eachCaller.check("eachCaller", errors);
    }
    callers.forEach((name, limits) -> limits.check("callers[" + name + "]", errors));
  }
}
