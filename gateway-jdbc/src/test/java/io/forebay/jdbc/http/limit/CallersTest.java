/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.forebay.jdbc.http.body.ByteBudget;
import io.forebay.operations.Door;
import io.forebay.operations.callers.RateLimit;
import io.forebay.operations.callers.RateLimits;
import io.forebay.service.progress.Unavailable;
import io.forebay.web.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class CallersTest {

  private static final CallerLimits ONE_REQUEST = new CallerLimits(null, null, 1);

  private final AtomicLong now = new AtomicLong();

  private Callers callers(CallerLimits each, Map<String, CallerLimits> named) {
    return new Callers(each, named, () -> new ByteBudget(1), now::get);
  }

  @Test
  void eachCallerHasItsOwnPlaces() {
    Callers callers = callers(ONE_REQUEST, Map.of());
    Permits.Permit permit = callers.of("a").enter();
    callers.of("b").enter();
    assertThatThrownBy(() -> callers.of("a").enter())
        .isInstanceOfSatisfying(
            Problem.class,
            problem -> {
              assertThat(problem.getStatusCode().value()).isEqualTo(429);
              assertThat(problem.getBody().getProperties())
                  .containsEntry("limit", 1)
                  .containsEntry("retryAfterMillis", 1_000L);
            });
    permit.close();
    callers.of("a").enter().close();
  }

  @Test
  void refusalsAreCountedByTheDocumentedNames() throws IOException {
    Callers callers = callers(ONE_REQUEST, Map.of());
    callers.of("a").enter();
    assertThatThrownBy(() -> callers.of("a").enter()).isInstanceOf(Problem.class);

    assertThat(callers.refusals().get("max-requests").sum()).isEqualTo(1);
    String row =
        Files.readAllLines(Path.of("../docs/admin.md")).stream()
            .filter(line -> line.startsWith("| `forebay_door_limited_requests_total` | `limit` |"))
            .findFirst()
            .orElseThrow();
    assertThat(callers.refusals().keySet())
        .hasSize(Limit.values().length)
        .allSatisfy(limit -> assertThat(row).contains("`" + limit + "`"));
  }

  @Test
  void theLimitsOfANamedCallerReplaceThoseOfEachCaller() {
    CallerLimits two = new CallerLimits(null, null, 2);
    Callers callers = callers(ONE_REQUEST, Map.of("two", two, "free", CallerLimits.NONE));
    callers.of("two").enter();
    callers.of("two").enter();
    assertThatThrownBy(() -> callers.of("two").enter()).isInstanceOf(Problem.class);
    for (int i = 0; i < 100; i++) {
      callers.of("free").enter();
    }
  }

  @Test
  void aRefusalSaysWhenToRetryAlsoIfATokenComesMeanwhile() {
    CallerLimits fifty = new CallerLimits(50, 1, null);
    long token = Duration.ofMillis(20).toNanos();
    Caller web =
        new Callers(fifty, Map.of(), () -> new ByteBudget(1), () -> now.getAndAdd(token - 1))
            .of("web");
    web.admit(1);
    assertThatThrownBy(() -> web.admit(1))
        .isInstanceOfSatisfying(
            Problem.class,
            problem -> assertThat(problem.getHeaders().getFirst("Retry-After")).isEqualTo("1"));
  }

  @Test
  void aRateByCommandReplacesTheConfiguredOneUntilItIsLifted() {
    CallerLimits fifty = new CallerLimits(50, 100, null);
    Callers callers = callers(CallerLimits.NONE, Map.of("web", fifty));
    Caller web = callers.of("web");
    callers.command(Map.of("web", 2, "new", 3));
    assertThat(admitted(web)).isEqualTo(2);
    assertThat(admitted(callers.of("new"))).as("first request after the command").isEqualTo(3);
    assertThatThrownBy(() -> web.admit(1)).hasMessageContaining("limit=2 per second");
    assertThat(callers.view())
        .filteredOn(it -> it.name().equals("web"))
        .singleElement()
        .satisfies(it ->
            assertThat(it.limits())
                .containsExactly(
                    new Door.Limit("rate", 2, null, 2), new Door.Limit("burst", 2, 2L, 0)));
    now.addAndGet(Duration.ofSeconds(1).toNanos());
    callers.command(Map.of("web", 2, "new", 3));
    assertThat(admitted(web)).as("the same command again gives nothing extra").isEqualTo(2);
    now.addAndGet(Duration.ofSeconds(1).toNanos());
    try (Caller.Admission lines = web.admitSome(100)) {
      assertThat(lines.statements()).as("lines of a stream").isBetween(1, 2);
      lines.sent(lines.statements());
    }
    callers.command(Map.of());
    assertThat(admitted(callers.of("new"))).as("unlimited").isEqualTo(1_000);
    assertThat(admitted(web)).as("the configured burst").isEqualTo(100);
  }

  @Test
  void whatIsNotSentGivesItsTokensBack() {
    Caller web = callers(new CallerLimits(10, 10, null), Map.of()).of("web");
    try (Caller.Admission admission = web.admit(10)) {
      admission.sent(7);
    }
    assertThat(admitted(web)).isEqualTo(3);
  }

  private static void send(Caller caller) {
    try (Caller.Admission admission = caller.admit(1)) {
      admission.sent(1);
    }
  }

  private static int admitted(Caller caller) {
    for (int i = 0; i < 1_000; i++) {
      try {
        send(caller);
      } catch (Problem e) {
        return i;
      }
    }
    return 1_000;
  }

  /** A caller that is forgotten while it sends a stream would escape a command. */
  @Test
  void aCallerWithAStreamIsNotForgottenAlsoWithoutLimits() {
    Callers callers = callers(CallerLimits.NONE, Map.of());
    Caller sends = callers.of("sends");
    try (Permits.Permit permit = sends.enter()) {
      for (int i = 0; i < 30_000; i++) {
        callers.of("other-" + i);
      }
      assertThat(callers.of("sends")).isSameAs(sends);
    }
    for (int i = 0; i < 30_000; i++) {
      callers.of("another-" + i);
    }
    assertThat(callers.of("sends")).isNotSameAs(sends);
  }

  @Test
  void aCommandHoldsHereAtOnce() {
    Callers callers = callers(CallerLimits.NONE, Map.of());
    Instant noon = Instant.parse("2026-11-20T12:00:00Z");
    RateLimit two = new RateLimit("web", 2, "", "anna", noon, noon.plusSeconds(60));
    RateLimits stored = mock(RateLimits.class);
    when(stored.all()).thenReturn(List.of(two), List.of());
    CommandedLimits limits = new CommandedLimits(() -> stored, callers, () -> noon);
    limits.put(two);
    verify(stored).put(two);
    assertThat(admitted(callers.of("web"))).isEqualTo(2);
    limits.remove("web");
    verify(stored).remove("web");
    assertThat(admitted(callers.of("web"))).isEqualTo(1_000);
  }

  @Test
  void homeShowsWhetherStatementsComeAndWhichCallersAreLimited() {
    Callers callers = callers(CallerLimits.NONE, Map.of());
    Instant noon = Instant.parse("2026-11-20T12:00:00Z");
    RateLimit two = new RateLimit("web", 2, "", "anna", noon, noon.plusSeconds(60));
    RateLimits stored = mock(RateLimits.class);
    when(stored.all()).thenReturn(List.of(two));
    CommandedLimits limits = new CommandedLimits(() -> stored, callers, () -> noon);
    DoorState door = new DoorState(mock(), callers, limits, List.of());
    assertThat(door.activity()).isEqualTo(new Door.Activity(false, List.of()));
    limits.put(two);
    send(callers.of("shop"));
    assertThat(door.activity()).isEqualTo(new Door.Activity(true, List.of(two)));
    now.addAndGet(Duration.ofMinutes(2).toNanos());
    assertThat(door.activity().receives()).isFalse();
  }

  @Test
  void commandsHoldUntilTheirEndAlsoWhileTheirDatabaseIsAway() {
    Callers callers = callers(CallerLimits.NONE, Map.of());
    Instant noon = Instant.parse("2026-11-20T12:00:00Z");
    RateLimit hour = new RateLimit("web", 1, "", "anna", noon, noon.plusSeconds(3_600));
    boolean[] away = {false};
    RateLimits stored = mock(RateLimits.class);
    when(stored.all())
        .thenAnswer(_ -> {
          if (away[0]) {
            throw new Unavailable("away", null);
          }
          return List.of(hour);
        });
    Instant[] time = {noon};
    CommandedLimits limits = new CommandedLimits(() -> stored, callers, () -> time[0]);
    limits.follow();
    assertThat(admitted(callers.of("web"))).isEqualTo(1);
    away[0] = true;
    assertThatThrownBy(limits::follow).isInstanceOf(Unavailable.class);
    assertThat(limits.inForce()).containsExactly(hour);
    assertThat(admitted(callers.of("web"))).as("still").isZero();
    time[0] = noon.plusSeconds(3_600);
    assertThatThrownBy(limits::follow).isInstanceOf(Unavailable.class);
    assertThat(limits.inForce()).isEmpty();
    assertThat(admitted(callers.of("web"))).as("has ended").isEqualTo(1_000);
  }

  @Test
  void callersAreListedByWhatTheySentInTheLastMinuteAlsoWithoutLimits() {
    Callers callers = callers(CallerLimits.NONE, Map.of("web", ONE_REQUEST));
    for (int i = 0; i < 3; i++) {
      send(callers.of("shop"));
    }
    send(callers.of("old"));
    now.addAndGet(Duration.ofSeconds(50).toNanos());
    send(callers.of("web"));
    try (Caller.Admission admission = callers.of("web").admitSome(5)) {
      admission.sent(4);
    }
    Door.Senders senders = callers.senders(2);
    assertThat(senders.lastMinute()).isEqualTo(9);
    assertThat(senders.most())
        .containsExactly(new Door.Sender("web", 5), new Door.Sender("shop", 3));
    assertThat(senders.more()).isEqualTo(1);
    assertThat(callers.view()).extracting(Door.Caller::name).containsExactly("web");
    now.addAndGet(Duration.ofSeconds(10).toNanos());
    assertThat(callers.senders(2).most()).containsExactly(new Door.Sender("web", 5));
    now.addAndGet(Duration.ofHours(1).toNanos());
    send(callers.of("shop"));
    assertThat(callers.senders(2).most()).containsExactly(new Door.Sender("shop", 1));
  }

  @Test
  void callersThatUseNothingAreForgotten() {
    Callers callers = callers(ONE_REQUEST, Map.of());
    callers.of("busy").enter();
    for (int i = 0; i < 100_000; i++) {
      callers.of("caller-" + i).enter().close();
      assertThat(callers.size()).isLessThanOrEqualTo(10_000);
    }
    assertThatThrownBy(() -> callers.of("busy").enter()).isInstanceOf(Problem.class);
  }
}
