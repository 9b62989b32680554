/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.client.spring;

import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.docker.compose.core.RunningService;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionDetailsFactory;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionSource;

/**
 * Finds a service with the image {@code forebay}, or with the label {@code
 * org.springframework.boot.service-connection: forebay}.
 */
final class DoorDockerComposeConnectionDetailsFactory
    extends DockerComposeConnectionDetailsFactory<DoorConnectionDetails> {

  private static final int PORT = 8080;

  DoorDockerComposeConnectionDetailsFactory() {
    super("forebay");
  }

  @Override
  protected DoorConnectionDetails getDockerComposeConnectionDetails(
      DockerComposeConnectionSource source) {
    return new Details(
        source.getRunningService(), source.getEnvironment().getProperty("forebay.client.token"));
  }

  private static final class Details extends DockerComposeConnectionDetails
      implements DoorConnectionDetails {

    private final URI url;
    private final @Nullable String token;

    Details(RunningService service, @Nullable String otherwise) {
      super(service);
      url = URI.create("http://%s:%d".formatted(service.host(), service.ports().get(PORT)));
      token = service.env().getOrDefault("FOREBAY_SECURITY_FIRSTTOKEN", otherwise);
    }

    @Override
    public URI getUrl() {
      return url;
    }

    @Override
    public @Nullable String getToken() {
      return token;
    }

    @Override
    public boolean allowsPlainHttp() {
      return true;
    }
  }
}
