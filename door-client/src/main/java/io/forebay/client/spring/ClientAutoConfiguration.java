/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.client.spring;

import io.forebay.client.DoorClient;
import io.forebay.client.DoorOptions;
import java.net.URI;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.util.StringUtils;

/**
 * A client of the door, unless the application defines its own. The door is at {@code
 * forebay.client.url}, or where other {@link DoorConnectionDetails} say.
 */
@AutoConfiguration(after = SslAutoConfiguration.class)
@EnableConfigurationProperties(ClientProperties.class)
class ClientAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean
  @ConditionalOnProperty("forebay.client.url")
  DoorConnectionDetails forebayDoorConnectionDetails(ClientProperties properties) {
    return new DoorConnectionDetails() {
      @Override
      public URI getUrl() {
        return Objects.requireNonNull(properties.url());
      }

      @Override
      public @Nullable String getToken() {
        return properties.token();
      }
    };
  }

  @Bean
  @ConditionalOnMissingBean
  @ConditionalOnBean(DoorConnectionDetails.class)
  DoorClient forebayDoorClient(
      DoorConnectionDetails door,
      ClientProperties properties,
      ObjectProvider<SslBundles> bundles,
      @Value("${spring.http.clients.ssl.bundle:#{null}}") @Nullable String bundle) {
    DoorOptions options = DoorOptions.defaults();
    if (StringUtils.hasLength(bundle)) {
      options = options.withSslContext(bundles.getObject().getBundle(bundle).createSslContext());
    }
    if (properties.allowPlainHttp() || door.allowsPlainHttp()) {
      options = options.withPlainHttp();
    }
    String token = door.getToken();
    return DoorClient.to(door.getUrl(), token == null ? options : options.withToken(token));
  }
}
