/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import io.forebay.access.FirstAccess;
import io.forebay.access.Passwords;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * @param newAdminToken Makes another token of role admin once, named `admin-` and this value, such
 *     as the date, in case all admin tokens are lost; it ends after 24 hours. A later start with
 *     the same value makes none.
 * @param firstToken The text of the first token, `fb_` and 43 letters, digits, hyphens or
 *     underscores, as a secret; it ends after 24 hours. Without it the first start generates it and
 *     shows it on the terminal, or writes it to the file `admin-credentials` in the data directory.
 * @param firstPassword The first password of user `admin`, 12 to 200 characters, as a secret; it
 *     must be changed at the first login. Without it the first start generates it.
 * @param refresh How often tokens, users and sessions are read from the system database; changes
 *     made at another instance take effect that much later; at least 100ms.
 * @param freeFailures How many wrong tokens, or wrong passwords, an address may present before it
 *     has to wait; after 10 minutes without one, the count begins again at 0.
 * @param sessionIdle How long an unused session of the admin page stays valid; at least 1m.
 */
@ConfigurationProperties("forebay.security")
record SecurityProperties(
    @DefaultValue("") @Pattern(regexp = "[A-Za-z0-9._-]{0,90}") String newAdminToken,
    @Nullable @Pattern(regexp = "fb_[A-Za-z0-9_-]{43}") String firstToken,
    @Nullable @Size(min = Passwords.SHORTEST, max = Passwords.LONGEST) String firstPassword,
    @DefaultValue("2s") @DurationMin(millis = 100) Duration refresh,
    @DefaultValue("20") @Min(1) int freeFailures,
    @DefaultValue("12h") @DurationMin(minutes = 1) Duration sessionIdle) {

  private static final String NONE = "false";

  FirstAccess.Wanted first() {
    return new FirstAccess.Wanted(
        firstToken, firstPassword, newAdminToken.equals(NONE) ? "" : newAdminToken);
  }

  /** Without the secrets. */
  @Override
  public String toString() {
    return "SecurityProperties[newAdminToken=%s, refresh=%s, freeFailures=%d, sessionIdle=%s]"
        .formatted(newAdminToken, refresh, freeFailures, sessionIdle);
  }
}
