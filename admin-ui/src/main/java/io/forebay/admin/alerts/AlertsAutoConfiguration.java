/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.alerts;

import io.forebay.admin.AdminConfiguration;
import io.forebay.operations.DataDirectory;
import io.forebay.operations.Instance;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Keeps the alerts of a day, and reports changes to a webhook if one is configured. */
@AdminConfiguration
@ConditionalOnBean(DataDirectory.class)
@EnableConfigurationProperties(WebhookProperties.class)
class AlertsAutoConfiguration {

  @Bean
  AlertLog forebayAlertLog(ObjectProvider<Webhook> webhook) {
    Webhook reported = webhook.getIfAvailable();
    return reported == null ? new AlertLog() : new AlertLog(reported);
  }

  @Bean
  @ConditionalOnProperty("forebay.admin.webhook.url")
  Webhook forebayAlertWebhook(WebhookProperties properties, Instance instance) {
    return new Webhook(
        URI.create(Objects.requireNonNull(properties.url())),
        Objects.requireNonNull(properties.secret()),
        instance.name(),
        InstantSource.system(),
        Duration.ofSeconds(1));
  }
}
