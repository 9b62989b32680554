/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.container;

import static org.junit.jupiter.api.Assumptions.abort;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.exception.NotFoundException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.function.Supplier;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;

/** The container engine of this machine and the images that are tried with it. */
final class Engine {

  private static final String PROPERTY = "forebay.test.image";

  private Engine() {}

  private static boolean builds() {
    return "build".equals(System.getenv("CONTAINER_TEST_IMAGE"));
  }

  /**
   * With the environment variable {@code CONTAINER_TEST_IMAGE=build}, {@code docker/smoke.sh local}
   * builds what is named: the image of the jar and the JDK of this build ({@code build}), or those
   * of PostgreSQL and Kafka ({@code servers}). This starts no container with a network.
   */
  static void buildIfAsked(String what) throws IOException, InterruptedException {
    if (builds()) {
      build(what);
    }
  }

  /**
   * The image that property {@code forebay.test.image} names, or else the one that {@code
   * docker/smoke.sh} leaves. Nothing is pulled. Where no engine answers or has that image, the test
   * is skipped; an image that was asked for must be there.
   */
  static String assumeImage() {
    String given = builds() ? "forebay-smoke" : System.getProperty(PROPERTY);
    String image = given == null ? "forebay-smoke" : given;
    String hint = "docker/smoke.sh makes forebay-smoke, -D%s=NAME names another";
    assume(() -> image, given != null, hint.formatted(PROPERTY));
    return image;
  }

  /** Likewise for the image of this server. */
  static <C extends GenericContainer<C>> C assume(C server) {
    assume(
        server.withImagePullPolicy(_ -> false)::getDockerImageName,
        builds(),
        "docker/smoke.sh local servers makes it");
    return server;
  }

  private static void assume(Supplier<String> image, boolean asked, String hint) {
    String lacking = lacking(image, hint);
    if (!lacking.isEmpty()) {
      String reason = lacking + "; the image is not tried";
      if (asked) {
        throw new AssertionError(reason);
      }
      System.err.println("skipped: " + reason);
      abort(reason);
    }
  }

  private static void build(String what) throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder("bash", "../../docker/smoke.sh", "local", what).inheritIO();
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    int status = builder.start().waitFor();
    if (status != 0) {
      throw new AssertionError("docker/smoke.sh local " + what + " ended with status " + status);
    }
  }

  private static String lacking(Supplier<String> image, String hint) {
    DockerClientFactory engine = DockerClientFactory.instance();
    if (!engine.isDockerAvailable()) {
      return "no container engine answers (looked at DOCKER_HOST and the usual sockets)";
    }
    String host = engine.dockerHostIpAddress();
    if (!isLoopback(host)) {
      return "the container engine is at %s, and ports are published to loopback only"
              .formatted(host)
          + " (TESTCONTAINERS_HOST_OVERRIDE=localhost if the engine is on this machine)";
    }
    try {
      client().inspectImageCmd(image.get()).exec();
      return "";
    } catch (NotFoundException e) {
      return "the container engine has no image %s (%s)".formatted(image.get(), hint);
    }
  }

  private static boolean isLoopback(String host) {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }

  static DockerClient client() {
    return DockerClientFactory.instance().client();
  }
}
