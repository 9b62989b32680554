/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.security;

import jakarta.validation.constraints.Min;
import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * @param newAdminToken Whether this start makes a new token of role admin and prints it, for
 *     somebody who lost all of them; to be left out again at the next start.
 * @param refresh How often tokens, users and sessions are read from the system database; what was
 *     made or deleted at another instance counts that much later; at least 100ms.
 * @param freeFailures How many wrong tokens, or wrong passwords, in a row an address may present
 *     before it is told to wait.
 * @param sessionIdle How long a session of the admin page stays without being used; at least 1m.
 */
@ConfigurationProperties("forebay.security")
@Validated
record SecurityProperties(
    @DefaultValue("false") boolean newAdminToken,
    @DefaultValue("2s") @DurationMin(millis = 100) Duration refresh,
    @DefaultValue("20") @Min(1) int freeFailures,
    @DefaultValue("12h") @DurationMin(minutes = 1) Duration sessionIdle) {}
