/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.alerts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.forebay.admin.history.HistoryDirectory;
import io.forebay.admin.verdict.AlertKind;
import io.forebay.admin.verdict.Problem;
import io.forebay.admin.verdict.Problem.Acknowledgement;
import io.forebay.capacity.Alert.Severity;
import io.forebay.capacity.Until;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The history of alerts, and what a real receiver of the webhook gets. */
class AlertLogTest {

  private static final Instant START = Instant.parse("2026-11-20T01:00:00Z");
  private static final String SECRET = "0123456789abcdef";

  /** A request as the receiver got it. */
  private record Request(String signature, String body) {

    String id() {
      return JsonMapper.shared().readTree(body).get("id").asString();
    }
  }

  /** What the receiver does before it answers. */
  private interface Waits {
    void run() throws InterruptedException;
  }

  @TempDir private Path data;
  private final List<Request> requests = new CopyOnWriteArrayList<>();
  private final Map<String, Instance> instances = new TreeMap<>();
  private HttpServer server;
  private List<Peers.Peer> spoken = List.of();
  private int status = 204;
  private String refused = "nothing";
  private boolean endless;
  private Waits waits = () -> {};
  private Instant now = START;

  /** An instance of its own, with a data directory of its own. */
  private final class Instance {
    final String name;
    final AlertLog log;
    final Notifier notifier;

    Instance(String name) {
      this.name = name;
      log = new AlertLog(new HistoryDirectory(data.resolve(name)));
      Webhook webhook = new Webhook(url(), SECRET, name, () -> now);
      notifier = new Notifier(log, this::peers, webhook, name, Severity.WATCH, () -> now);
      log.start();
      instances.put(name, this);
    }

    private List<Peers.Peer> peers(Instant at) {
      return spoken.stream().filter(it -> !it.name().equals(name)).toList();
    }

    /** Stops cleanly and starts again. */
    Instance restart() {
      log.stop();
      return new Instance(name);
    }

    /** Nobody hears of it any more. */
    void dies() {
      log.stop();
      instances.remove(name);
      exchange();
    }
  }

  @BeforeEach
  void receive() throws Exception {
    server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext(
        "/",
        exchange -> {
          try {
            waits.run();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
          String body =
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          requests.add(new Request(exchange.getRequestHeaders().getFirst(Webhook.SIGNATURE), body));
          exchange.sendResponseHeaders(body.contains(refused) ? 400 : status, endless ? 0 : -1);
          if (endless) {
            exchange.getResponseBody().write(' ');
            exchange.getResponseBody().flush();
          } else {
            exchange.close();
          }
        });
    server.start();
  }

  @AfterEach
  void stop() {
    instances.values().forEach(it -> it.log.stop());
    server.stop(0);
  }

  private URI url() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/hook");
  }

  private Problem problem(AlertKind kind, Severity severity, @Nullable Double figure) {
    return new Problem(
        kind.name().toLowerCase(Locale.ROOT) + "~orders",
        severity,
        kind,
        "orders",
        null,
        null,
        null,
        "orders at " + figure,
        now,
        figure,
        null,
        new Until.Passed(),
        null,
        null);
  }

  private Problem behind(double share) {
    return problem(AlertKind.BEHIND, share < 1 ? Severity.WATCH : Severity.BAD, share);
  }

  /** Lets each instance see these problems every second. */
  private void seconds(int seconds, Problem... problems) {
    for (int i = 0; i < seconds; i++) {
      now = now.plusSeconds(1);
      for (Instance instance : instances.values()) {
        instance.log.observe(Arrays.asList(problems), now);
      }
      instances.values().forEach(it -> it.notifier.turn());
      exchange();
    }
  }

  /** What an instance knows of the others is a second old. */
  private void exchange() {
    spoken =
        instances.values().stream().map(it -> new Peers.Peer(it.name, it.log.shared(now))).toList();
  }

  private List<String> events() {
    return requests.stream()
        .map(it -> JsonMapper.shared().readTree(it.body()))
        .map(it -> it.get("event").asString() + " " + it.get("kind").asString())
        .toList();
  }

  @Test
  void theHistoryHasDurationAndPeakOfEachAlertAndSurvivesARestart() {
    Instance one = new Instance("a");
    seconds(10, behind(0.6));
    seconds(10, behind(3.5));
    seconds(40, behind(1.1));
    seconds(20);
    seconds(5, problem(AlertKind.WAITING, Severity.WATCH, null));
    List<AlertRecord> before = one.log.since(START);
    one = one.restart();
    assertThat(one.log.since(START)).isEqualTo(before).hasSize(2);
    AlertRecord past = before.getLast();
    assertThat(past.severity()).isEqualTo(Severity.BAD);
    assertThat(past.peak()).isEqualTo(3.5);
    assertThat(past.text()).isEqualTo("orders at 3.5");
    assertThat(past.opened()).isEqualTo(START);
    assertThat(past.closed()).isEqualTo(START.plusSeconds(60));
    assertThat(one.log.since(START.plusSeconds(60)))
        .singleElement()
        .satisfies(it -> assertThat(it.closed()).isNull());
  }

  @Test
  void theLowestValueIsThePeakIfLowerIsWorse() {
    Instance one = new Instance("a");
    seconds(1, problem(AlertKind.DISK, Severity.WATCH, 3600.0));
    seconds(1, problem(AlertKind.DISK, Severity.WATCH, 600.0));
    seconds(1, problem(AlertKind.DISK, Severity.WATCH, 1800.0));
    AlertRecord open = one.log.since(START).getFirst();
    assertThat(open.kind().text(open.peak())).isEqualTo("10 m");
  }

  /** Such as a full disk, of which others use the reserve, too. */
  @Test
  void theHistorySaysWhatAnAlertSaidLastAtItsPeak() {
    Instance one = new Instance("a");
    seconds(1, told(0, "free at least 23 MiB"));
    seconds(1, told(0, "free at least 141 MiB"));
    seconds(1, told(600, "full in 10 m"));
    assertThat(one.log.since(START).getFirst().text()).isEqualTo("free at least 141 MiB");
  }

  private Problem told(double figure, String text) {
    return new Problem(
        "disk~data",
        Severity.BAD,
        AlertKind.DISK,
        null,
        "/data",
        null,
        null,
        text,
        now,
        figure,
        null,
        new Until.Passed(),
        null,
        null);
  }

  @Test
  void aBreakOfASecondIsNoClosing() {
    Instance one = new Instance("a");
    seconds(5, behind(0.6));
    seconds(1);
    seconds(5, behind(0.6));
    assertThat(one.log.since(START)).hasSize(1);
    assertThat(events()).containsExactly("opened behind");
  }

  @Test
  void aKillLosesNoAlertThatHasJustOpened() {
    Instance one = new Instance("a");
    seconds(1, behind(0.6));
    AlertLog another = new AlertLog(new HistoryDirectory(data.resolve("a")));
    Awaitility.await()
        .until(
            () -> {
              another.start();
              return another.since(START);
            },
            one.log.since(START)::equals);
    another.stop();
  }

  /** A report that is repeated after a kill then has the same id. */
  @Test
  void anAlertIsStoredBeforeItIsReported() {
    new Instance("a");
    List<Integer> stored = new CopyOnWriteArrayList<>();
    waits =
        () -> {
          AlertLog another = new AlertLog(new HistoryDirectory(data.resolve("a")));
          another.start();
          stored.add(another.since(START).size());
          another.stop();
        };
    seconds(1, behind(0.6));
    seconds(1, behind(0.6), problem(AlertKind.DEAD, Severity.WATCH, 1.0));
    seconds(
        1,
        behind(0.6),
        problem(AlertKind.DEAD, Severity.WATCH, 1.0),
        problem(AlertKind.WAITING, Severity.WATCH, null));
    assertThat(stored).containsExactly(1, 2, 3);
  }

  @Test
  void anAlertThatCannotBeStoredIsReported() throws Exception {
    Files.createFile(data.resolve("a"));
    new Instance("a");
    seconds(1, behind(0.6));
    assertThat(events()).containsExactly("opened behind");
  }

  @Test
  void aClockThatIsSetBackDelaysNoReport() {
    new Instance("a");
    seconds(5, behind(0.6));
    now = now.minus(Duration.ofHours(1));
    seconds(1, behind(1.2));
    seconds(5);
    assertThat(events()).containsExactly("opened behind", "worse behind", "closed behind");
  }

  @Test
  void closedAlertsAreKeptForThirtyDays() {
    Instance one = new Instance("a");
    seconds(5, behind(0.6));
    seconds(5);
    now = now.plus(Duration.ofDays(29));
    seconds(1);
    assertThat(one.log.since(START)).hasSize(1);
    now = now.plus(Duration.ofDays(1));
    seconds(1);
    assertThat(one.log.since(START)).isEmpty();
  }

  @Test
  void anAlertIsOpenSinceItOpenedAlsoAfterItGotWorse() {
    Instance one = new Instance("a");
    Instant opened = now;
    seconds(40, behind(0.6));
    seconds(1, behind(1.2));
    Problem worse = behind(1.2);
    assertThat(worse.since()).isAfter(opened);
    assertThat(one.log.apply(List.of(worse)).getFirst().since()).isEqualTo(opened);
  }

  @Test
  void anAcknowledgementEndsWhenTheAlertGetsWorse() {
    Instance one = new Instance("a");
    seconds(1, behind(0.6));
    assertThat(one.log.acknowledge("behind~orders", new Acknowledgement("olga", now, "on it")))
        .isTrue();
    assertThat(one.log.acknowledge("late~orders", new Acknowledgement("olga", now, "on it")))
        .isFalse();
    one = one.restart();
    seconds(1, behind(0.9));
    assertThat(one.log.apply(List.of(behind(0.9))).getFirst().acknowledged())
        .isEqualTo(new Acknowledgement("olga", START.plusSeconds(1), "on it"));
    seconds(1, behind(1.2));
    assertThat(one.log.apply(List.of(behind(1.2))).getFirst().acknowledged()).isNull();
  }

  @Test
  void aDamagedHistoryStartsOver() throws Exception {
    Instance one = new Instance("a");
    seconds(1, behind(0.6));
    one.log.stop();
    Files.writeString(data.resolve("a/alerts"), "damaged");
    assertThat(new Instance("a").log.since(START)).isEmpty();
  }

  @Test
  void theWebhookGetsSignedRequestsWhenAnAlertOpensGetsWorseAndCloses() throws Exception {
    new Instance("a");
    seconds(3, behind(0.6));
    seconds(3, behind(1.2));
    seconds(3, behind(0.9));
    seconds(10);
    assertThat(events()).containsExactly("opened behind", "worse behind", "closed behind");
    Request last = requests.getLast();
    JsonNode body = JsonMapper.shared().readTree(last.body());
    assertThat(body.get("id").asString()).isEqualTo("behind~orders~1795136400000~closed");
    assertThat(body.get("alert").asString()).isEqualTo("behind~orders");
    assertThat(body.get("severity").asString()).isEqualTo("fine");
    assertThat(body.get("service").asString()).isEqualTo("orders");
    assertThat(body.get("peak").asString()).isEqualTo("120 %");
    assertThat(body.get("opened").asString()).isEqualTo("2026-11-20T01:00:00Z");
    assertThat(body.get("closed").asString()).isEqualTo("2026-11-20T01:00:09Z");
    assertThat(body.get("instance").asString()).isEqualTo("a");
    for (Request request : requests) {
      String[] parts = request.signature().split(",");
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(SECRET.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
      String signed = parts[0].substring("t=".length()) + "." + request.body();
      assertThat(parts[1])
          .isEqualTo(
              "v1="
                  + HexFormat.of().formatHex(mac.doFinal(signed.getBytes(StandardCharsets.UTF_8))));
    }
  }

  @Test
  void aRefusedRequestIsRepeatedWithTheSameIdAndLaterEachTime() {
    new Instance("a");
    Problem problem = behind(0.6);
    status = 500;
    List<Integer> tried = new ArrayList<>();
    for (int second = 1; second <= 190; second++) {
      int before = requests.size();
      seconds(1, problem);
      if (requests.size() > before) {
        tried.add(second);
      }
      status = second < 180 ? 500 : 204;
    }
    assertThat(tried).containsExactly(1, 2, 4, 8, 16, 32, 64, 124, 184);
    assertThat(requests.stream().map(Request::id).distinct())
        .containsExactly("behind~orders~1795136400000~opened");
  }

  @Test
  void anAlertThatTheReceiverRefusesDelaysNoOther() {
    new Instance("a");
    refused = "dead~orders";
    Problem dead = problem(AlertKind.DEAD, Severity.WATCH, 1.0);
    seconds(40, dead);
    int tried = requests.size();
    seconds(1, dead, behind(0.6));
    assertThat(events().subList(tried, events().size())).containsExactly("opened behind");
    refused = "nothing";
    seconds(30, dead, behind(0.6));
    assertThat(events()).endsWith("opened behind", "opened dead");
  }

  @Test
  void aReceiverThatHangsBlocksNoSampling() throws Exception {
    Instance one = new Instance("a");
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch answer = new CountDownLatch(1);
    waits =
        () -> {
          asked.countDown();
          answer.await();
        };
    one.log.observe(List.of(behind(0.6)), now);
    one.notifier.start();
    asked.await();
    one.log.observe(List.of(behind(1.2)), now.plusSeconds(1));
    one.log.acknowledge("behind~orders", new Acknowledgement("olga", now, "on it"));
    assertThat(one.log.since(START).getFirst().severity()).isEqualTo(Severity.BAD);
    assertThat(one.log.since(START).getFirst().reported().severity()).isNull();
    answer.countDown();
    Awaitility.await().untilAsserted(() -> assertThat(requests).hasSize(2));
    one.notifier.stop();
    assertThat(events()).containsExactly("opened behind", "worse behind");
  }

  @Test
  @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void anAnswerWithoutAnEndBlocksNoReport() {
    new Instance("a");
    endless = true;
    status = 200;
    seconds(1, behind(0.6));
    seconds(1, behind(1.2));
    assertThat(events()).containsExactly("opened behind", "worse behind");
  }

  @Test
  void aClosingIsGivenUpAfterAnHourAndAnOpeningThatIsOverIsNotSent() {
    Instance one = new Instance("a");
    seconds(2, behind(0.6));
    status = 500;
    seconds(5, problem(AlertKind.DEAD, Severity.WATCH, 1.0));
    int tried = requests.size();
    now = now.plus(Notifier.GIVES_UP);
    seconds(2);
    status = 204;
    seconds(5);
    assertThat(events().subList(tried, events().size()))
        .doesNotContain("opened dead", "closed dead");
    assertThat(one.log.since(START))
        .filteredOn(it -> it.kind() == AlertKind.BEHIND)
        .singleElement()
        .satisfies(it -> assertThat(it.reported().missed()).isTrue());
  }

  @Test
  void aRestartReportsNothingTwiceAndNoClosingIsMissed() {
    Instance one = new Instance("a");
    seconds(3, behind(0.6), problem(AlertKind.DEAD, Severity.WATCH, 1.0));
    one.restart();
    seconds(30); // the figures are not known yet
    seconds(20, behind(0.6));
    assertThat(events()).containsExactly("opened behind", "opened dead");
    seconds(15, behind(0.6));
    assertThat(events()).containsExactly("opened behind", "opened dead", "closed dead");
    status = 500;
    seconds(5);
    instances.get("a").restart();
    status = 204;
    seconds(5);
    assertThat(events()).endsWith("closed behind").filteredOn("opened behind"::equals).hasSize(1);
    int all = requests.size();
    seconds(70);
    assertThat(requests).hasSize(all);
  }

  @Test
  void ofSeveralInstancesOneReportsAndAnotherOneTakesOver() {
    new Instance("a");
    new Instance("b");
    new Instance("c");
    seconds(1);
    seconds(5, behind(0.6));
    assertThat(events()).containsExactly("opened behind");
    assertThat(instanceOf(requests.getFirst())).isEqualTo("a");
    instances.get("a").dies();
    seconds(5, behind(1.2));
    assertThat(events()).containsExactly("opened behind", "worse behind");
    assertThat(instanceOf(requests.getLast())).isEqualTo("b");
    instances.get("b").dies();
    seconds(10);
    assertThat(events()).containsExactly("opened behind", "worse behind", "closed behind");
    assertThat(instanceOf(requests.getLast())).isEqualTo("c");
  }

  @Test
  void anAlertIsOverWhenNoInstanceSeesIt() {
    Instance a = new Instance("a");
    Instance b = new Instance("b");
    seconds(1);
    seconds(5, behind(0.6));
    b.log.acknowledge("behind~orders", new Acknowledgement("olga", now, "on it"));
    exchange();
    a.notifier.turn();
    assertThat(a.log.apply(List.of(behind(0.6))).getFirst().acknowledged()).isNotNull();
    for (int i = 0; i < 20; i++) {
      now = now.plusSeconds(1);
      a.log.observe(List.of(), now);
      b.log.observe(List.of(behind(0.6)), now);
      a.notifier.turn();
      b.notifier.turn();
      exchange();
    }
    assertThat(events()).containsExactly("opened behind");
    seconds(10);
    assertThat(events()).containsExactly("opened behind", "closed behind");
  }

  @Test
  void eachInstanceReportsItsOwnDisk() {
    new Instance("a");
    new Instance("b");
    seconds(5, problem(AlertKind.SPACE, Severity.BAD, 0.05));
    assertThat(requests.stream().map(AlertLogTest::instanceOf)).containsExactlyInAnyOrder("a", "b");
  }

  private static String instanceOf(Request request) {
    return JsonMapper.shared().readTree(request.body()).get("instance").asString();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "FAILING | 0.008 | 0.8 %, opens at 1 %, bad at 20 %, closes below 0.8 %",
        "BEHIND | 1.21 | 121 %, opens at 50 %, bad at 100 %, closes below 40 %",
        "DEAD | 3 | 3, opens at 1, closes below 1",
        "DISK | 600 | 10 m, opens below 1 d, at once below 5 m, bad below 4 h, closes above 1 d 6 h",
        "LATE | 104 | 1 m 44 s, opens below 15 m, bad below 5 m for 1 m, closes above 18 m 45 s",
        "BURST | 1.3 | 130 %, opens below 200 %, closes above 250 %",
        "FAILED | |",
      })
  void theMarksAreThoseThatOpenAndCloseIt(
      AlertKind kind, @Nullable Double figure, @Nullable String marks) {
    assertThat(problem(kind, Severity.WATCH, figure).marks()).isEqualTo(marks);
  }

  @ParameterizedTest
  @CsvSource({
    "http://hooks.example.com/x, 0123456789abcdef, Plain HTTP refused: alerts would cross the network to hooks.example.com",
    "ftp://hooks.example.com/x, 0123456789abcdef, must be an address that begins with https",
    "https://olga:pw@hooks.example.com/x, 0123456789abcdef, must not have a user or a password",
    "https://hooks.example.com/x, short, must have at least 16 characters",
    "https://hooks.example.com/x, , must have at least 16 characters",
  })
  void anUnsafeWebhookIsRefused(String url, @Nullable String secret, String why) {
    assertThatThrownBy(() -> new WebhookProperties(url, secret, true, false))
        .hasMessageContaining(why)
        .hasMessageNotContaining("/x");
    assertThat(new WebhookProperties("http://hooks.example.com/x", SECRET, true, true).toString())
        .doesNotContain("/x", SECRET);
    assertThat(new WebhookProperties("http://127.0.0.1:8080/x", SECRET, true, false).url())
        .isNotNull();
  }
}
