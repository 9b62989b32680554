/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.starter;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.office.OfficeApplication;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** Which filter chain decides about the paths of an application beside those of Forebay. */
@ExtendWith(OutputCaptureExtension.class)
class PathsBesideForebayTest {

  @TempDir static Path directory;
  private static ConfigurableApplicationContext application;
  private static AdminClient admin;

  @BeforeAll
  static void start() {
    application =
        new SpringApplicationBuilder(OfficeApplication.class)
            .run(
                "--server.port=0",
                "--forebay.data=" + directory.resolve("data"),
                "--management.endpoints.web.base-path=/admin/actuator",
                "--management.endpoints.web.exposure.include=*",
                "--management.endpoint.heapdump.access=unrestricted");
    admin = new AdminClient(application).withToken(AdminClient.token(application));
  }

  @AfterAll
  static void stop() {
    application.close();
  }

  private static AdminClient stranger() {
    return new AdminClient(application);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/admin/customers",
        "/admin/api/customers",
        "/admin/api/v1/customers",
        "/api/v1/services/office/customers",
        "/admin/ledger"
      })
  void theChainOfTheApplicationDecidesAboutItsOwnPaths(String path) throws Exception {
    assertThat(stranger().get(path).statusCode()).isEqualTo(401);
    assertThat(admin.get(path).body()).isEqualTo(OfficeApplication.CUSTOMERS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/env", "/heapdump", "/health"})
  void theChainOfTheApplicationDecidesAboutItsActuator(String endpoint) throws Exception {
    assertThat(stranger().get("/admin/actuator" + endpoint).statusCode()).isEqualTo(401);
    assertThat(admin.get("/admin/actuator/env").statusCode()).isEqualTo(200);
  }

  /** Forebay answers there, or denies the request. */
  @ParameterizedTest
  @ValueSource(
      strings = {"/admin/jobs/customers", "/admin/storage/customers", "/api/v1/results/customers"})
  void nobodyReachesAHandlerOfTheApplicationAtAPathOfForebay(String path) throws Exception {
    assertThat(stranger().get(path).body()).doesNotContain(OfficeApplication.CUSTOMERS);
    assertThat(admin.get(path).body()).doesNotContain(OfficeApplication.CUSTOMERS);
  }

  @Test
  void theApplicationAnswersItsOwnErrors() throws Exception {
    HttpResponse<String> refused = admin.send("DELETE", "/admin/customers", "");
    assertThat(refused.statusCode()).isEqualTo(405);
    assertThat(refused.body()).doesNotContain("urn:forebay");
  }

  @Test
  void thePageIsServedAtAllItsAddresses() throws Exception {
    for (String path :
        new String[] {
          "/admin/", "/admin/jobs", "/admin/services/orders/latency", "/admin/settings"
        }) {
      assertThat(stranger().get(path).body()).as(path).startsWith("<!doctype html>");
    }
  }
}
