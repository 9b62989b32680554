/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Injects the {@link ChunkedService} of this name into a Spring bean:
 *
 * <pre>{@code
 * @Bean
 * ChunkingItemProcessor<Article, Priced> pricing(
 *     @Chunked("prices") ChunkedService<Article, BigDecimal> prices) {
 *   return ChunkingItemProcessor.of(article -> new Priced(article.id(), prices.call(article)));
 * }
 * }</pre>
 *
 * <p>The service is a {@link io.forebay.chunk.remote.ListService} bean of this application, unless
 * {@code forebay.chunks.services.<name>.at} says where it is. The types of the injection point are
 * those of the service: the application does not start if a service of this application has other
 * types, or if there is no such service. Properties of the same name limit its chunks.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.FIELD, ElementType.PARAMETER})
public @interface Chunked {

  /** The name of the service, as given to its {@code ListService}. */
  String value();
}
