/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Import;

/**
 * The HTTP endpoint of the {@link ListService} beans, if a {@link ChunkGrants} bean decides who may
 * call.
 */
@AutoConfiguration
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBean(ChunkGrants.class)
@EnableConfigurationProperties(ChunksProperties.class)
@Import(ChunksController.class)
class ChunksHttpAutoConfiguration {}
