/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system.callers;

import io.forebay.operations.callers.RateLimits;
import io.forebay.system.SystemDatabase;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/** The store of limits of callers. */
@AutoConfiguration(afterName = "io.forebay.system.SystemDatabaseAutoConfiguration")
@ConditionalOnBean(SystemDatabase.class)
class CallersAutoConfiguration {

  @Bean
  @Lazy
  @ConditionalOnMissingBean(RateLimits.class)
  RateLimitTable forebayRateLimits(SystemDatabase database) {
    return new RateLimitTable(database);
  }
}
