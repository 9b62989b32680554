/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;

import io.forebay.operations.Door;
import io.forebay.problem.HttpProblem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class CallersTest {

  private static final CallerLimits ONE_REQUEST =
      new CallerLimits(null, null, 1, null, null, null, null);

  private final AtomicLong now = new AtomicLong();
  private int instances = 1;

  private Callers callers(CallerLimits each, Map<String, CallerLimits> named) {
    return new Callers(each, named, Duration.ofSeconds(1), () -> instances, now::get);
  }

  @Test
  void eachCallerHasItsOwnPlaces() {
    Callers callers = callers(ONE_REQUEST, Map.of());
    Caller.Place place = callers.of("a").enterRequest();
    callers.of("b").enterRequest();
    assertThatThrownBy(() -> callers.of("a").enterRequest())
        .isInstanceOfSatisfying(
            HttpProblem.class,
            problem -> {
              assertThat(problem.status()).isEqualTo(429);
              assertThat(problem.document("/"))
                  .containsEntry("limit", 1)
                  .containsEntry("used", 1)
                  .containsEntry("retryAfterMillis", 1_000L);
            });
    place.close();
    callers.of("a").enterRequest().close();
  }

  @Test
  void refusalsAreCountedByTheDocumentedNames() throws IOException {
    Callers callers = callers(ONE_REQUEST, Map.of());
    callers.of("a").enterRequest();
    assertThatThrownBy(() -> callers.of("a").enterRequest()).isInstanceOf(HttpProblem.class);

    assertThat(callers.refusals().get("max-requests").sum()).isEqualTo(1);
    String row =
        Files.readAllLines(Path.of("../docs/metrics.md")).stream()
            .filter(line -> line.startsWith("| `forebay.door.limited` | requests | `limit` |"))
            .findFirst()
            .orElseThrow();
    assertThat(callers.refusals().keySet())
        .hasSize(Limit.values().length)
        .allSatisfy(limit -> assertThat(row).contains("`" + limit + "`"));
  }

  @Test
  void theLimitsOfANamedCallerReplaceThoseOfEachCaller() {
    CallerLimits two = new CallerLimits(null, null, 2, null, null, null, null);
    Callers callers = callers(ONE_REQUEST, Map.of("two", two, "free", CallerLimits.NONE));
    callers.of("two").enterRequest();
    callers.of("two").enterRequest();
    assertThatThrownBy(() -> callers.of("two").enterRequest()).isInstanceOf(HttpProblem.class);
    for (int i = 0; i < 100; i++) {
      callers.of("free").enterRequest();
    }
  }

  @Test
  void instancesShareTheLimits() {
    Caller caller = callers(new CallerLimits(100, null, 5, 0, 1, null, null), Map.of()).of("a");
    instances = 2;
    caller.enterRequest();
    caller.enterRequest();
    assertThatThrownBy(caller::enterRequest)
        .hasMessageContaining("(2, limit=2 at each of 2 instances)");
    assertThatThrownBy(caller::enterStream).hasMessageContaining("limit=0");
    caller.enterSubscriber(); // at least one
    for (int i = 0; i < 50; i++) {
      caller.admitAtOnce();
    }
    assertThatThrownBy(caller::admitAtOnce)
        .hasMessageContaining("limit=50 per second at each of 2 instances");
    instances = 1;
    caller.enterRequest().close();
  }

  @Test
  void withoutConfigurationNoCallerIsLimited() {
    assertThat(callers(CallerLimits.NONE, Map.of()).areLimited()).isFalse();
    assertThat(callers(CallerLimits.NONE, Map.of("a", CallerLimits.NONE)).areLimited()).isFalse();
    assertThat(callers(CallerLimits.NONE, Map.of("a", ONE_REQUEST)).areLimited()).isTrue();
    assertThat(callers(ONE_REQUEST, Map.of()).areLimited()).isTrue();
  }

  @Test
  void callersAreListedByWhatTheySentInTheLastMinuteAlsoWithoutLimits() {
    Callers callers = callers(CallerLimits.NONE, Map.of("web", ONE_REQUEST));
    for (int i = 0; i < 3; i++) {
      callers.of("shop").admitAtOnce();
    }
    callers.of("old").admitAtOnce();
    now.addAndGet(Duration.ofSeconds(50).toNanos());
    callers.of("web").admitAtOnce();
    try (Admission admission = callers.of("web").awaitSome(mock(), 5, Duration.ZERO, () -> false)) {
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
    callers.of("shop").admitAtOnce();
    assertThat(callers.senders(2).most()).containsExactly(new Door.Sender("shop", 1));
  }

  @Test
  void callersThatUseNothingAreForgotten() {
    Callers callers = callers(ONE_REQUEST, Map.of());
    callers.of("busy").enterRequest();
    for (int i = 0; i < 100_000; i++) {
      callers.of("caller-" + i).enterRequest().close();
      assertThat(callers.size()).isLessThanOrEqualTo(10_000);
    }
    assertThatThrownBy(() -> callers.of("busy").enterRequest()).isInstanceOf(HttpProblem.class);
  }
}
