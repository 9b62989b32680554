/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.delete;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import java.net.URI;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.core.MethodParameter;
import org.springframework.http.MediaType;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.http.server.ServerHttpRequest;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockServletContext;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.support.AnnotationConfigWebApplicationContext;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyAdvice;
import org.springframework.web.util.ServletRequestPathUtils;

/** What an application has for its own controllers does not reach those of Forebay. */
class BesideAnApplicationTest {

  private static AnnotationConfigWebApplicationContext context;
  private static MockMvc mvc;

  @BeforeAll
  static void open() {
    context = new AnnotationConfigWebApplicationContext();
    context.setServletContext(new MockServletContext());
    context.register(
        Shop.class, Prices.class, Wrapper.class, Documents.class, WebAutoConfiguration.class);
    context.refresh();
    mvc = MockMvcBuilders.webAppContextSetup(context).build();
  }

  @AfterAll
  static void close() {
    context.close();
  }

  record Document(String text) {}

  @ForebayController
  static class Documents {

    @GetMapping("/forebay/document")
    Document get() {
      return new Document("of Forebay");
    }

    @PostMapping("/forebay/document")
    Document repeat(@RequestBody Document document) {
      return document;
    }
  }

  @EnableWebMvc
  static class Shop {

    @Bean
    RouterFunction<ServerResponse> everything() {
      return RouterFunctions.route()
          .GET("/**", _ -> ServerResponse.ok().body("of the shop"))
          .build();
    }
  }

  @RestController
  static class Prices {

    @PostMapping("/price")
    Document change(@RequestBody Document price) {
      return price;
    }
  }

  @RestControllerAdvice
  static class Wrapper implements ResponseBodyAdvice<Object> {

    @Override
    public boolean supports(
        MethodParameter returned, Class<? extends HttpMessageConverter<?>> converter) {
      return true;
    }

    @Override
    public Object beforeBodyWrite(
        @Nullable Object body,
        MethodParameter returned,
        MediaType type,
        Class<? extends HttpMessageConverter<?>> converter,
        ServerHttpRequest request,
        ServerHttpResponse response) {
      return Map.of("data", String.valueOf(body));
    }
  }

  @Test
  void aRouteForEveryPathHidesNoController() throws Exception {
    mvc.perform(get("/anything")).andExpect(content().string("of the shop"));
    mvc.perform(get("/forebay/document")).andExpect(content().string("{\"text\":\"of Forebay\"}"));
  }

  @Test
  void anEncodedBeginningOfAPathReachesTheController() throws Exception {
    mvc.perform(get(URI.create("/%66orebay/%64ocument")))
        .andExpect(content().string("{\"text\":\"of Forebay\"}"));
    mvc.perform(get(URI.create("/x/..;/forebay/document")))
        .andExpect(content().string("of the shop"));
  }

  @Test
  void anotherMethodOfAPathOfAControllerIsNotLeftToTheApplication() throws Exception {
    mvc.perform(delete("/forebay/document")).andExpect(status().isMethodNotAllowed());
  }

  @Test
  void aRequestToAnotherPathIsNotComparedWithEachController() throws Exception {
    ForebayHandlerMapping controllers = context.getBean(ForebayHandlerMapping.class);
    assertThat(lookAt(controllers, "/price"))
        .as("handler, looks at the method")
        .isEqualTo("null 0");
    assertThat(lookAt(controllers, "/forebayer/document")).isEqualTo("null 0");
    assertThat(lookAt(controllers, "/forebay/document")).matches(".+Documents#get\\(\\) [1-9]");
  }

  /** The handler of a request, and how often it was compared with the method of a mapping. */
  private static String lookAt(ForebayHandlerMapping controllers, String path) throws Exception {
    AtomicInteger looks = new AtomicInteger();
    MockHttpServletRequest request =
        new MockHttpServletRequest("GET", path) {
          @Override
          public String getMethod() {
            looks.incrementAndGet();
            return "GET";
          }
        };
    ServletRequestPathUtils.parseAndCache(request);
    return controllers.getHandlerInternal(request) + " " + looks;
  }

  @Test
  void anAdviceForDocumentsDoesNotChangeThem() throws Exception {
    String document = "{\"text\":\"tea\"}";
    mvc.perform(post("/price").contentType(MediaType.APPLICATION_JSON).content(document))
        .andExpect(content().string("{\"data\":\"Document[text=tea]\"}"));
    mvc.perform(post("/forebay/document").contentType(MediaType.APPLICATION_JSON).content(document))
        .andExpect(content().string(document));
  }
}
