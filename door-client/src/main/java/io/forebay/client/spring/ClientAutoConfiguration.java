/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.client.spring;

import io.forebay.client.DoorClient;
import io.forebay.client.DoorOptions;
import java.util.Objects;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;

/** A client of the door at {@code forebay.client.url}, unless the application defines its own. */
@AutoConfiguration(after = SslAutoConfiguration.class)
@ConditionalOnProperty("forebay.client.url")
@EnableConfigurationProperties(ClientProperties.class)
class ClientAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean
  DoorClient forebayDoorClient(ClientProperties properties, ObjectProvider<SslBundles> bundles) {
    DoorOptions options =
        DoorOptions.defaults()
            .withConnectTimeout(properties.connectTimeout())
            .withRequestTimeout(properties.requestTimeout())
            .withRetryFor(properties.retryFor());
    String bundle = properties.sslBundle();
    if (bundle != null) {
      options = options.withSslContext(bundles.getObject().getBundle(bundle).createSslContext());
    }
    if (properties.allowPlainHttp()) {
      options = options.withPlainHttp();
    }
    String token = properties.token();
    return DoorClient.to(
        Objects.requireNonNull(properties.url()),
        token == null ? options : options.withToken(token));
  }
}
