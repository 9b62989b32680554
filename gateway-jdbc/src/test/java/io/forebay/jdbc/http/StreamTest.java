/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import static io.forebay.hosting.Paused.pause;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.call.Message;
import io.forebay.jdbc.http.RunningDoor.Answer;
import io.forebay.queue.Tailer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Statements that come as a stream of lines. */
class StreamTest {

  private static final String CATALOGUE =
      """
      statements:
        - name: orders.insert
          sql: insert into orders (id, item) values (:id, :item)
          params:
            - {name: id, type: long}
            - {name: item, type: text}
        - name: orders.keyed
          sql: insert into orders (id, item) values (:id, :item)
          key: id
          params:
            - {name: id, type: long}
            - {name: item, type: text}
        - name: orders.count
          sql: select count(*) as n from orders
      """;
  private static final String TABLES =
      "create table orders (id bigint primary key, item varchar(200) not null);";

  @TempDir Path directory;
  private RunningDoor door;

  @BeforeEach
  void open() throws Exception {
    Path data = directory.resolve("data");
    RunningDoor.catalogue(data, CATALOGUE);
    List<String> properties = new ArrayList<>(HsqldbDoorTest.own(data, TABLES));
    properties.add("forebay.door.max-body=2KB");
    properties.add("forebay.gateways.main.partitions=2");
    DoorLimits limits =
        new DoorLimits(Duration.ofSeconds(5), Duration.ofSeconds(30), 10, 2, 1 << 20, 1 << 20);
    door = RunningDoor.start(data, properties, limits, RunningDoor.SmallQueues.class);
    await()
        .untilAsserted(() ->
            assertThat(door.get("web", "/api/v1/statements").text()).doesNotContain("unchecked"));
  }

  @AfterEach
  void close() {
    door.close();
  }

  @Test
  void theLinesOfAStreamCarryTheTraceOfItsRequest() {
    String trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    pause(door.service(), "so that the queue keeps them");
    door.send(
        door.request("web", "/api/v1/statements/orders.insert")
            .header("Content-Type", "application/x-ndjson")
            .header("traceparent", trace)
            .POST(BodyPublishers.ofString(orders(1, 3))));
    List<String> traces = new ArrayList<>();
    for (int partition = 0; partition < 2; partition++) {
      try (Tailer tailer = door.service().in().tailer(partition)) {
        tailer.poll(
            3,
            (position, bytes) ->
                traces.add(Message.peek("main.in", 0, position, bytes).trace().toString()));
      }
    }
    assertThat(traces).containsExactly(trace, trace, trace);
  }

  private static String order(long id) {
    return "{\"id\":" + id + ",\"item\":\"tea\"}";
  }

  /** The lines of these numbers, each with an order of this number. */
  private static String orders(long from, long to) {
    return LongStream.rangeClosed(from, to)
        .mapToObj(id -> order(id) + "\n")
        .collect(Collectors.joining());
  }

  private Answer send(String caller, String query, String body) {
    return door.send(
        door.request(caller, "/api/v1/statements/orders.insert" + query)
            .header("Content-Type", "application/x-ndjson")
            .POST(BodyPublishers.ofString(body)));
  }

  private static List<JsonNode> documents(Answer answer) {
    return answer.text().lines().map(RunningDoor.JSON::readTree).toList();
  }

  private long count() {
    return door.post("web", "/api/v1/statements/orders.count?wait=10s", "{}")
        .body()
        .get("rows")
        .get(0)
        .get(0)
        .asLong();
  }

  @Test
  void performsEachLineAndAcknowledgesThemInGroups() {
    Answer answer = send("web", "?stream=s-1&level=performed&group=1000", orders(1, 2_500));

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header("Content-Type")).isEqualTo("application/x-ndjson");
    List<JsonNode> documents = documents(answer);
    assertThat(documents.getLast())
        .hasToString("{\"complete\":true,\"last\":2500,\"accepted\":2500,\"refused\":0}");
    long next = 1;
    for (JsonNode group : documents.subList(0, documents.size() - 1)) {
      assertThat(group.get("from").asLong()).isEqualTo(next);
      next = group.get("to").asLong() + 1;
      assertThat(group.get("accepted").asLong())
          .isEqualTo(next - group.get("from").asLong())
          .isLessThanOrEqualTo(1_000);
      JsonNode positions = group.get("positions");
      assertThat(positions.size()).as("a stream without key stays in a partition").isEqualTo(1);
      assertThat(positions.get(0).get("last").asLong() - positions.get(0).get("first").asLong())
          .isEqualTo(group.get("accepted").asLong() - 1);
    }
    assertThat(next).isEqualTo(2_501);
    JsonNode progress = door.get("web", answer.header("Location")).body();
    assertThat(progress.get("done").asLong()).isEqualTo(2_500);
    assertThat(progress.get("failed").asLong()).isZero();
    assertThat(progress.get("partitions").get(0).get("line").asLong()).isEqualTo(2_500);
    assertThat(count()).isEqualTo(2_500);
    assertThat(door.get("other", answer.header("Location")).problem()).isEqualTo("unknown-stream");
  }

  @Test
  void aBadLineIsAnsweredWithItsNumberAndLeavesTheOthersAlone() {
    String tooLong = "{\"id\":8,\"item\":\"" + "x".repeat(3_000) + "\"}";
    String body =
        String.join(
            "\n",
            order(1),
            "{\"id\":2",
            "",
            "{\"id\":4}",
            order(5) + "\r",
            "[]",
            order(7) + order(7),
            tooLong,
            "{\"id\":9,\"item\":\"\\u0000\"}",
            order(1),
            order(11));
    Answer answer = send("web", "?stream=s&level=performed", body);

    List<JsonNode> documents = documents(answer);
    assertThat(documents.getLast())
        .hasToString("{\"complete\":true,\"last\":11,\"accepted\":4,\"refused\":6}");
    assertThat(
            documents.stream()
                .filter(each -> each.has("problem") && each.has("line"))
                .map(each -> each.get("line") + " " + each.get("problem").get("type").asString()))
        .containsExactly(
            "2 urn:forebay:problem:malformed-json",
            "4 urn:forebay:problem:invalid-parameters",
            "6 urn:forebay:problem:invalid-parameters",
            "7 urn:forebay:problem:malformed-json",
            "8 urn:forebay:problem:too-large",
            "9 urn:forebay:problem:invalid-parameters");
    JsonNode progress = door.get("web", answer.header("Location")).body();
    assertThat(progress.get("done").asLong()).isEqualTo(3);
    assertThat(progress.get("failed").asLong()).as("order 1 was there").isEqualTo(1);
    assertThat(count()).isEqualTo(3);
  }

  @Test
  void linesWithPartitionKeysAreResumedInEachPartition() {
    for (long from : List.of(1L, 31L, 1L)) {
      Answer answer =
          door.send(
              door.request(
                      "web",
                      "/api/v1/statements/orders.keyed?stream=s&level=performed&from=" + from)
                  .header("Content-Type", "application/x-ndjson")
                  .POST(BodyPublishers.ofString(orders(from, 100))));
      assertThat(documents(answer).getFirst().get("positions").size()).isEqualTo(2);
    }
    JsonNode progress = door.get("web", "/api/v1/streams/s").body();
    assertThat(progress.get("partitions").size()).isEqualTo(2);
    assertThat(progress.get("done").asLong()).isEqualTo(100);
    assertThat(progress.get("failed").asLong()).isZero();
    assertThat(progress.get("repeated").asLong()).isEqualTo(170);
    assertThat(count()).isEqualTo(100);
  }

  @Test
  void aLongLineIsRefusedThoughItsEndComesLater() throws IOException {
    try (Socket socket = new Socket("127.0.0.1", door.address().getPort())) {
      OutputStream out = socket.getOutputStream();
      BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
      String end = "\n" + order(2) + "\n";
      String tooLong = "x".repeat(100_000);
      out.write(
          ("POST /api/v1/statements/orders.insert HTTP/1.1\r\nHost: localhost\r\n"
                  + "X-Caller: web\r\nContent-Type: application/x-ndjson\r\n"
                  + "Content-Length: %d\r\n\r\n%s")
              .formatted(tooLong.length() + end.length(), tooLong)
              .getBytes(UTF_8));
      assertThat(nextWith(in, "HTTP/1.1 200")).as("the name of the stream comes first").isNotNull();
      out.write(end.getBytes(UTF_8));
      assertThat(nextWith(in, "\"line\":1,")).contains("too-large");
      assertThat(nextWith(in, "\"complete\""))
          .isEqualTo("{\"complete\":true,\"last\":2,\"accepted\":1,\"refused\":1}");
    }
  }

  /** The next line that contains a text; null if there is none. */
  private static @Nullable String nextWith(BufferedReader in, String text) throws IOException {
    String line = in.readLine();
    while (line != null && !line.contains(text)) {
      line = in.readLine();
    }
    return line;
  }

  @Test
  void aStreamIsResumedWithoutDoubles() {
    send("web", "?stream=s", orders(1, 100));
    Answer resumed = send("web", "?stream=s&from=51&level=performed", orders(51, 150));
    send("web", "?stream=other&level=performed", orders(151, 160));

    assertThat(documents(resumed).getLast().get("last").asLong()).isEqualTo(150);
    assertThat(count()).isEqualTo(160);
    JsonNode progress = door.get("web", resumed.header("Location")).body();
    assertThat(progress.get("done").asLong()).isEqualTo(150);
    assertThat(progress.get("repeated").asLong()).isEqualTo(50);
    assertThat(progress.get("failed").asLong()).isZero();
  }

  @Test
  void oneRequestWaitsForAllOfAStream() throws Exception {
    pause(door.service(), "so that it waits");
    Answer answer = send("web", "?stream=s", orders(1, 100) + order(1));
    String all = answer.header("Location") + "&performed=101&wait=";
    assertThat(door.get("web", all + "10ms").problem()).isEqualTo("unknown-stream");
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Answer> waiting = threads.submit(() -> door.get("web", all + "30s"));
      door.service().resume();
      assertThat(waiting.get().text()).contains("\"done\":100,\"failed\":1,");
    }
    assertThat(door.get("web", answer.header("Location") + "&performed=x").status()).isEqualTo(400);
  }

  @Test
  void streamsOfTwoCallersMayHaveTheSameName() {
    String stream = send("web", "?stream=s&level=performed", orders(1, 10)).header("Location");
    send("other", "?stream=s&level=performed", orders(101, 105));

    assertThat(door.get("web", stream).text()).contains("\"done\":10,\"failed\":0,");
    assertThat(door.get("other", stream).text()).contains("\"done\":5,\"failed\":0,");
    assertThat(count()).isEqualTo(15);
  }

  @Test
  void aStreamMayNameAStatementPerLine() {
    String body =
        """
        {"name":"orders.insert","params":{"id":1,"item":"tea"}}
        {"params":{"id":2,"item":"milk"},"name":"orders.insert"}
        {"name":"orders.count"}
        {"name":"orders.none"}
        {"id":3,"item":"tea"}
        """;
    Answer answer =
        door.send(
            door.request("web", "/api/v1/statements?level=performed")
                .header("Content-Type", "application/x-ndjson")
                .POST(BodyPublishers.ofString(body)));
    assertThat(
            documents(answer).stream()
                .filter(each -> each.has("line"))
                .map(each -> each.get("line") + " " + each.get("problem").get("type").asString()))
        .containsExactly(
            "4 urn:forebay:problem:unknown-statement", "5 urn:forebay:problem:invalid-parameters");
    assertThat(documents(answer).getLast().get("accepted").asInt()).isEqualTo(3);
    assertThat(count()).isEqualTo(2);
  }

  @Test
  void aStreamWithoutANameGetsOne() {
    Answer answer = send("web", "?level=performed", orders(1, 3));

    String location = answer.header("Location");
    assertThat(location).startsWith("/api/v1/streams/");
    assertThat(door.get("web", location).body().get("done").asInt()).isEqualTo(3);
    assertThat(door.get("other", location).problem()).isEqualTo("unknown-stream");
  }

  @Test
  void anArrayIsNoStream() {
    for (String path : List.of("/orders.insert", "")) {
      Answer answer = door.post("web", "/api/v1/statements" + path, "[" + order(1) + "]");
      assertThat(answer.problem()).as(path).isEqualTo("invalid-parameters");
    }
    assertThat(count()).isZero();
  }

  @Test
  void acknowledgesWhatHasArrivedBeforeTheNextLineComes() throws IOException {
    try (Socket socket = new Socket("127.0.0.1", door.address().getPort())) {
      OutputStream out = socket.getOutputStream();
      BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
      begin(out, "?stream=s");
      for (int id = 1; id <= 5; id++) {
        chunk(out, orders(id, id));
        assertThat(nextWith(in, "\"to\":" + id + ","))
            .as("the acknowledgement of line %d", id)
            .isNotNull();
      }
      out.write("0\r\n\r\n".getBytes(UTF_8));
      assertThat(nextWith(in, "\"complete\"")).contains("true");
    }
  }

  @Test
  void aLineWithoutEndStopsTheStream() {
    Answer answer = send("web", "?stream=s", orders(1, 2) + "x".repeat(65 << 20));

    JsonNode last = documents(answer).getLast();
    assertThat(last.get("complete").asBoolean()).isFalse();
    assertThat(last.get("resume").asLong()).isEqualTo(3);
    assertThat(last.get("problem").get("status").asInt()).isEqualTo(413);
    await().until(() -> count() == 2);
  }

  @Test
  void resumesAtTheLineThatComesAfterTheTimeToDeliver() throws IOException {
    Instant over = Instant.now().plusSeconds(10);
    try (Socket socket = new Socket("127.0.0.1", door.address().getPort())) {
      OutputStream out = socket.getOutputStream();
      BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
      begin(out, "?stream=s&deliver-by=" + over);
      chunk(out, orders(1, 1));
      assertThat(nextWith(in, "\"to\":1,")).isNotNull();
      await().atMost(Duration.ofSeconds(30)).until(() -> Instant.now().isAfter(over));
      chunk(out, orders(2, 2));
      assertThat(nextWith(in, "\"complete\"")).contains("\"resume\":2,\"accepted\":1");
    }
  }

  private static void begin(OutputStream out, String query) throws IOException {
    out.write(
        """
        POST /api/v1/statements/orders.insert%s HTTP/1.1\r
        Host: localhost\r
        X-Caller: web\r
        Content-Type: application/x-ndjson\r
        Transfer-Encoding: chunked\r
        \r
        """
            .formatted(query)
            .getBytes(UTF_8));
  }

  private static void chunk(OutputStream out, String text) throws IOException {
    out.write((Integer.toHexString(text.length()) + "\r\n" + text + "\r\n").getBytes(UTF_8));
  }

  @Test
  void theSenderWaitsWhileTheQueueIsFull() throws Exception {
    pause(door.service(), "so that the queue fills up");
    Future<Answer> answer;
    try (ExecutorService sender = Executors.newVirtualThreadPerTaskExecutor()) {
      answer = sender.submit(() -> send("web", "?stream=s", orders(1, 40_000)));
      await().until(() -> isFull());
      assertThat(answer.isDone()).isFalse();
      door.service().resume();
    }
    assertThat(documents(answer.get()).getLast().get("complete").asBoolean()).isTrue();
    await().until(() -> count() == 40_000);
  }

  /** Whether a statement is refused; its partition depends on chance. */
  private boolean isFull() {
    return door.post("web", "/api/v1/statements/orders.count", "{}").status() == 429;
  }

  @Test
  void endsWithTheRefusalIfTheQueueStaysFull() throws Exception {
    pause(door.service(), "so that the queue fills up");
    JsonNode last = documents(send("web", "?stream=s", orders(1, 40_000))).getLast();
    assertThat(last.get("complete").asBoolean()).isFalse();
    assertThat(last.get("problem").get("type").asString()).endsWith("queue-full");
    long resume = last.get("resume").asLong();
    assertThat(last.get("accepted").asLong()).isEqualTo(resume - 1);
    door.service().resume();
    send("web", "?stream=s&level=performed&from=" + resume, orders(resume, 40_000));
    assertThat(count()).isEqualTo(40_000);
  }

  @Test
  void aBadQueryIsAnsweredBeforeTheBodyIsRead() {
    for (String query :
        List.of(
            "stream=a/b",
            "stream=",
            "from=0",
            "from=x",
            "group=0",
            "group=10001",
            "level=replicated",
            "level=process",
            "stream=a&stream=b")) {
      Answer answer = send("web", "?" + query, orders(1, 1));
      assertThat(answer.status()).as(query).isEqualTo(400);
      assertThat(answer.problem()).isEqualTo("invalid-request");
    }
    for (String path : List.of("/orders.insert", "?gateway=none")) {
      Answer answer =
          door.send(
              door.request("web", "/api/v1/statements" + path)
                  .header("Content-Type", "application/x-ndjson")
                  .header("Idempotency-Key", "it would not be kept")
                  .POST(BodyPublishers.ofString(orders(1, 1))));
      assertThat(answer.problem()).as(path).isEqualTo("invalid-request");
    }
    assertThat(count()).isZero();
  }

  @Test
  void onlyGrantedCallersMaySend() {
    assertThat(send("guest", "?stream=s", orders(1, 1)).status()).isEqualTo(403);
    assertThat(send("", "?stream=s", orders(1, 1)).status()).isEqualTo(401);
    assertThat(count()).isZero();
  }

  /** Begins a stream, and sends a part of its first line. */
  private Socket begin() throws IOException {
    Socket socket = new Socket("127.0.0.1", door.address().getPort());
    socket
        .getOutputStream()
        .write(
            ("POST /api/v1/statements/orders.insert HTTP/1.1\r\nHost: localhost\r\n"
                    + "X-Caller: web\r\nContent-Type: application/x-ndjson\r\n"
                    + "Content-Length: 1000000\r\n\r\n{")
                .getBytes(UTF_8));
    return socket;
  }

  @Test
  void onlySoManyStreamsMayBeSentAtTheSameTime() throws Exception {
    List<Socket> begun = new ArrayList<>();
    try {
      for (int i = 0; i < 2; i++) {
        begun.add(begin());
      }
      await().until(() -> send("web", "", "").status() == 429);
    } finally {
      for (Socket socket : begun) {
        socket.close();
      }
    }
    await().until(() -> send("web", "", "").status() == 200);
  }

  @Tag("proof")
  @Test
  void tenThousandStreamsLeaveTheServiceHealthy() throws Exception {
    AtomicInteger accepted = new AtomicInteger();
    try (ExecutorService senders = Executors.newVirtualThreadPerTaskExecutor()) {
      Semaphore atOnce = new Semaphore(1_000);
      List<Future<Boolean>> sent = new ArrayList<>();
      CountDownLatch refused = new CountDownLatch(10_000 - 2);
      for (int i = 0; i < 10_000; i++) {
        atOnce.acquire();
        sent.add(
            senders.submit(() -> {
              try (Socket socket = begin()) {
                String status =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8))
                        .readLine();
                if (status.startsWith("HTTP/1.1 429")) {
                  refused.countDown();
                } else {
                  assertThat(status).startsWith("HTTP/1.1 200");
                  accepted.incrementAndGet();
                  refused.await();
                }
                return true;
              } finally {
                atOnce.release();
              }
            }));
      }
      for (Future<Boolean> each : sent) {
        assertThat(each.get()).isTrue();
      }
    }
    assertThat(accepted.get()).isEqualTo(2);
    assertThat(door.post("web", "/api/v1/statements/orders.count?wait=10s", "{}").status())
        .isEqualTo(200);
    await().until(() -> send("web", "", "").status() == 200);
  }

  @Test
  void aStoppingServiceSaysWhereToResume() throws Exception {
    try (Socket socket = new Socket("127.0.0.1", door.address().getPort())) {
      OutputStream out = socket.getOutputStream();
      BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
      String line = order(1) + "\n";
      out.write(
          ("POST /api/v1/statements/orders.insert?stream=s HTTP/1.1\r\nHost: localhost\r\n"
                  + "X-Caller: web\r\nContent-Type: application/x-ndjson\r\n"
                  + "Content-Length: 1000000\r\n\r\n"
                  + line)
              .getBytes(UTF_8));
      assertThat(nextWith(in, "\"to\":1,")).isNotNull();
      door.bean(WaitingRequests.class).stop();
      out.write((order(2) + "\n").getBytes(UTF_8));
      assertThat(nextWith(in, "\"complete\"")).contains("\"complete\":false,\"resume\":2,");
    }
  }
}
