/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.starter;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** An application without a service, a gateway and a job. */
@ExtendWith(OutputCaptureExtension.class)
class SmallestAdminTest {

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {}

  @TempDir Path directory;

  private ConfigurableApplicationContext start(String... more) {
    return new SpringApplicationBuilder(Application.class)
        .properties("server.port=0", "forebay.data=" + directory.resolve("data"))
        .run(more);
  }

  /** Tomcat warns of a first one that takes more than 100 ms, which depends on the machine. */
  @BeforeAll
  static void createARandomNumber() throws Exception {
    SecureRandom.getInstance("SHA1PRNG").nextInt();
  }

  @Test
  void everyScreenHasDataAndTheLogHasNoFault(CapturedOutput output) throws Exception {
    try (ConfigurableApplicationContext application = start()) {
      AdminClient page = new AdminClient(application).login();
      for (String data :
          new String[] {
            "/me", "/snapshot", "/alerts", "/storage", "/failures", "/jobs", "/users", "/audit"
          }) {
        page.json("/admin/api/v1" + data);
      }
      Path file = directory.resolve("data/admin-credentials");
      assertThat(Files.getPosixFilePermissions(file))
          .isEqualTo(PosixFilePermissions.fromString("rw-------"));
      assertThat(output.getAll()).contains(file.toString()).doesNotContain("fb_");
      assertThat(Files.readAllLines(file))
          .hasSize(2)
          .noneMatch(line -> output.getAll().contains(line.replaceFirst("^\\w+=", "")));
    }
    int printed = output.getAll().length();
    try (ConfigurableApplicationContext application = start()) {
      new AdminClient(application).loginAgain();
    }
    try (ConfigurableApplicationContext application = start("--server.servlet.context-path=/a")) {
      AdminClient page = new AdminClient(application).loginAgain();
      String html = page.get("/admin/").body();
      assertThat(html).contains("src=\"/a/admin/v/").doesNotContain("\"/admin/");
      String main = html.replaceAll("(?s).*src=\"/a(/admin/v/[^/]+/app/)main.js\".*", "$1");
      assertThat(page.get(main + "api.js").body())
          .contains("'/a/admin/api/v1'")
          .doesNotContain("'/admin");
    }
    assertThat(output.getAll().substring(printed)).doesNotContain("fb_", "admin-credentials");
    assertThat(output.getAll().lines().filter(SmallestAdminTest::isFault)).isEmpty();
  }

  private static boolean isFault(String line) {
    return (line.contains(" WARN ") || line.contains(" ERROR ") || line.contains("Exception"))
        // On a busy machine.
        && !line.contains("Thread starvation");
  }
}
