/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The endpoint as other clients see it. */
@Timeout(600)
class ChunksResourceTest {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final int MOST = 32;
  private static final CountDownLatch held = new CountDownLatch(1);
  private static final CountDownLatch performing = new CountDownLatch(MOST);

  private static ChunksServer server;
  private static HttpClient http;

  @Configuration(proxyBeanMethods = false)
  static class Services {

    @Bean
    ListService<Integer, Integer> squares() {
      return ListService.inOrder(
          "squares",
          ChunkCodec.of(Integer.class, Integer.class),
          numbers -> {
            if (numbers.contains(13)) {
              throw new ServiceFailed("unlucky", "not that one");
            }
            if (numbers.contains(0)) {
              performing.countDown();
              held.await();
            }
            return numbers.contains(99)
                ? List.of()
                : numbers.stream().map(number -> number * number).toList();
          });
    }

    @Bean
    ChunkGrants grants() {
      return (caller, service) -> caller.getName().equals("pupil") && !service.equals("exams");
    }
  }

  @BeforeAll
  static void start() {
    server = ChunksServer.start(Services.class);
    http = HttpClient.newHttpClient();
  }

  @AfterAll
  static void stop() {
    held.countDown();
    http.close();
    server.close();
  }

  record Answer(int status, String type, JsonNode body, HttpResponse<String> response) {
    String header(String name) {
      return response.headers().firstValue(name).orElse("");
    }
  }

  private static Answer send(HttpRequest.Builder request) throws Exception {
    HttpResponse<String> response = http.send(request.build(), BodyHandlers.ofString());
    JsonNode body = JSON.readTree(response.body());
    return new Answer(
        response.statusCode(),
        body.path("type").asString("").replace("urn:forebay:problem:", ""),
        body,
        response);
  }

  private static HttpRequest.Builder request(String service, String body) {
    return HttpRequest.newBuilder(server.address("/api/v1/chunks/" + service))
        .header("Authorization", "Bearer pupil")
        .header("Content-Type", "application/json")
        .POST(BodyPublishers.ofString(body));
  }

  private static Answer post(String body) throws Exception {
    return send(request("squares", body));
  }

  @Test
  void anArrayOfArgumentsIsAnsweredWithAnArrayOfReplies() throws Exception {
    Answer answer = post("[3, -4]");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header("Content-Type")).isEqualTo("application/json");
    assertThat(answer.response().body())
        .isEqualTo("[{\"index\":0,\"result\":9},{\"index\":1,\"result\":16}]");
    assertThat(post("[]").response().body()).isEqualTo("[]");
  }

  @Test
  void aChunkFailedByTheServiceIsAnsweredWithAProblemAndItsCode() throws Exception {
    Answer answer = post("[13]");
    assertThat(answer.status()).isEqualTo(422);
    assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
    assertThat(answer.type()).isEqualTo("service-failed");
    assertThat(answer.body().path("code").asString()).isEqualTo("unlucky");
    assertThat(answer.body().path("detail").asString()).isEqualTo("not that one");
    assertThat(answer.body().path("instance").asString()).isEqualTo("/api/v1/chunks/squares");
  }

  @Test
  void moreOrFewerResultsThanCallsAreADefectOfTheService() throws Exception {
    Answer answer = post("[99]");
    assertThat(answer.status()).isEqualTo(500);
    assertThat(answer.body().path("code").asString()).isEqualTo("internal-error");
  }

  @Test
  void invalidArgumentsAreRefused() throws Exception {
    for (String body :
        List.of(
            "", "null", "{}", "3", "[", "[3", "[3]]", "[3, \"secret\"]", "[3, null]", "[3, {}]")) {
      Answer answer = post(body);
      assertThat(answer.status()).as(body).isEqualTo(400);
      assertThat(answer.body().path("code").asString()).isEqualTo("invalid-arguments");
      assertThat(answer.response().body()).doesNotContain("secret");
    }
    assertThat(post("[3, {}]").body().path("detail").asString()).startsWith("argument 1 ");
  }

  @Test
  void chunksAboveTheLimitsAreRefused() throws Exception {
    Answer calls = post("[1" + ",1".repeat(10_000) + "]");
    assertThat(calls.status()).isEqualTo(413);
    assertThat(calls.body().path("detail").asString()).contains("10,001 calls (limit=10,000)");
    String large = "[" + " ".repeat(640 << 10) + "]";
    assertThat(post(large).status()).isEqualTo(413);
    Answer chunked =
        send(
            request("squares", "")
                .POST(
                    BodyPublishers.ofInputStream(
                        () -> new java.io.ByteArrayInputStream(large.getBytes()))));
    assertThat(chunked.status()).isEqualTo(413);
    assertThat(chunked.type()).isEqualTo("too-large");
  }

  @Test
  void onlyGrantedCallersMayCallAndOthersDoNotLearnWhichServicesExist() throws Exception {
    Answer nobody =
        send(
            HttpRequest.newBuilder(server.address("/api/v1/chunks/squares"))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("[3]")));
    assertThat(nobody.status()).isEqualTo(401);
    assertThat(send(request("exams", "[3]")).status()).isEqualTo(403);
    Answer stranger = send(request("squares", "[3]").setHeader("Authorization", "Bearer other"));
    assertThat(stranger.status()).isEqualTo(403);
    assertThat(stranger.type()).isEqualTo("not-permitted");
    Answer unknown = send(request("roots", "[3]"));
    assertThat(unknown.status()).isEqualTo(404);
    assertThat(unknown.type()).isEqualTo("unknown-service");
  }

  @Test
  void otherMethodsAndOtherBodiesAreRefused() throws Exception {
    Answer get = send(request("squares", "").GET());
    assertThat(get.status()).isEqualTo(405);
    assertThat(get.header("Allow")).isEqualTo("POST");
    for (String type : List.of("text/plain", "application/json;charset=UTF-16", "nonsense")) {
      assertThat(send(request("squares", "[3]").setHeader("Content-Type", type)).status())
          .as(type)
          .isEqualTo(415);
    }
    assertThat(send(request("squares", "[3]").header("Content-Encoding", "gzip")).status())
        .isEqualTo(415);
  }

  @Test
  void aBusyServiceRefusesAndOurClientRetries() throws Exception {
    try (HttpChunks<Integer, Integer> chunks =
        HttpChunks.to(
            server.address("/api/v1/chunks/squares"),
            ChunkCodec.of(Integer.class, Integer.class),
            HttpOptions.defaults().withToken(() -> "pupil"))) {
      List<CompletableFuture<HttpResponse<String>>> first = new ArrayList<>();
      for (int i = 0; i < MOST; i++) {
        first.add(http.sendAsync(request("squares", "[0]").build(), BodyHandlers.ofString()));
      }
      performing.await();
      Answer refused = post("[3]");
      assertThat(refused.status()).isEqualTo(503);
      assertThat(refused.type()).isEqualTo("chunk-refused");
      assertThat(refused.header("Retry-After")).isEqualTo("1");
      held.countDown();
      assertThat(chunks.perform(List.of(3)).toCompletableFuture().get()).hasSize(1);
      for (CompletableFuture<HttpResponse<String>> each : first) {
        assertThat(each.get(120, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
      }
    }
  }

  @Test
  void aChunkThatIsStillComingTakesAPlaceAndGivesItBack() throws Exception {
    URI address = server.address("/api/v1/chunks/squares");
    List<Socket> slow = new ArrayList<>();
    try {
      for (int i = 0; i < MOST; i++) {
        Socket each = new Socket(address.getHost(), address.getPort());
        slow.add(each);
        each.getOutputStream()
            .write(
                """
                POST /api/v1/chunks/squares HTTP/1.1\r
                Host: localhost\r
                Authorization: Bearer pupil\r
                Content-Type: application/json\r
                Content-Length: 500\r
                \r
                [\
                """
                    .getBytes(StandardCharsets.US_ASCII));
      }
      await().until(() -> post("[3]").status() == 503);
    } finally {
      for (Socket each : slow) {
        each.close();
      }
    }
    await().until(() -> post("[3]").status() == 200);
  }
}
