/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.alerts;

import io.forebay.admin.history.HistoryDirectory;
import io.forebay.capacity.Alert.Severity;
import io.forebay.operations.DataDirectory;
import io.forebay.operations.Instance;
import io.forebay.operations.Services;
import java.net.URI;
import java.time.InstantSource;
import java.util.Objects;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Keeps the history of alerts, and reports them to a webhook if one is configured. */
@AutoConfiguration(
    afterName = {
      "io.forebay.spring.OperationsAutoConfiguration",
      "io.forebay.spring.PlatformAutoConfiguration",
      "io.forebay.jdbc.spring.GatewayOperationsAutoConfiguration"
    })
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBean({Services.class, DataDirectory.class})
@EnableConfigurationProperties(WebhookProperties.class)
class AlertsAutoConfiguration {

  private static final InstantSource CLOCK = InstantSource.system();

  @Bean
  AlertLog forebayAlertLog(HistoryDirectory directory) {
    return new AlertLog(directory);
  }

  @Bean
  @ConditionalOnProperty("forebay.admin.webhook.url")
  Notifier forebayAlertNotifier(
      AlertLog alerts, Peers peers, WebhookProperties properties, Instance instance) {
    Webhook webhook =
        new Webhook(
            URI.create(Objects.requireNonNull(properties.url())),
            Objects.requireNonNull(properties.secret()),
            instance.name(),
            CLOCK);
    return new Notifier(
        alerts,
        peers,
        webhook,
        instance.name(),
        properties.watch() ? Severity.WATCH : Severity.BAD,
        CLOCK);
  }
}
