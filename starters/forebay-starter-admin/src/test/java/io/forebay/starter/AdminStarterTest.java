/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.starter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.example.shop.ShopApplication;
import io.forebay.admin.AdminAccess;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.security.web.firewall.HttpFirewall;
import org.springframework.util.ClassUtils;
import org.springframework.web.servlet.handler.AbstractUrlHandlerMapping;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;
import tools.jackson.databind.JsonNode;

/** A user's application with this starter, an embedded database, a service and a job. */
@ExtendWith(OutputCaptureExtension.class)
class AdminStarterTest {

  /** What anybody may request. */
  private static final Set<String> OPEN =
      Set.of("/admin", "/admin/", AdminAccess.FILES, AdminAccess.SCREENS, "/admin/api/v1/oidc");

  @TempDir static Path directory;
  private static ConfigurableApplicationContext application;
  private static String token;
  private static AdminClient page;

  @BeforeAll
  static void start() throws Exception {
    application =
        new SpringApplicationBuilder(ShopApplication.class)
            .run(
                "--server.port=0",
                "--forebay.data=" + directory.resolve("data"),
                "--spring.jackson.property-naming-strategy=SNAKE_CASE");
    token = AdminClient.token(application);
    page = new AdminClient(application).login();
  }

  @AfterAll
  static void stop() {
    application.close();
  }

  private static AdminClient caller() {
    return new AdminClient(application).withToken(token);
  }

  private static AdminClient stranger() {
    return new AdminClient(application);
  }

  @Test
  void thePageNeedsALoginAndTheApiAToken() throws Exception {
    assertThat(stranger().get("/admin/").body()).startsWith("<!doctype html>");
    HttpResponse<String> refused = stranger().get("/admin/api/v1/snapshot");
    assertThat(refused.statusCode()).isEqualTo(401);
    assertThat(refused.headers().firstValue("Content-Type")).contains("application/problem+json");
    assertThat(refused.headers().firstValue("Content-Security-Policy")).isPresent();
    assertThat(stranger().get("/api/v1/status").statusCode()).isEqualTo(401);
    assertThat(caller().json("/api/v1/status").toString()).contains("\"orders\"");
    assertThat(caller().send("POST", "/api/v1/tokens", null).headers().firstValue("Content-Type"))
        .as("a request that no controller takes")
        .contains("application/problem+json");
  }

  @Test
  void anOperatorPausesTheServiceAndReplaysItsDeadLetter() throws Exception {
    ShopApplication.BROKEN.set(true);
    stranger().send("POST", "/orders", "\"tea\"");
    await()
        .atMost(AdminClient.PATIENCE)
        .until(() -> page.json("/admin/api/v1/failures").toString().contains("orders"));
    JsonNode letter = caller().json("/api/v1/failed").path("failures").path(0);
    ShopApplication.BROKEN.set(false);
    String id = letter.path("id").stringValue("none");
    assertThat(
            caller()
                .send("POST", "/api/v1/failed/" + id + "/replay", "{\"reason\":\"in stock again\"}")
                .statusCode())
        .as(letter.toString())
        .isEqualTo(202);
    await()
        .atMost(AdminClient.PATIENCE)
        .until(
            () -> caller().json("/api/v1/failed/" + id).path("replay").toString().contains("DONE"));

    HttpResponse<String> paused =
        page.send("POST", "/admin/api/v1/services/orders/pause", "{\"reason\":\"a test\"}");
    assertThat(paused.statusCode()).as(paused.body()).isBetween(200, 204);
    page.send("POST", "/admin/api/v1/services/orders/resume", "{}");
    assertThat(page.json("/admin/api/v1/audit").toString()).contains("service.pause");
  }

  @Test
  void anOperatorRestartsTheJob() throws Exception {
    ShopApplication.BROKEN.set(true);
    HttpResponse<String> started = page.send("POST", "/admin/api/v1/jobs/restock/executions", "{}");
    assertThat(started.statusCode()).as(started.body()).isEqualTo(202);
    await().atMost(AdminClient.PATIENCE).until(() -> lastState().equals("FAILED"));
    ShopApplication.BROKEN.set(false);
    long id = page.json("/admin/api/v1/jobs/restock").path("last").path("id").longValue();
    page.send("POST", "/admin/api/v1/jobs/executions/" + id + "/restart", "{}");
    await().atMost(AdminClient.PATIENCE).until(() -> lastState().equals("COMPLETED"));
  }

  @Test
  void aStartThatIsMisspelledIsRefusedByName() throws Exception {
    HttpResponse<String> misspelled =
        page.send("POST", "/admin/api/v1/jobs/restock/executions", "{\"params\":{\"day\":\"x\"}}");
    assertThat(misspelled.statusCode()).as(misspelled.body()).isEqualTo(400);
    assertThat(misspelled.body()).contains("/params", "allowed: parameters, reason");

    HttpResponse<String> unknown = page.send("POST", "/admin/api/v1/jobs/restok/executions", "{}");
    assertThat(unknown.statusCode()).as(unknown.body()).isEqualTo(404);
    assertThat(unknown.body()).contains("There is no job restok (known: ", "restock");
  }

  private static String lastState() throws Exception {
    return page.json("/admin/api/v1/jobs/restock").path("last").path("state").stringValue("none");
  }

  @Test
  void thePathsOfTheApplicationStayItsOwn() throws Exception {
    for (String path : List.of("/", "/api/v1/orders")) {
      HttpResponse<String> answer = stranger().get(path);
      assertThat(answer.body()).isEqualTo("The shop is open.");
      assertThat(answer.headers().map())
          .doesNotContainKeys("content-security-policy", "x-frame-options", "set-cookie");
    }
    assertThat(stranger().send("POST", "/orders", "\"rice\"").statusCode()).isEqualTo(200);
    assertThat(application.getBeansOfType(HttpFirewall.class)).as("it chooses its own").isEmpty();
    for (String path : List.of("/broken", "/missing")) {
      assertThat(stranger().get(path).body())
          .as("the error document of Spring Boot")
          .contains("\"timestamp\"", "\"path\":\"" + path);
    }
    assertThat(
            ClassUtils.isPresent(
                "org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration", null))
        .isFalse();
  }

  @Test
  void theApplicationMayProtectItsPathsWithTokens() throws Exception {
    assertThat(stranger().get("/reports/today").statusCode()).isEqualTo(401);
    assertThat(caller().get("/reports/today").body()).isEqualTo("Nothing was sold.");
  }

  @Test
  void documentsOfForebayDoNotHaveTheNamesThatTheApplicationHasChosen() throws Exception {
    assertThat(stranger().get("/price").body()).isEqualTo("{\"item_name\":\"tea\"}");
    assertThat(page.json("/admin/api/v1/me").propertyNames()).contains("mustChange");
    assertThat(page.json("/admin/api/v1/users").toString()).contains("\"createdBy\"");
    assertThat(caller().json("/api/v1/tokens").toString()).contains("\"createdBy\"");
    assertThat(caller().json("/api/v1/audit?limit=1").toString()).doesNotContain("_at");
  }

  @Test
  void everyPathOfForebayPassesItsFilterChain() throws Exception {
    for (String path : paths()) {
      String sample =
          path.replaceAll("\\{\\w+:([\\w-]+)[^}]*}", "$1")
              .replaceAll("\\{[^}]*}", "a1")
              .replace("**", "a1");
      for (String method : List.of("GET", "POST", "DELETE")) {
        int status =
            stranger().send(method, sample, method.equals("POST") ? "{}" : null).statusCode();
        if (!method.equals("GET") || !OPEN.contains(path)) {
          assertThat(status).as("%s %s", method, sample).isIn(401, 403);
        }
      }
    }
    for (String path : List.of("/API/v1/tokens", "/Api/V1/status", "/ADMIN/api/v1/users")) {
      assertThat(caller().get(path).statusCode()).as(path).isIn(401, 403, 404);
    }
  }

  /** The paths whose handler is a class of Forebay. */
  private static Set<String> paths() {
    Set<String> paths = new TreeSet<>();
    application
        .getBeansOfType(RequestMappingInfoHandlerMapping.class)
        .values()
        .forEach(mapping ->
            mapping
                .getHandlerMethods()
                .forEach((info, method) -> {
                  if (method.getBeanType().getName().startsWith("io.forebay.")) {
                    paths.addAll(info.getPatternValues());
                  }
                }));
    application
        .getBeansOfType(AbstractUrlHandlerMapping.class)
        .values()
        .forEach(mapping ->
            mapping
                .getHandlerMap()
                .forEach((path, handler) -> {
                  if (handler.getClass().getName().startsWith("io.forebay.")) {
                    paths.add(path);
                  }
                }));
    assertThat(paths).hasSizeGreaterThan(40);
    return paths;
  }
}
