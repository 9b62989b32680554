/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import java.time.Duration;
import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * @param kept How long audit entries are kept before they are deleted; at least 1h.
 */
@ConfigurationProperties("forebay.audit")
@Validated
record AuditProperties(@DefaultValue("400d") @DurationMin(hours = 1) Duration kept) {}
