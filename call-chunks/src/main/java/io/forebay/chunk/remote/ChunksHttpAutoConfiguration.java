/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;

/**
 * The HTTP endpoint of the {@link ListService} beans, if a {@link ChunkGrants} bean decides who may
 * call.
 */
@AutoConfiguration
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBean(ChunkGrants.class)
@EnableConfigurationProperties(ChunksProperties.class)
class ChunksHttpAutoConfiguration {

  static final String CHUNKS = "/api/v1/chunks";

  /** Before the mappings of annotated controllers. */
  private static final int ORDER = -1;

  @Bean
  SimpleUrlHandlerMapping forebayChunks(
      ObjectProvider<ListService<?, ?>> services, ChunkGrants grants, ChunksProperties limits) {
    List<ListService<?, ?>> all = services.stream().toList();
    return new SimpleUrlHandlerMapping(
        Map.of(CHUNKS + "/{name}", new ChunksResource(all, grants, limits)), ORDER);
  }
}
