/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import io.forebay.chunk.ChunkFunction;
import io.forebay.chunk.remote.Parcel.Label;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Chunks over HTTP, between this process and itself. */
class HttpTransportTest extends ChunkTransportContract {

  private static ChunksServer server;

  @Configuration(proxyBeanMethods = false)
  static class Services {

    @Bean
    ListService<Parcel, @Nullable Label> labels() {
      return SERVICE;
    }

    @Bean
    ChunkGrants grants() {
      return (caller, service) -> caller.getName().equals("depot") && service.equals("labels");
    }
  }

  @BeforeAll
  static void start() {
    server = ChunksServer.start(Services.class);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Override
  <A, R extends @Nullable Object> ChunkFunction<A, R> connect(
      ChunkCodec<A, R> codec, Duration timeout) {
    return HttpChunks.to(
        server.address("/api/v1/chunks/labels"),
        codec,
        HttpOptions.defaults().withTimeout(timeout).withToken(() -> "depot"));
  }
}
