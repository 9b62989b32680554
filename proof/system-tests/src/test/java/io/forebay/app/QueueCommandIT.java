/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.testing.ChildProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The command {@code queue} beside a service under load, and after it was killed. */
@Tag("proof")
class QueueCommandIT {

  private static final JsonMapper JSON = JsonMapper.shared();

  @TempDir Path directory;
  private final HttpClient http = HttpClient.newHttpClient();
  private final AtomicInteger accepted = new AtomicInteger();

  @Test
  void readsTheQueuesOfAServiceUnderLoadAndOfAKilledOneAndChangesNothing() throws Exception {
    Path data = directory.resolve("data");
    try (ExecutorService client = Executors.newVirtualThreadPerTaskExecutor();
        ForebayProcess forebay = ForebayProcess.start(data)) {
      String token = forebay.token();
      URI notes = URI.create("http://" + forebay.address() + "/api/v1/statements/notes.add");
      client.submit(() -> send(notes, token));
      await().until(() -> accepted.get() > 100);
      underLoad(data);
      forebay.process().kill();
    }
    killed(data);
    replayed(data);
  }

  private void underLoad(Path data) throws IOException {
    int before = accepted.get();
    long listed = messages(output(0, data, "ls"), "main.in");
    assertThat(listed).isBetween((long) before, (long) accepted.get() + 1);
    try (ChildProcess tail = start(data, "tail", "-f", "--queue", "main.in", "--limit", "1")) {
      tail.until(() -> tail.lines().size() > 20);
      // Not INT, which processes ignore if a shell started the build in the background.
      ChildProcess.signal("TERM", tail.pid());
      assertThat(tail.awaitEnd()).isZero();
      assertThat(tail.errors()).isEmpty();
      assertThat(positions(tail.lines())).isSorted().doesNotHaveDuplicates();
    }
    assertThat(output(0, data, "dump", "--queue=main.in", "--from=10", "--to=19"))
        .hasSize(10)
        .allSatisfy(message -> {
          assertThat(message.path("statement").asString()).isEqualTo("notes.add");
          assertThat(message.path("kind").asString()).isEqualTo("statement");
          assertThat(message.has("arguments")).isFalse();
        });
  }

  private void killed(Path data) throws IOException {
    Map<String, String> before = files(data);
    List<JsonNode> all = output(0, data, "dump", "--queue", "main.in", "--values");
    assertThat(all).hasSizeBetween(accepted.get(), accepted.get() + 1);
    assertThat(positions(all))
        .isEqualTo(Stream.iterate(0L, it -> it + 1).limit(all.size()).toList());
    assertThat(messages(output(0, data, "ls"), "main.in")).isEqualTo(all.size());
    JsonNode one = all.get(50);
    assertThat(one.path("arguments").path(0).asString()).isEqualTo("\"secret 50\"");

    List<JsonNode> found =
        output(0, data, "grep", "--id", one.path("id").asString(), "--queue=main.in");
    assertThat(found).singleElement().extracting(it -> it.path("key")).isEqualTo(one.path("key"));
    assertThat(output(0, data, "grep", "--id", one.path("id").asString())).hasSize(2);
    assertThat(output(1, data, "grep", "--key", "no such key")).isEmpty();
    List<JsonNode> last = output(0, data, "tail", "--queue", "main.in");
    assertThat(positions(last)).isEqualTo(positions(all.subList(all.size() - 10, all.size())));
    assertThat(output(0, data, "dump", "--queue=main.in", "--limit=1", "--from=60"))
        .singleElement()
        .extracting(it -> it.path("position").asInt())
        .isEqualTo(60);
    assertThat(files(data)).isEqualTo(before);
  }

  /** In the new version, notes have at most 8 characters. */
  private void replayed(Path data) throws Exception {
    String fresh = directory.resolve("fresh").toString();
    String[] replay = {"replay", "--queue=main.in", "--into=" + fresh};
    Map<String, String> before = files(data);
    assertThat(
            output(0, data, and(replay, "--from=5", "--to=14")).getFirst().path("copied").asInt())
        .isEqualTo(10);

    Path migrations = Files.createDirectories(directory.resolve("migrations"));
    Files.writeString(
        migrations.resolve("V1__note.sql"),
        "create table note (id bigint generated always as identity, text varchar(8))");
    try (ForebayProcess forebay =
        ForebayProcess.start(
            Path.of(fresh), "--forebay.gateways.main.migrations=filesystem:" + migrations)) {
      HttpRequest main =
          HttpRequest.newBuilder(
                  URI.create("http://" + forebay.address() + "/api/v1/services/main"))
              .header("Authorization", "Bearer " + forebay.token())
              .build();
      await()
          .until(
              () -> http.send(main, BodyHandlers.ofString()).body(),
              it -> it.contains("\"performed\":10"));
    }
    assertThat(output(0, Path.of(fresh), "dump", "--queue=main.in")).hasSize(10);
    List<JsonNode> answers = output(0, Path.of(fresh), "dump", "--queue=main.out");
    assertThat(answers.subList(0, 5))
        .extracting(it -> it.path("kind").asString())
        .containsOnly("result");
    assertThat(answers.subList(5, 10))
        .extracting(it -> it.path("error").asString())
        .allMatch(it -> it.startsWith("22001"));
    assertThat(files(data)).isEqualTo(before);
  }

  private static String[] and(String[] arguments, String... more) {
    return Stream.concat(Stream.of(arguments), Stream.of(more)).toArray(String[]::new);
  }

  private void send(URI notes, String token) {
    try {
      while (true) {
        int id = accepted.get();
        HttpRequest request =
            HttpRequest.newBuilder(notes)
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", "note-" + id)
                .POST(BodyPublishers.ofString("{\"text\": \"secret " + id + "\"}"))
                .build();
        if (http.send(request, BodyHandlers.ofString()).statusCode() != 202) {
          return;
        }
        accepted.incrementAndGet();
      }
    } catch (IOException e) {
      // the service was killed
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static ChildProcess start(Path data, String... arguments) throws IOException {
    return ForebayProcess.command(
        Stream.of(
                Stream.of("queue"),
                Stream.of(arguments),
                Stream.of("--format=ndjson", "--forebay.data=" + data))
            .flatMap(it -> it)
            .toArray(String[]::new));
  }

  private static List<JsonNode> output(int status, Path data, String... arguments)
      throws IOException {
    try (ChildProcess command = start(data, arguments)) {
      assertThat(command.awaitEnd()).as(command.output()).isEqualTo(status);
      // Writing uses Chronicle, and Java warns of its access to memory.
      assertThat(command.errors()).allMatch(it -> it.startsWith("WARNING: "));
      return command.lines().stream().map(JSON::readTree).toList();
    }
  }

  private static List<Long> positions(List<?> messages) {
    return messages.stream()
        .map(it -> it instanceof JsonNode node ? node : JSON.readTree((String) it))
        .map(it -> it.path("position").asLong())
        .toList();
  }

  private static long messages(List<JsonNode> listed, String queue) {
    return listed.stream()
        .filter(it -> it.path("queue").asString().equals(queue))
        .mapToLong(it -> it.path("partitions").path(0).path("messages").asLong())
        .sum();
  }

  /** Each file with its size and the time of its last change. */
  private static Map<String, String> files(Path data) throws IOException {
    Map<String, String> files = new TreeMap<>();
    try (Stream<Path> found = Files.walk(data)) {
      for (Path file : found.toList()) {
        files.put(file.toString(), Files.size(file) + " " + Files.getLastModifiedTime(file));
      }
    }
    return files;
  }
}
