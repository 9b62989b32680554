/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.jdbc.catalogue.LiveCatalogue;
import io.forebay.jdbc.http.RunningDoor.Answer;
import io.forebay.operations.Audit;
import io.forebay.service.progress.Unavailable;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.nio.file.Path;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.method.HandlerTypePredicate;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.CorsRegistry;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.PathMatchConfigurer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** A door in an application that configures Spring MVC for its own controllers. */
class OwnApplicationTest {

  private static final String STATEMENTS = "/api/v1/statements";

  @TempDir static Path directory;
  private static RunningDoor door;

  @BeforeAll
  static void open() throws Exception {
    Path data = directory.resolve("data");
    RunningDoor.catalogue(data, "statements: [{name: items.clear, sql: delete from items}]");
    door =
        RunningDoor.start(
            data,
            HsqldbDoorTest.own(data, "create table items (id bigint primary key);"),
            Configured.class,
            Shop.class,
            Failures.class);
  }

  @AfterAll
  static void close() {
    door.close();
  }

  /** What an application may configure. */
  @Configuration(proxyBeanMethods = false)
  static class Configured implements WebMvcConfigurer {

    @Override
    public void addInterceptors(InterceptorRegistry registry) {
      registry.addInterceptor(
          new HandlerInterceptor() {
            @Override
            public boolean preHandle(
                HttpServletRequest request, HttpServletResponse response, Object handler) {
              response.setHeader("X-Intercepted", "by the shop");
              return true;
            }
          });
    }

    @Override
    public void addCorsMappings(CorsRegistry registry) {
      registry.addMapping("/**");
    }

    @Override
    public void configurePathMatch(PathMatchConfigurer paths) {
      paths.addPathPrefix("/shop", HandlerTypePredicate.forAnnotation(Controller.class));
    }

    /** Asks a database, whose future fails for one caller. */
    @Bean
    @Primary
    StatementGrants grantsOfTheShop() {
      return (caller, _) -> {
        if (caller.getName().equals("unlucky")) {
          throw new CompletionException(new Unavailable("the database is down", null));
        }
        return true;
      };
    }
  }

  @RestController
  static class Shop {

    private final RequestMappingHandlerMapping mapping;

    /** Injects the mapping of the application by its type. */
    Shop(RequestMappingHandlerMapping mapping) {
      this.mapping = mapping;
    }

    @GetMapping("/mapping")
    String mapping() {
      return mapping.getClass().getSimpleName();
    }

    @GetMapping("/price")
    String price() {
      return "3";
    }

    @GetMapping("/broken")
    String broken() {
      throw new IllegalStateException("a fault of the shop");
    }
  }

  @ControllerAdvice
  @Order(Ordered.HIGHEST_PRECEDENCE)
  static class Failures {

    @ExceptionHandler
    ResponseEntity<String> any(Exception failure) {
      return ResponseEntity.status(418).body("of the shop");
    }
  }

  private static Answer get(String path, String... headers) {
    return door.send(door.request("web", path).GET().headers(headers));
  }

  @Test
  void whatTheApplicationConfiguresAppliesToItsOwnControllersOnly() {
    Answer price = get("/shop/price", "Origin", "https://elsewhere.example");
    assertThat(price.text()).isEqualTo("3");
    assertThat(door.get("web", "/shop/mapping").text()).isEqualTo("RequestMappingHandlerMapping");
    assertThat(price.headers()).containsKeys("x-intercepted", "access-control-allow-origin");

    Answer listed = get(STATEMENTS, "Origin", "https://elsewhere.example");
    assertThat(listed.text()).contains("items.clear");
    assertThat(listed.headers()).doesNotContainKeys("x-intercepted", "access-control-allow-origin");
    assertThat(door.get("web", "/shop" + STATEMENTS).text()).doesNotContain("items.clear");
  }

  @Test
  void anAdviceOfTheApplicationDoesNotAnswerForTheDoor() {
    assertThat(door.get("web", "/shop/broken").text()).isEqualTo("of the shop");
    assertThat(door.get("", STATEMENTS).problem()).isEqualTo("unauthenticated");
    assertThat(door.post("web", STATEMENTS + "/items.add", "{}").problem())
        .isEqualTo("unknown-statement");
    assertThat(door.get("web", STATEMENTS + "/items.add").problem())
        .isEqualTo("method-not-allowed");
    assertThat(door.get("web", "/api/v1/results?from=nowhere").problem())
        .isEqualTo("invalid-request");
  }

  @Test
  void aFailureThatAFutureHasWrappedIsAnsweredAsItself() {
    assertThat(door.get("unlucky", STATEMENTS).problem()).isEqualTo("database-unavailable");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {STATEMENTS, "/api/v1/results", "/api/v1/streams/none", "/api/v1/openapi.json"})
  void onlyJsonCanBeAskedFor(String path) {
    assertThat(get(path, "Accept", "text/html").problem()).isEqualTo("not-acceptable");
  }

  @Test
  void aCommandThatCannotBeAnsweredIsNotPerformed() {
    Answer reloaded = door.post("web", "/api/v1/catalogue/reload", "", "Accept", "text/html");
    assertThat(reloaded.problem()).isEqualTo("not-acceptable");
    assertThat(door.bean(Audit.class).before(Long.MAX_VALUE, 10)).isEmpty();
    assertThat(door.bean(LiveCatalogue.class).current().entries()).hasSize(1);
  }
}
