/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.forebay.client.CuttingProxy.Cut;
import io.forebay.testing.ChildProcess;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples in Python that need only its standard library. */
class PythonStreamTest {

  private static final String PYTHON = System.getenv().getOrDefault("PYTHON_OF_TESTS", "python3");
  private static final String EXAMPLES = "../examples/python-client/";
  private static final Duration WAIT = Duration.ofSeconds(60);

  @TempDir Path directory;

  @Test
  void sendsEachLineOnceThoughConnectionsBreakAndItIsRunAgain() throws Exception {
    assumeFalse(ChildProcess.tryRun(PYTHON, "--version").isEmpty(), "there is no Python");
    Path lines =
        Files.writeString(
            directory.resolve("lines"),
            IntStream.rangeClosed(1, 5_000)
                .mapToObj(
                    id -> id == 7 ? "{\"id\":7}\n" : "{\"id\":%d,\"item\":\"tea\"}\n".formatted(id))
                .collect(Collectors.joining()));
    List<Cut> cuts =
        List.of(
            CuttingProxy.NO_ANSWER, new Cut(10_000, Long.MAX_VALUE), new Cut(Long.MAX_VALUE, 500));
    try (TestDoor door = TestDoor.start(directory);
        DoorClient client = DoorClient.to(door.address(), DoorOptions.defaults().withToken("web"));
        CuttingProxy proxy = CuttingProxy.to(door.address(), cuts)) {
      await()
          .ignoreExceptions()
          .until(() -> !client.result(client.send("orders.count", Map.of()), WAIT).has("error"));
      String first = run(proxy.address(), lines);
      assertThat(first).contains("{\"last\": 5000, \"refused\": {\"7\": {");
      assertThat(proxy.cuts()).isEqualTo(3);
      run(proxy.address(), lines);
      assertThat(door.progress("python", 4_999).path("done").asLong()).isEqualTo(4_999);
      assertThat(
              client.result(client.send("orders.count", Map.of()), WAIT).at("/rows/0/0").asLong())
          .isEqualTo(4_999);
    }
  }

  @Test
  void printsEachResultOnceThoughConnectionsBreakAndItIsRunAgain() throws Exception {
    assumeFalse(ChildProcess.tryRun(PYTHON, "--version").isEmpty(), "there is no Python");
    List<Cut> cuts = List.of(CuttingProxy.NO_ANSWER, new Cut(Long.MAX_VALUE, 5_000));
    try (TestDoor door = TestDoor.start(directory);
        DoorClient client = DoorClient.to(door.address(), DoorOptions.defaults().withToken("web"));
        CuttingProxy proxy = CuttingProxy.to(door.address(), cuts)) {
      AtomicInteger counts = new AtomicInteger();
      await()
          .ignoreExceptions()
          .until(() -> {
            Receipt count = client.send("orders.count", Map.of());
            counts.incrementAndGet();
            return !client.result(count, WAIT).has("error");
          });
      follow(door.address(), counts.get());
      sendOrders(client, 1, 300);
      List<String> first = follow(proxy.address(), 300);
      assertThat(first).hasSize(300).doesNotHaveDuplicates();
      assertThat(proxy.cuts()).isEqualTo(2);
      sendOrders(client, 301, 350);
      List<String> second = follow(proxy.address(), 50);
      assertThat(second).hasSize(50).doesNotContainAnyElementsOf(first);
      assertThat(second.getLast()).contains("\"stream\": \"s\", \"line\": 350");
    }
  }

  private static void sendOrders(DoorClient client, long from, long to) throws Exception {
    StatementStream stream =
        client.stream("s", "orders.place", StreamOptions.defaults().withFrom(from));
    for (long id = from; id <= to; id++) {
      stream.send(Map.of("id", id, "item", "tea"));
    }
    stream.finish();
  }

  private List<String> follow(URI door, long until) {
    ProcessBuilder command = program("follow.py", door);
    command.command().addAll(List.of("--position", directory.resolve("position").toString()));
    command.command().addAll(List.of("--until", Long.toString(until)));
    return output(command).stream().filter(line -> line.startsWith("{")).toList();
  }

  private static String run(URI door, Path lines) {
    ProcessBuilder command = program("stream.py", door).redirectInput(lines.toFile());
    command.command().addAll(List.of("python", "orders.place"));
    return String.join("\n", output(command));
  }

  private static ProcessBuilder program(String name, URI door) {
    return new ProcessBuilder(
        PYTHON, "-B", EXAMPLES + name, "--door", door.toString(), "--token", "web");
  }

  private static List<String> output(ProcessBuilder command) {
    try (ChildProcess process = ChildProcess.start(command).within(Duration.ofMinutes(2))) {
      process.awaitEnd(0);
      return process.lines();
    }
  }
}
