/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * SIGKILL under load over HTTP: clients without an answer send again with the same key, streams are
 * resumed, also with the Java client, and a program reads all results. {@code -Dforebay.kills=50}
 * kills more often.
 */
class KilledServiceIT {

  private static final int KILLS = Integer.getInteger("forebay.kills", 2);
  private static final int CLIENTS = 8;
  private static final JsonMapper JSON = JsonMapper.shared();

  private static final long ENDLESS = Long.MAX_VALUE;
  private static final int PART = 5_000;

  @TempDir Path directory;
  private final HttpClient http = HttpClient.newHttpClient();
  private final AtomicInteger next = new AtomicInteger();
  private final Set<Integer> accepted = ConcurrentHashMap.newKeySet();
  private final Set<Integer> unanswered = ConcurrentHashMap.newKeySet();

  /** Without a key and without an answer: they may have been accepted or not. */
  private final Set<Integer> unknown = ConcurrentHashMap.newKeySet();

  /** The addresses of the results of accepted requests without a key. */
  private final Map<Integer, String> addresses = new ConcurrentHashMap<>();

  private final ResultReader reader = new ResultReader();
  private final List<LineSender> streams = List.of(new LineSender("a"), new LineSender("b"));
  private final ClientProgram program = new ClientProgram("c");

  @Test
  void everyAcceptedRequestTakesEffectOnceAndHasItsResult() throws Exception {
    survive(1);
  }

  @Tag("proof")
  @Test
  void theSameHoldsAfterSeveralKills() throws Exception {
    survive(KILLS);
  }

  private void survive(int kills) throws Exception {
    String[] arguments = configuration();
    Path data = directory.resolve("data");
    String token = null;
    for (int kill = 0; kill < kills; kill++) {
      ForebayProcess forebay = ForebayProcess.start(data, arguments);
      String address = forebay.address();
      if (token == null) {
        token = forebay.token();
        limitACaller(address, token);
      }
      try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
        String known = token;
        int enough = accepted.size() + 300 + 100 * (kill % 3);
        for (int i = 0; i < CLIENTS; i++) {
          clients.submit(() -> send(address, known));
        }
        List<Long> before = streams.stream().map(LineSender::acknowledged).toList();
        streams.forEach(stream -> clients.submit(() -> stream.send(address, known, ENDLESS)));
        clients.submit(() -> reader.read(address, known));
        long acknowledged = program.acknowledged();
        clients.submit(() -> program.send(address, known, ENDLESS));
        await()
            .until(() ->
                accepted.size() >= enough
                    && program.acknowledged() > acknowledged
                    && streams.get(0).acknowledged() > before.get(0)
                    && streams.get(1).acknowledged() > before.get(1));
        forebay.process().kill();
      }
    }
    try (ForebayProcess forebay = ForebayProcess.start(data, arguments)) {
      String address = forebay.address();
      for (int id : unanswered) {
        assertThat(post(address, token, id).statusCode()).isEqualTo(202);
      }
      for (int id : accepted) {
        assertThat(result(address, token, id)).isEqualTo("done");
      }
      List<Integer> ids = ids(address, token);
      assertThat(ids).doesNotHaveDuplicates().containsAll(accepted).containsAll(unanswered);
      assertThat(ids).hasSizeBetween(next.get() - unknown.size(), next.get());
      long lines = 0;
      for (LineSender stream : streams) {
        long last = stream.acknowledged() + 100;
        assertThat(stream.send(address, token, last)).isTrue();
        lines += last;
      }
      long lastOfProgram = program.acknowledged() + 2_000; // a request has up to 1,000
      assertThat(program.send(address, token, lastOfProgram)).isTrue();
      long all = lines + lastOfProgram;
      String administrator = token;
      await().until(() -> counts(address, administrator).equals("[%1$d,%1$d]".formatted(all)));
      int results = allResults(address, token);
      thePageReportsTheKills(address, token, kills);
      theCallerIsStillLimited(address, token);
      System.out.printf(
          "%d kills, %,d requests accepted, %d sent again, %,d lines of streams, %,d results received, none lost or doubled%n",
          kills, accepted.size(), unanswered.size(), all, results);
    }
  }

  private void limitACaller(String address, String token) throws Exception {
    HttpRequest.Builder request =
        request(address, token, "/api/v1/callers/limit").header("Content-Type", "application/json");
    String body =
        "{\"caller\":\"oidc:7@host/shop\",\"perSecond\":5,\"reason\":\"test\",\"until\":\"8h\"}";
    HttpResponse<String> response =
        http.send(request.POST(BodyPublishers.ofString(body)).build(), BodyHandlers.ofString());
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
  }

  private void theCallerIsStillLimited(String address, String token) throws Exception {
    HttpResponse<String> callers =
        http.send(
            request(address, token, "/admin/api/v1/callers").build(), BodyHandlers.ofString());
    JsonNode caller = JSON.readTree(callers.body()).path("callers").path(0);
    assertThat(caller.path("name").asString()).as(callers.body()).isEqualTo("oidc:7@host/shop");
    assertThat(caller.at("/limits/0/most").asInt()).as("rate in force").isEqualTo(5);
  }

  private void thePageReportsTheKills(String address, String token, int kills) throws Exception {
    HttpResponse<String> snapshot =
        http.send(
            request(address, token, "/admin/api/v1/snapshot").build(), BodyHandlers.ofString());
    JsonNode stop = JSON.readTree(snapshot.body()).path("uncleanStop");
    assertThat(stop.path("text").asString())
        .as(snapshot.body())
        .contains(
            kills == 1 ? "Stopped uncleanly at" : "Stopped uncleanly %d times".formatted(kills),
            "nothing that was acknowledged is lost.",
            "accepted no calls for");
  }

  /**
   * The gateway has one partition and no other caller, so a program reads the result of each
   * position, in their order.
   */
  private int allResults(String address, String token) throws Exception {
    long end = end(address, token);
    Thread reading = Thread.startVirtualThread(() -> reader.read(address, token));
    await().until(() -> reader.results().size() >= end);
    reading.interrupt();
    List<Long> positions =
        reader.results().stream().map(it -> it.path("position").asLong()).toList();
    List<Long> expected = LongStream.range(0, end).boxed().toList();
    assertThat(positions).isEqualTo(expected);
    List<String> lines =
        reader.results().stream()
            .filter(it -> it.has("line") && it.path("state").asString().equals("done"))
            .map(it -> it.path("stream").asString() + it.path("line"))
            .toList();
    assertThat(lines).doesNotHaveDuplicates();
    return positions.size();
  }

  /** The position after the last statement, which is one that is sent now. */
  private long end(String address, String token) throws Exception {
    HttpResponse<String> last = post(address, token, next.getAndIncrement());
    return JSON.readTree(last.body()).path("position").asLong() + 1;
  }

  private String[] configuration() throws IOException {
    Files.writeString(
        Files.createDirectory(directory.resolve("tables")).resolve("V1__event.sql"),
        "create cached table if not exists event (id int not null);"
            + " create cached table if not exists line (stream varchar(10) not null, number bigint not null);");
    Path catalogue =
        Files.writeString(
            directory.resolve("catalogue.yaml"),
            """
            statements:
              - name: events.add
                sql: insert into event (id) values (:id)
                params: [{name: id, type: long}]
              - name: lines.add
                sql: insert into line (stream, number) values (:stream, :number)
                params: [{name: stream, type: text}, {name: number, type: long}]
              - name: lines.count
                sql: >
                  select count(*) as lines, count(distinct stream || number) as different from line
              - name: events.some
                sql: select id from event where id >= :from and id < :before
                params: [{name: from, type: long}, {name: before, type: long}]
            """);
    return new String[] {
      "--forebay.gateways.main.migrations=filesystem:" + directory.resolve("tables"),
      "--forebay.door.catalogue=" + catalogue.toUri()
    };
  }

  /** Sends until the service is down. */
  private void send(String address, String token) {
    while (true) {
      int id = next.getAndIncrement();
      try {
        HttpResponse<String> response = post(address, token, id);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(202);
        if (!hasKey(id)) {
          addresses.put(id, response.headers().firstValue("Location").orElseThrow());
        }
        accepted.add(id);
      } catch (IOException e) {
        (hasKey(id) ? unanswered : unknown).add(id);
        return;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  /** Every third request has no idempotency key, and is not sent again. */
  private static boolean hasKey(int id) {
    return id % 3 > 0;
  }

  private HttpResponse<String> post(String address, String token, int id)
      throws IOException, InterruptedException {
    return post(address, token, id, "");
  }

  private HttpResponse<String> post(String address, String token, int id, String query)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        request(address, token, "/api/v1/statements/events.add" + query)
            .header("Content-Type", "application/json");
    if (hasKey(id)) {
      request.header("Idempotency-Key", "event-" + id);
    }
    return http.send(
        request.POST(BodyPublishers.ofString("{\"id\": " + id + "}")).build(),
        BodyHandlers.ofString());
  }

  /**
   * Gets the result of a key by sending the request again, as a client would; without a key, from
   * its address.
   */
  private String result(String address, String token, int id) throws Exception {
    HttpResponse<String> again =
        hasKey(id)
            ? post(address, token, id, "?wait=20s")
            : http.send(
                request(address, token, addresses.get(id) + "&wait=20s").build(),
                BodyHandlers.ofString());
    return JSON.readTree(again.body()).path("state").asString();
  }

  /** In parts, because there may be more of them than a result may have. */
  private List<Integer> ids(String address, String token) throws Exception {
    List<Integer> ids = new ArrayList<>();
    for (int from = 0; from < next.get(); from += PART) {
      JsonNode rows =
          rows(
              address,
              token,
              "events.some",
              "{\"from\": %d, \"before\": %d}".formatted(from, from + PART));
      rows.forEach(row -> ids.add(row.get(0).asInt()));
    }
    return ids;
  }

  /** How many lines of streams there are, and how many different ones. */
  private String counts(String address, String token) throws Exception {
    return rows(address, token, "lines.count", "{}").path(0).toString();
  }

  private JsonNode rows(String address, String token, String query, String parameters)
      throws Exception {
    HttpResponse<String> response =
        http.send(
            request(address, token, "/api/v1/statements/" + query + "?wait=20s")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(parameters))
                .build(),
            BodyHandlers.ofString());
    return JSON.readTree(response.body()).path("rows");
  }

  private static HttpRequest.Builder request(String address, String token, String path) {
    return HttpRequest.newBuilder(URI.create("http://" + address + path))
        .timeout(Duration.ofSeconds(40))
        .header("Authorization", "Bearer " + token);
  }
}
