/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.test;

import java.net.URI;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.containers.wait.strategy.WaitAllStrategy;
import org.testcontainers.utility.DockerImageName;
import org.testcontainers.utility.MountableFile;

/**
 * The service in a container, for tests of its callers:
 *
 * <pre>{@code
 * @Container
 * @ServiceConnection
 * static final ForebayContainer forebay =
 *     new ForebayContainer("forebay")
 *         .withCatalogue(MountableFile.forClasspathResource("orders.yaml"))
 *         .withMigrations(MountableFile.forClasspathResource("db"));
 * }</pre>
 *
 * The application of the test has a bean {@code DoorClient} for it; {@link #url} and {@link #token}
 * are for other clients. Without further environment variables, the gateway is {@code main} on the
 * embedded database. The container has started when the door accepts statements.
 */
public class ForebayContainer extends GenericContainer<ForebayContainer> {

  private static final int PORT = 8080;
  private static final String CATALOGUE = "/etc/forebay/catalogue.yaml";
  private static final String MIGRATIONS = "/etc/forebay/db";
  private static final int TOKEN_BYTES = 32;

  private final String token;

  /**
   * @param image of {@code docker/Dockerfile}
   */
  public ForebayContainer(String image) {
    super(DockerImageName.parse(image));
    byte[] random = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(random);
    token = "fb_" + Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    withExposedPorts(PORT);
    withEnv("FOREBAY_SECURITY_FIRSTTOKEN", token);
    waitingFor(
        new WaitAllStrategy()
            .withStrategy(Wait.forHttp("/actuator/health/readiness").forPort(PORT))
            .withStrategy( // the token is stored when the database responds
                Wait.forHttp("/api/v1/statements")
                    .forPort(PORT)
                    .withHeader("Authorization", "Bearer " + token))
            .withStartupTimeout(Duration.ofMinutes(3)));
  }

  /** The statements that callers may send; see {@code docs/door.md}. */
  public ForebayContainer withCatalogue(MountableFile catalogue) {
    return withCopyFileToContainer(catalogue, CATALOGUE)
        .withEnv("FOREBAY_DOOR_CATALOGUE", "file:" + CATALOGUE);
  }

  /** The Flyway migrations that create the tables of these statements, as files of a directory. */
  public ForebayContainer withMigrations(MountableFile directory) {
    return withCopyFileToContainer(directory, MIGRATIONS)
        .withEnv("FOREBAY_GATEWAYS_MAIN_MIGRATIONS", "filesystem:" + MIGRATIONS);
  }

  /** The address of the door, without {@code /api/v1}. */
  public URI url() {
    return URI.create("http://%s:%d".formatted(getHost(), getMappedPort(PORT)));
  }

  /** A token of role admin, which may send all statements for 24 h. */
  public String token() {
    return token;
  }
}
