/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import io.forebay.access.FirstAccess;
import io.forebay.access.TokenText;
import jakarta.validation.constraints.Pattern;
import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * @param newAdminToken Makes another token of role admin, named `admin-` and this value, such as
 *     the date, unless there is one; it ends after 24 hours; `false` or none: no token.
 * @param firstToken The text of the first token, `fb_` and 43 letters, digits, hyphens or
 *     underscores, as a secret; it ends after 24 hours; none: the first start generates it.
 * @param sessionLifetime How long a login to the admin page stays valid, even if it is used; at
 *     least 1m.
 * @param tokenLifetime How long a token is valid that is created, at most and by default; from 1m
 *     to 3650d.
 */
@ConfigurationProperties("forebay.security")
@Validated
record SecurityProperties(
    @Pattern(
            regexp = "[A-Za-z0-9._-]{0,90}",
            message = "must be at most 90 letters, digits, dots, underscores and hyphens")
        @Nullable String newAdminToken,
    @Pattern(
            regexp = TokenText.FORM,
            message = "must be fb_ and 43 letters, digits, hyphens or underscores")
        @Nullable String firstToken,
    @DefaultValue("12h") @DurationMin(minutes = 1) Duration sessionLifetime,
    @DefaultValue("365d") @DurationMin(minutes = 1) @DurationMax(days = 3_650)
        Duration tokenLifetime) {

  private static final String NONE = "false";

  FirstAccess.Wanted first() {
    String ending = newAdminToken == null || newAdminToken.equals(NONE) ? "" : newAdminToken;
    return new FirstAccess.Wanted(firstToken, ending);
  }

  /** Without the secret. */
  @Override
  public String toString() {
    return "SecurityProperties[sessionLifetime=%s, tokenLifetime=%s]"
        .formatted(sessionLifetime, tokenLifetime);
  }
}
