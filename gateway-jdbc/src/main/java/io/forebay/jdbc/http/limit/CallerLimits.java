/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http.limit;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.validation.Errors;

/**
 * What one caller may do at each instance. It is bound as a value of a map; the annotation only
 * documents its properties, with {@code main} as an example.
 *
 * @param rate The most statements per second at each instance, on average; up to 1000000; none: no
 *     limit.
 * @param burst The most statements that may come at once after a pause; none: as many as rate.
 * @param maxRequests The most requests and streams at the same time at each instance; none: no
 *     limit.
 */
@ConfigurationProperties("forebay.door.callers.main")
public record CallerLimits(
    @Nullable @Min(1) @Max(1_000_000) Integer rate,
    @Nullable @Min(1) Integer burst,
    @Nullable @Min(1) Integer maxRequests) {

  public static final CallerLimits NONE = new CallerLimits(null, null, null);

  boolean isNone() {
    return equals(NONE);
  }

  /**
   * Adds the violations that annotations cannot express.
   *
   * @param field the property that has these limits
   */
  public void check(String field, Errors errors) {
    if (burst != null && rate == null) {
      errors.rejectValue(field + ".burst", "burst", "needs rate");
    }
  }
}
