/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import jakarta.validation.constraints.Min;
import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * @param newAdminToken Whether this start creates and prints a new token of role admin, in case all
 *     admin tokens are lost; remove this property before the next start.
 * @param refresh How often tokens, users and sessions are read from the system database; changes
 *     made at another instance take effect that much later; at least 100ms.
 * @param freeFailures How many wrong tokens, or wrong passwords, an address may present before it
 *     has to wait; after 10 minutes without one, the count begins again at 0.
 * @param sessionIdle How long an unused session of the admin page stays valid; at least 1m.
 */
@ConfigurationProperties("forebay.security")
record SecurityProperties(
    @DefaultValue("false") boolean newAdminToken,
    @DefaultValue("2s") @DurationMin(millis = 100) Duration refresh,
    @DefaultValue("20") @Min(1) int freeFailures,
    @DefaultValue("12h") @DurationMin(minutes = 1) Duration sessionIdle) {}
