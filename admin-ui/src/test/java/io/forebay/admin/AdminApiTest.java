/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.forebay.admin.failures.ShownValues;
import io.forebay.call.Protocol;
import io.forebay.call.Writer;
import io.forebay.hosting.HostedService;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.operations.DesiredState;
import io.forebay.operations.DesiredStates;
import io.forebay.operations.Instance;
import io.forebay.operations.ServiceOperations;
import io.forebay.operations.ServiceView;
import io.forebay.operations.Services;
import io.forebay.operations.failures.Failure;
import io.forebay.operations.failures.FailureValues;
import io.forebay.operations.failures.Failures;
import io.forebay.operations.failures.ReplayRefused;
import io.forebay.operations.jobs.JobOperations;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.service.Service;
import io.forebay.service.ServiceOptions;
import io.forebay.service.ServiceState.Phase;
import io.forebay.service.errors.BlockingMessage;
import io.forebay.service.progress.Unavailable;
import io.forebay.web.Problem;
import jakarta.servlet.Filter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The admin API over real HTTP, with a real service. */
@ExtendWith(OutputCaptureExtension.class)
class AdminApiTest {

  /** The protocol of the test service. */
  public interface Greeting {
    void greet(String name);
  }

  @SpringBootConfiguration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @Import(AdminAccess.Checked.class)
  static class Application {}

  @TempDir private Path data;
  private final MemoryBackend backend = MemoryBackend.open();
  private final Protocol<Greeting> protocol = Protocol.of(Greeting.class);
  private final List<Audit.Entry> audited = new ArrayList<>();
  private final RecordedFailures failures = new RecordedFailures();
  private final RecordedJobs jobs = new RecordedJobs();
  private final List<String> failed = new ArrayList<>();
  private @Nullable BlockingMessage waitsFor;
  private boolean auditAway;
  private Service<Greeting, Greeting> service;
  private ServletWebServerApplicationContext context;
  private final HttpClient http = HttpClient.newHttpClient();

  @BeforeEach
  void start() {
    service =
        new Service<>(
            "greeting",
            new Service.End<>(backend.open("greeting.in", 1), protocol),
            new Service.End<>(backend.open("greeting.out", 1), protocol),
            (_, answers) -> answers,
            ServiceOptions.defaults());
    service.start();
    context =
        (ServletWebServerApplicationContext)
            new SpringApplicationBuilder(Application.class)
                .initializers(it -> beans((GenericApplicationContext) it))
                .run(
                    "--spring.mvc.problemdetails.enabled=true",
                    "--server.port=0",
                    "--server.address=127.0.0.1",
                    "--forebay.backend=memory",
                    "--forebay.data=" + data);
  }

  private void beans(GenericApplicationContext it) {
    it.registerBean(Instance.class, () -> new Instance("test", "memory", Instant.EPOCH));
    it.registerBean(Services.class, () -> new Services(List.of(operations()), new Stored()));
    it.registerBean(Failures.class, () -> failures);
    it.registerBean(JobOperations.class, jobs::operations);
    it.registerBean(Audit.class, Recording::new);
    it.registerBean(Filter.class, LoggedIn::filter);
  }

  /** Desired states in memory. */
  private static final class Stored implements DesiredStates {

    private final Map<String, DesiredState> states = new ConcurrentHashMap<>();

    @Override
    public List<DesiredState> all() {
      return List.copyOf(states.values());
    }

    @Override
    public void keep(DesiredState desired) {
      states.put(desired.service(), desired);
    }

    @Override
    public DesiredState pause(DesiredState desired, @Nullable Instant replaces) {
      DesiredState before = states.get(desired.service());
      if (before != null && before.paused() && !before.at().equals(replaces)) {
        return before;
      }
      DesiredState stored = before == null ? desired : desired.replacing(before);
      keep(stored);
      return stored;
    }

    @Override
    public boolean end(DesiredState pause, DesiredState running) {
      return states.replace(pause.service(), pause, running);
    }
  }

  /** The service, whose partition waits for a message as the test says. */
  private ServiceOperations operations() {
    ServiceOperations real = new HostedService<>(service);
    return (ServiceOperations)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {ServiceOperations.class},
            (_, method, arguments) ->
                switch (method.getName()) {
                  case "view" -> waiting(real.view());
                  case "failMessage" -> fail((int) arguments[0], (long) arguments[1], arguments[2]);
                  default -> invoked(method, real, arguments);
                });
  }

  private static Object invoked(Method method, Object target, Object[] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getTargetException();
    }
  }

  private ServiceView waiting(ServiceView view) {
    return new ServiceView(
        view.name(),
        view.state(),
        view.partitions().stream().map(one -> one.withWaitsFor(waitsFor)).toList(),
        view.counts());
  }

  private boolean fail(int partition, long position, Object reason) {
    boolean waits = waitsFor != null && waitsFor.position() == position;
    if (waits) {
      failed.add("%d/%d %s".formatted(partition, position, reason));
    }
    return waits;
  }

  @AfterEach
  void stop() {
    context.close();
    service.close();
    backend.close();
  }

  private final class Recording implements Audit {
    @Override
    public void record(Entry entry) {
      if (auditAway) {
        throw new Unavailable("the audit is away", null);
      }
      audited.add(entry);
    }

    @Override
    public List<Recorded> before(long before, int limit, Filter filter) {
      return List.of();
    }
  }

  /** One failure, which can be replayed once. */
  private static final class RecordedFailures implements Failures {
    Failure failure =
        new Failure(
            "shop~0~7~q",
            "shop",
            0,
            7,
            UUID.randomUUID(),
            "DATA",
            "22000",
            "d",
            null,
            99,
            Instant.EPOCH,
            null,
            0,
            null);
    boolean hasBytes = true;
    boolean deletedBeforeItIsRead;
    int replays;
    final Map<Failure.State, Instant> groupsOf = new EnumMap<>(Failure.State.class);

    @Override
    public Page page(Filter filter, @Nullable String before, int limit) {
      if (limit > MAX_LIMIT) {
        throw new IllegalArgumentException("limit is " + limit);
      }
      return new Page(List.of(failure), "next");
    }

    @Override
    public List<Group> groups(@Nullable String service, Instant from, Failure.State state) {
      groupsOf.put(state, from);
      return List.of();
    }

    @Override
    public long count(String service, Failure.State state, int atMost) {
      return 0;
    }

    @Override
    public Optional<Failure> decide(String id, Failure.State to, String by, String reason) {
      failure.mustAllow(to);
      failure =
          with(
              null,
              to == Failure.State.OPEN
                  ? null
                  : new Failure.Decision(to, by, Instant.EPOCH, reason));
      return Optional.of(failure);
    }

    @Override
    public Optional<byte[]> message(String id) {
      if (deletedBeforeItIsRead) {
        failure = null;
      }
      return find(id).filter(_ -> hasBytes).map(_ -> "SECRET".getBytes(StandardCharsets.UTF_8));
    }

    private Failure with(Failure.@Nullable Replay replay, Failure.@Nullable Decision decision) {
      return new Failure(
          failure.id(),
          "shop",
          0,
          7,
          failure.messageId(),
          "DATA",
          "22000",
          "d",
          null,
          99,
          Instant.EPOCH,
          replay,
          replay == null ? replays : 1,
          decision);
    }

    @Override
    public Optional<Failure> find(String id) {
      return Optional.ofNullable(failure).filter(it -> it.id().equals(id));
    }

    @Override
    public int decideAll(List<String> ids, Failure.State to, String by, String reason) {
      return ids.stream().mapToInt(id -> decide(id, to, by, reason).isPresent() ? 1 : 0).sum();
    }

    @Override
    public Optional<FailureValues> values(String id) {
      return find(id)
          .map(_ ->
              new FailureValues(
                  id,
                  "Key (id)=(SECRET) exists",
                  List.of(new FailureValues.Call("executeUpdate", List.of("[\"SECRET\"]"))),
                  null,
                  null));
    }

    @Override
    public Optional<Failure> replay(String id, String by) {
      if (failure.replay() != null) {
        throw new ReplayRefused("it took effect");
      }
      Failure.Replay replay =
          new Failure.Replay(UUID.randomUUID(), by, Instant.EPOCH, Failure.Outcome.DONE);
      failure = with(replay, null);
      return Optional.of(failure);
    }
  }

  private HttpResponse<String> send(
      String method, String path, @Nullable String role, @Nullable String body) {
    return send(method, path, role, body, HttpResponse.BodyHandlers.ofString());
  }

  private <T> HttpResponse<T> send(
      String method,
      String path,
      @Nullable String role,
      @Nullable String body,
      HttpResponse.BodyHandler<T> handler) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + context.getWebServer().getPort() + path))
            .method(
                method,
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body));
    if (body != null) {
      request.header("Content-Type", "application/json");
    }
    if (role != null) {
      request.header("Role", role);
    }
    try {
      return http.send(request.build(), handler);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static JsonNode json(HttpResponse<String> response) {
    return JsonMapper.shared().readTree(response.body());
  }

  private JsonNode get(String path) {
    HttpResponse<String> response = send("GET", path, "VIEWER", null);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return json(response);
  }

  @Test
  void showsWhatEachServiceDoesAndHowFarItIs() {
    Instant before = Instant.now();
    try (Writer<Greeting> writer = protocol.writer(service.in().queue())) {
      writer.calls().greet("olga");
      await().until(() -> service.position(0) == 1);
      service.pause("for the test");
      await().until(() -> service.state().phase() == Phase.PAUSED);
      writer.calls().greet("otto");
    }
    JsonNode status = get("/api/v1/status");
    assertThat(status.get("instance").asString()).isEqualTo("test");
    assertThat(status.get("backend").asString()).isEqualTo("memory");
    assertThat(status.get("ready").asBoolean()).isTrue();
    JsonNode one = status.get("services").get(0);
    assertThat(one).isEqualTo(get("/api/v1/services/greeting"));
    assertThat(one.get("state").asString()).isEqualTo("paused");
    assertThat(one.get("reason").asString()).isEqualTo("for the test");
    assertThat(one.get("behind").asLong()).isEqualTo(1);
    assertThat(Instant.parse(one.get("oldest").asString()))
        .isBetween(before.truncatedTo(ChronoUnit.MILLIS), Instant.now());
    assertThat(one.get("counts").get("performed").asLong()).isEqualTo(1);
    assertThat(one.get("lastError").isNull()).isTrue();
    JsonNode partition = one.get("partitions").get(0);
    assertThat(partition.get("position").asLong()).isEqualTo(1);
    assertThat(partition.get("end").asLong()).isEqualTo(2);
    assertThat(partition.get("in").get("bytes").asLong()).isPositive();
    assertThat(status.toString()).doesNotContain("otto");
  }

  private static final String UNTIL_RESUMED = "{\"reason\":\"migration\",\"until\":\"never\"}";

  @Test
  void pauseResumeAndDrainAreInTheAudit() {
    assertThat(command("greeting/pause", "OPERATOR", UNTIL_RESUMED)).isEqualTo(200);
    await().until(() -> service.state().phase() == Phase.PAUSED);
    JsonNode desired = get("/api/v1/services/greeting").get("desired");
    assertThat(desired.get("paused").asBoolean()).isTrue();
    assertThat(desired.get("reason").asString()).isEqualTo("migration");
    assertThat(desired.get("by").asString()).isEqualTo("olga");
    assertThat(command("greeting/pause", "OPERATOR", UNTIL_RESUMED)).isEqualTo(200);
    assertThat(command("greeting/resume", "OPERATOR", null)).isEqualTo(200);
    await().until(() -> service.state().phase() == Phase.RUNNING);
    assertThat(command("greeting/resume", "OPERATOR", null)).isEqualTo(200);
    assertThat(command("greeting/drain", "ADMIN", "{\"reason\":\"move\"}")).isEqualTo(202);
    await().until(() -> service.state().phase() == Phase.DRAINED);
    assertThat(get("/api/v1/status").get("ready").asBoolean()).isFalse();
    Actor olga = new Actor(Actor.Kind.APPLICATION, "olga", "operator", "127.0.0.1");
    assertThat(audited)
        .containsExactly(
            Audit.Entry.allowed(olga, "service.pause", "greeting", "migration")
                .changing(
                    new Audit.Change(
                        List.of(
                            new Audit.Field("state", "running", "paused"),
                            new Audit.Field("reason", "", "migration"),
                            new Audit.Field("by", "", "olga")))),
            Audit.Entry.allowed(olga, "service.pause", "greeting", "migration")
                .withOutcome("allowed, was already paused"),
            Audit.Entry.allowed(olga, "service.resume", "greeting", "")
                .changing(
                    new Audit.Change(
                        List.of(
                            new Audit.Field("state", "paused", "running"),
                            new Audit.Field("reason", "migration", ""),
                            new Audit.Field("by", "olga", "")))),
            Audit.Entry.allowed(olga, "service.resume", "greeting", "")
                .withOutcome("allowed, was not paused"),
            Audit.Entry.allowed(
                    new Actor(Actor.Kind.APPLICATION, "olga", "admin", "127.0.0.1"),
                    "service.drain",
                    "greeting",
                    "move")
                .changing(Audit.Change.of("state", "running", "draining")));
  }

  @Test
  void aPauseMayHaveAnEndAndEndsThen() {
    Instant before = Instant.now();
    assertThat(
            command("greeting/pause", "OPERATOR", "{\"reason\":\"migration\",\"until\":\"30m\"}"))
        .isEqualTo(200);
    Instant end = Instant.parse(get("/api/v1/services/greeting").at("/desired/until").asString());
    assertThat(end).isBetween(before.plusSeconds(1799), Instant.now().plusSeconds(1800));
    assertThat(audited)
        .singleElement()
        .satisfies(it ->
            assertThat(it.outcome())
                .isEqualTo("allowed, until " + end.truncatedTo(ChronoUnit.SECONDS)));
    HttpResponse<String> second =
        send(
            "POST",
            "/api/v1/services/greeting/pause",
            "OPERATOR",
            "{\"reason\":\"too slow\",\"until\":\"%s\"}"
                .formatted(end.atOffset(ZoneOffset.ofHours(2))));
    assertThat(second.statusCode()).isEqualTo(409);
    assertThat(json(second).at("/paused/until").asString()).isEqualTo(end.toString());
    assertThat(json(second).get("detail").asString())
        .contains("until " + end.truncatedTo(ChronoUnit.SECONDS));
    assertThat(command("greeting/resume", "OPERATOR", null)).isEqualTo(200);
    assertThat(get("/api/v1/services/greeting").at("/desired/until").isNull()).isTrue();
  }

  @Test
  void aPauseWithoutAnEndInItsRequestEndsAfterFourHours() {
    Instant before = Instant.now();
    String pause = "{\"reason\":\"migration\"}";
    assertThat(command("greeting/pause", "OPERATOR", pause)).isEqualTo(200);
    JsonNode desired = get("/api/v1/services/greeting").get("desired");
    assertThat(Instant.parse(desired.get("until").asString()))
        .isBetween(
            before.plus(Duration.ofHours(4)).truncatedTo(ChronoUnit.SECONDS),
            Instant.now().plus(Duration.ofHours(4)));
    String repeated = "{\"reason\":\"migration\",\"until\":null}";
    assertThat(command("greeting/pause", "OPERATOR", repeated)).isEqualTo(200);
    assertThat(get("/api/v1/services/greeting").get("desired")).isEqualTo(desired);
  }

  @Test
  void aPauseForADurationMayBeRepeated() {
    String pause = "{\"reason\":\"%s\",\"until\":\"%s\"}";
    String first = pause.formatted("migration", "30m");
    assertThat(command("greeting/pause", "OPERATOR", first)).isEqualTo(200);
    JsonNode desired = get("/api/v1/services/greeting").get("desired");
    for (String repeated : List.of(first, pause.formatted("migration", "PT30M"))) {
      assertThat(command("greeting/pause", "OPERATOR", repeated)).isEqualTo(200);
      assertThat(get("/api/v1/services/greeting").get("desired")).isEqualTo(desired);
    }
    String end = Instant.parse(desired.get("until").asString()).plusSeconds(1).toString();
    for (String other :
        List.of(
            pause.formatted("migration", "45m"),
            pause.formatted("migration", "29m"),
            pause.formatted("too slow", "30m"),
            pause.formatted("migration", end))) {
      assertThat(command("greeting/pause", "OPERATOR", other)).as(other).isEqualTo(409);
    }
    assertThat(get("/api/v1/services/greeting").get("desired")).isEqualTo(desired);
  }

  @Test
  void aSecondPauseNeedsTheTimeOfTheFirst() {
    String path = "/api/v1/services/greeting/pause";
    assertThat(command("greeting/pause", "OPERATOR", UNTIL_RESUMED)).isEqualTo(200);
    JsonNode first = get("/api/v1/services/greeting").get("desired");
    HttpResponse<String> refused =
        send("POST", path, "OPERATOR", "{\"reason\":\"too slow\",\"until\":\"never\"}");
    assertThat(refused.statusCode()).isEqualTo(409);
    JsonNode problem = JsonMapper.shared().readTree(refused.body());
    assertThat(problem.get("detail").asString())
        .startsWith("olga has paused the service already (since ")
        .contains("reason: migration");
    JsonNode pause = problem.get("paused");
    assertThat(pause.get("by").asString()).isEqualTo("olga");
    assertThat(pause.get("reason").asString()).isEqualTo("migration");
    assertThat(pause.get("at")).isEqualTo(first.get("at"));
    assertThat(get("/api/v1/services/greeting").get("desired")).isEqualTo(first);

    String seen = "{\"reason\":\"too slow\",\"replaces\":\"%s\"}";
    assertThat(command("greeting/pause", "OPERATOR", seen.formatted("2026-01-01T00:00:00Z")))
        .isEqualTo(409);
    assertThat(command("greeting/pause", "OPERATOR", seen.formatted("yesterday"))).isEqualTo(400);
    assertThat(command("greeting/pause", "OPERATOR", seen.formatted(first.get("at").asString())))
        .isEqualTo(200);
    assertThat(get("/api/v1/services/greeting").at("/desired/reason").asString())
        .isEqualTo("too slow");
    assertThat(audited)
        .extracting(Audit.Entry::reason, it -> it.outcome().substring(0, 7))
        .containsExactly(
            tuple("migration", "allowed"),
            tuple("too slow", "refused"),
            tuple("too slow", "refused"),
            tuple("too slow", "allowed"));
    assertThat(audited.get(1).outcome()).startsWith("refused: already paused by olga since 20");
  }

  @Test
  void onlyDamagedQueuesAreSetAside() {
    String reason = "{\"reason\":\"disk\"}";
    assertThat(command("greeting/partitions/0/set-aside", "ADMIN", reason)).isEqualTo(409);
    assertThat(command("greeting/partitions/0/set-aside", "ADMIN", null)).isEqualTo(400);
    assertThat(command("greeting/partitions/7/set-aside", "ADMIN", reason)).isEqualTo(404);
    assertThat(command("greeting/partitions/x/set-aside", "ADMIN", reason)).isEqualTo(404);
    Audit.Entry entry =
        Audit.Entry.allowed(
            new Actor(Actor.Kind.APPLICATION, "olga", "admin", "127.0.0.1"),
            "service.set-aside",
            "greeting/0",
            "disk");
    assertThat(audited)
        .containsExactly(
            entry.changing(
                Audit.Change.of("damaged files", "in use", "set aside at the next start")),
            entry.withOutcome(
                "failed: The queues of this backend have no files that could be set aside."));
  }

  @Test
  void onlyTheMessageThatAPartitionWaitsForCanFail() {
    String path = "greeting/partitions/0/fail-message";
    String right = "{\"position\":5,\"reason\":\"it holds up the others\"}";
    assertThat(command("nobody/partitions/0/fail-message", "OPERATOR", right)).isEqualTo(404);
    assertThat(command("greeting/partitions/7/fail-message", "OPERATOR", right)).isEqualTo(404);
    assertThat(command("greeting/partitions/x/fail-message", "OPERATOR", right)).isEqualTo(404);
    for (String wrong :
        List.of(
            "{\"position\":5}",
            "{\"reason\":\"r\"}",
            "{\"position\":\"5\",\"reason\":\"r\"}",
            "{\"position\":5.5,\"reason\":\"r\"}",
            "{\"position\":99999999999999999999,\"reason\":\"r\"}")) {
      assertThat(command(path, "OPERATOR", wrong)).as(wrong).isEqualTo(400);
    }
    assertThat(command(path, "OPERATOR", null)).isEqualTo(400);
    assertThat(audited).isEmpty();
    HttpResponse<String> none = send("POST", "/api/v1/services/" + path, "OPERATOR", right);
    assertThat(none.statusCode()).isEqualTo(409);
    assertThat(json(none).get("type").asString()).isEqualTo("urn:forebay:problem:conflict");
    assertThat(json(none).has("waitsFor")).isFalse();
    waitsFor = new BlockingMessage(4, Instant.EPOCH, 12, "SQLState 40001");
    assertThat(get("/api/v1/services/greeting").at("/partitions/0/waitsFor/attempts").asLong())
        .isEqualTo(12);
    HttpResponse<String> other = send("POST", "/api/v1/services/" + path, "OPERATOR", right);
    assertThat(other.statusCode()).isEqualTo(409);
    assertThat(json(other).at("/waitsFor/position").asLong()).isEqualTo(4);
    assertThat(json(other).get("detail").asString()).contains("position 4 now");
    waitsFor = new BlockingMessage(5, Instant.EPOCH, 12, "SQLState 40001");
    HttpResponse<String> done = send("POST", "/api/v1/services/" + path, "OPERATOR", right);
    assertThat(done.statusCode()).isEqualTo(202);
    assertThat(json(done).get("position").asLong()).isEqualTo(5);
    assertThat(failed).containsExactly("0/5 it holds up the others");
    Audit.Entry entry =
        Audit.Entry.allowed(
            new Actor(Actor.Kind.APPLICATION, "olga", "operator", "127.0.0.1"),
            "service.fail-message",
            "greeting/0/5",
            "it holds up the others");
    Audit.Entry allowed =
        entry.changing(Audit.Change.of("message", "blocks the partition", "failed"));
    assertThat(audited)
        .containsExactly(
            allowed,
            entry.withOutcome(
                "failed: This instance waits for no message of the partition; nothing was done."),
            allowed,
            entry.withOutcome(
                "failed: The partition waits for the message at position 4 now; nothing was done."),
            allowed);
    auditAway = true;
    assertThat(command(path, "OPERATOR", right)).isEqualTo(503);
    assertThat(failed).hasSize(1);
  }

  private int command(String path, @Nullable String role, @Nullable String body) {
    return send("POST", "/api/v1/services/" + path, role, body).statusCode();
  }

  @Test
  void nothingIsDoneIfTheAuditCannotBeWritten() {
    auditAway = true;
    HttpResponse<String> response =
        send("POST", "/api/v1/services/greeting/pause", "OPERATOR", "{\"reason\":\"r\"}");
    assertThat(response.statusCode()).isEqualTo(503);
    assertThat(response.headers().firstValue("Retry-After")).isPresent();
    assertThat(send("POST", "/api/v1/failed/shop~0~7~q/replay", "OPERATOR", "{\"reason\":\"r\"}"))
        .extracting(HttpResponse::statusCode)
        .isEqualTo(503);
    assertThat(get("/api/v1/services/greeting").get("desired").isNull()).isTrue();
    assertThat(failures.failure.replay()).isNull();
  }

  @Test
  void onlyAnAdministratorReplaysWhatWasReplayedTooOften() {
    failures.replays = 3;
    failures.failure = failures.with(null, null);
    String replay = "/api/v1/failed/shop~0~7~q/replay";
    String reason = "{\"reason\":\"r\"}";
    assertThat(send("POST", replay, "OPERATOR", reason).statusCode()).isEqualTo(403);
    assertThat(failures.failure.replay()).isNull();
    assertThat(send("POST", replay, "ADMIN", reason).statusCode()).isEqualTo(202);
  }

  @Test
  void aDocumentThatIsTooLargeIsNotRead() {
    String body = "{\"reason\":\"%s\"}".formatted("r".repeat(256 << 10));
    HttpResponse<String> refused =
        send("POST", "/api/v1/services/greeting/pause", "OPERATOR", body);
    assertThat(refused.statusCode()).isEqualTo(413);
    assertThat(refused.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    assertThat(get("/api/v1/services/greeting").get("desired").isNull()).isTrue();
  }

  @Test
  void errorsAreProblemDocuments() {
    Stream.of(
            "GET|/api/v1/services/nobody||404",
            "POST|/api/v1/services/nobody/pause|{\"reason\":\"r\"}|404",
            "POST|/api/v1/services/greeting/pause||400",
            "POST|/api/v1/services/greeting/pause|{\"reason\":\" \"}|400",
            "POST|/api/v1/services/greeting/pause|{\"reason\":\"two\\nlines\"}|400",
            "POST|/api/v1/services/greeting/pause|{\"reason\":|400",
            "POST|/api/v1/services/greeting/pause|{\"reason\":\"r\",\"until\":\"08:00\"}|400",
            "POST|/api/v1/services/greeting/pause|{\"reason\":\"r\",\"until\":30}|400",
            "POST|/api/v1/services/greeting/pause|{\"reason\":\"r\",\"until\":\"0s\"}|400",
            "POST|/api/v1/services/greeting/pause|{\"reason\":\"r\",\"until\":\"PT-1H\"}|400",
            "POST|/api/v1/services/greeting/pause|{\"reason\":\"r\",\"until\":\"31d\"}|400",
            "POST|/api/v1/services/greeting/pause|{\"reason\":\"r\",\"until\":\"2026-01-01T08:00:00Z\"}|400",
            "POST|/api/v1/services/greeting/pause|{\"reason\":\"r\",\"until\":\"+999999999-01-01T00:00:00Z\"}|400",
            "DELETE|/api/v1/services/greeting/pause||405",
            "GET|/api/v1/failed?limit=501||400",
            "GET|/api/v1/failed?limit=many||400",
            "GET|/api/v1/failed/other||404",
            "POST|/api/v1/failed/other/replay|{\"reason\":\"r\"}|404",
            "POST|/api/v1/failed/other/values||404",
            "POST|/api/v1/failed/other/export||404",
            "POST|/api/v1/failed/shop~0~7~q/discard||400",
            "GET|/admin/api/v1/failures?state=gone||400",
            "POST|/admin/api/v1/failures/other/values||404")
        .map(line -> line.split("\\|"))
        .forEach(parts ->
            isRefused(
                parts[0],
                parts[1],
                parts[2].isEmpty() ? null : parts[2],
                Integer.parseInt(parts[3])));
  }

  private void isRefused(String method, String path, @Nullable String body, int expected) {
    String what = method + " " + path + " " + body;
    HttpResponse<String> response = send(method, path, "ADMIN", body);
    assertThat(response.statusCode()).as(what + ": " + response.body()).isEqualTo(expected);
    assertThat(response.headers().firstValue("Content-Type"))
        .as(what)
        .hasValueSatisfying(type -> assertThat(type).startsWith("application/problem+json"));
    assertThat(json(response).get("status").asInt()).as(what).isEqualTo(expected);
    assertThat(audited).as(what).isEmpty();
  }

  @Test
  void listsFailuresAndReplaysOneOnce() {
    JsonNode page = get("/api/v1/failed?service=shop&limit=10");
    assertThat(page.get("next").asString()).isEqualTo("next");
    assertThat(page.get("failures").get(0).get("bytes").asInt()).isEqualTo(99);
    String replay = "/api/v1/failed/shop~0~7~q/replay";
    HttpResponse<String> sent = send("POST", replay, "OPERATOR", "{\"reason\":\"fixed\"}");
    assertThat(sent.statusCode()).isEqualTo(202);
    assertThat(json(sent).get("replay").get("by").asString()).isEqualTo("olga");
    assertThat(audited)
        .extracting(Audit.Entry::action, Audit.Entry::target, Audit.Entry::reason)
        .containsExactly(tuple("failed.replay", "shop~0~7~q", "fixed"));
    assertThat(send("POST", replay, "OPERATOR", "{\"reason\":\"again\"}").statusCode())
        .isEqualTo(409);
    assertThat(audited).last().extracting(Audit.Entry::outcome).asString().startsWith("failed: ");
  }

  @Test
  void commandsToJobsAreInTheAuditWithTheStateBefore() {
    String executions = "/api/v1/jobs/reprice/executions";
    assertThat(send("POST", executions, "OPERATOR", "{}").statusCode()).isEqualTo(202);
    for (String command : List.of("restart", "abandon", "stop")) {
      send("POST", "/api/v1/jobs/executions/7/" + command, "OPERATOR", null);
    }
    assertThat(audited)
        .extracting(it -> it.action() + ": " + it.change().text())
        .containsExactly(
            "job.start: latest execution: 7 FAILED → a new one",
            "job.restart: state: FAILED → restarted as another execution",
            "job.abandon: state: FAILED → ABANDONED",
            "job.stop: state: FAILED → STOPPING");
  }

  @Test
  void numbersForAJobAreTakenAsTheyAreWritten() {
    String parameters = "{\"rate\":1.10,\"id\":12345678901234567890,\"all\":true,\"of\":null}";
    String path = "/api/v1/jobs/reprice/executions";
    send("POST", path, "OPERATOR", "{\"parameters\":" + parameters + "}");
    assertThat(audited)
        .singleElement()
        .extracting(Audit.Entry::target)
        .asString()
        .contains("rate=1.10", "id=12345678901234567890", "all=true");
    assertThat(send("POST", path, "OPERATOR", "{\"parameters\":{\"ids\":[1]}}").body())
        .contains("/parameters/ids", "a number");
  }

  @Test
  void aFailedMessageIsSetAsideReopenedAndDiscarded() {
    String path = "/admin/api/v1/failures/shop~0~7~q/";
    String reason = "{\"reason\":\"r\"}";
    HttpResponse<String> aside = send("POST", path + "set-aside", "OPERATOR", reason);
    assertThat(aside.statusCode()).as(aside.body()).isEqualTo(200);
    assertThat(json(aside).at("/decision/by").asString()).isEqualTo("olga");
    assertThat(json(aside).at("/decision/reason").asString()).isEqualTo("r");
    HttpResponse<String> again = send("POST", path + "set-aside", "OPERATOR", reason);
    assertThat(again.statusCode()).isEqualTo(409);
    assertThat(json(again).get("detail").asString()).contains("set aside by olga");
    assertThat(send("POST", path + "reopen", "OPERATOR", null).statusCode()).isEqualTo(200);
    assertThat(send("POST", path + "discard", "ADMIN", reason).statusCode()).isEqualTo(200);
    assertThat(audited)
        .extracting(it -> it.action() + " " + it.outcome().split(":")[0])
        .containsExactly(
            "failed.set-aside allowed",
            "failed.set-aside allowed",
            "failed.set-aside failed",
            "failed.reopen allowed",
            "failed.discard allowed");
    auditAway = true;
    assertThat(send("POST", path + "reopen", "OPERATOR", null).statusCode()).isEqualTo(503);
  }

  @Test
  void anExportIsAFileWithTheBytesAndThePositionAndIsInTheAudit() {
    String path = "/api/v1/failed/shop~0~7~q/export";
    auditAway = true;
    assertThat(send("POST", path, "OPERATOR", null).statusCode()).isEqualTo(503);
    auditAway = false;
    HttpResponse<String> file = send("POST", path, "OPERATOR", "{\"reason\":\"for the sender\"}");
    assertThat(file.statusCode()).as(file.body()).isEqualTo(200);
    assertThat(file.headers().firstValue("Content-Disposition"))
        .hasValue("attachment; filename=\"failed-shop-0-7.json\"");
    assertThat(file.headers().allValues("Cache-Control")).containsExactly("no-store");
    JsonNode exported = json(file);
    assertThat(exported.get("bytes").binaryValue()).asString().isEqualTo("SECRET");
    assertThat(exported.get("size").asInt()).isEqualTo(6);
    assertThat(exported.get("sha256").asString())
        .isEqualTo("0917b13a9091915d54b6336f45909539cce452b3661b21f386418a257883b30a");
    assertThat(exported.get("queue").asString()).isEqualTo("q");
    assertThat(exported.get("partition").asInt()).isZero();
    assertThat(exported.get("position").asLong()).isEqualTo(7);
    assertThat(audited)
        .singleElement()
        .returns("failed.export", Audit.Entry::action)
        .returns("shop~0~7~q", Audit.Entry::target)
        .returns("for the sender", Audit.Entry::reason);
  }

  @Test
  void anExportTellsAMessageThatWasDeletedFromOneThatIsTooLarge() {
    String path = "/api/v1/failed/shop~0~7~q/export";
    failures.hasBytes = false;
    HttpResponse<String> large = send("POST", path, "OPERATOR", null);
    assertThat(large.statusCode()).isEqualTo(409);
    assertThat(json(large).get("detail").asString()).contains("too large");
    failures.deletedBeforeItIsRead = true;
    HttpResponse<String> deleted = send("POST", path, "OPERATOR", null);
    assertThat(deleted.statusCode()).isEqualTo(404);
    assertThat(json(deleted).get("detail").asString()).contains("deleted");
  }

  @Test
  void groupsAreOfTheLastDayIfTheyAreOpenAndOfAnyTimeOtherwise() {
    get("/admin/api/v1/failures");
    get("/admin/api/v1/failures?state=set-aside");
    get("/admin/api/v1/failures?state=discarded&from=2026-11-20T01:00:00Z");
    assertThat(failures.groupsOf.get(Failure.State.OPEN))
        .isBetween(Instant.now().minusSeconds(86_460), Instant.now().minusSeconds(86_340));
    assertThat(failures.groupsOf.get(Failure.State.SET_ASIDE)).isEqualTo(Instant.EPOCH);
    assertThat(failures.groupsOf.get(Failure.State.DISCARDED)).isEqualTo("2026-11-20T01:00:00Z");
  }

  @ParameterizedTest
  @CsvSource({
    "/api/v1/failed/shop~0~7~q/values, failed.values",
    "/admin/api/v1/failures/shop~0~7~q/values, failed.values"
  })
  void valuesAreShownOnlyWithALookThatIsInTheAudit(
      String path, String action, CapturedOutput output) {
    LoggingSystem logs = LoggingSystem.get(getClass().getClassLoader());
    logs.setLogLevel("org.springframework.web", LogLevel.TRACE);
    try {
      auditAway = true;
      HttpResponse<String> refused = send("POST", path, "OPERATOR", null);
      assertThat(refused.statusCode()).isEqualTo(503);
      assertThat(refused.body()).doesNotContain("SECRET");
      auditAway = false;
      assertThat(audited).isEmpty();
      HttpResponse<String> shown = send("POST", path, "OPERATOR", null);
      assertThat(shown.statusCode()).as(shown.body()).isEqualTo(200);
      assertThat(shown.headers().allValues("Cache-Control")).containsExactly("no-store");
      assertThat(json(shown).at("/calls/0/arguments/0").asString()).isEqualTo("[\"SECRET\"]");
      assertThat(json(shown).get("error").asString()).contains("SECRET");
    } finally {
      logs.setLogLevel("org.springframework.web", null);
    }
    Actor olga = new Actor(Actor.Kind.APPLICATION, "olga", "operator", "127.0.0.1");
    assertThat(audited).containsExactly(Audit.Entry.allowed(olga, action, "shop~0~7~q", ""));
    assertThat(output.getAll()).contains("values of shop~0~7~q").doesNotContain("SECRET");
    assertThat(get("/api/v1/failed").toString()).doesNotContain("SECRET");
    assertThatThrownBy(() -> ShownValues.answer(failures, "shop~0~7~q", olga, Audit.none()))
        .isInstanceOf(Problem.class)
        .hasMessageContaining("no audit");
  }
}
