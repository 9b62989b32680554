/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.failures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.forebay.service.progress.Unavailable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class FailuresTest {

  @Test
  void nothingIsSetAsideIfOneOfTheServicesIsFull() {
    Service first = new Service("a", 0);
    Service full = new Service("b", Failures.MAX_SET_ASIDE);
    Service last = new Service("c", 0);
    Failures failures = new Failures(List.of(first, full, last));
    List<String> ids = List.of("a~0~1~q", "b~0~1~q", "c~0~1~q");

    assertThatThrownBy(
            () -> failures.decideAll(ids, Failure.State.SET_ASIDE, "olga", "looked at later"))
        .isInstanceOf(DecisionRefused.class)
        .hasMessageContaining("messages of b are set aside")
        .hasMessageContaining("nothing was changed");
    assertThat(first.decided).isEmpty();
    assertThat(last.decided).isEmpty();

    assertThat(failures.decideAll(ids, Failure.State.DISCARDED, "olga", "")).isEqualTo(3);
  }

  @Test
  void logsWhatWasDecidedAlthoughALaterServiceIsUnavailable() {
    Failures failures = new Failures(List.of(new Service("a", 0), new Service("b", 0, null)));
    Logger logger = (Logger) LoggerFactory.getLogger(Failures.class);
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    logger.addAppender(lines);
    try {
      assertThatThrownBy(() ->
              failures.decideAll(
                  List.of("a~0~1~q", "a~0~2~q", "b~0~1~q"),
                  Failure.State.DISCARDED,
                  "olga",
                  "a test"))
          .isInstanceOf(Unavailable.class);
    } finally {
      logger.detachAppender(lines);
    }
    assertThat(lines.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .containsExactly("2 failed messages of a: now DISCARDED; decided by olga");
  }

  @Test
  void aCauseIsReadAsItIsShown() {
    for (Failures.Cause cause :
        List.of(
            new Failures.Cause("orders.place", "constraint a~b, table orders"),
            new Failures.Cause(null, "table orders"),
            new Failures.Cause("orders.place", null),
            Failures.Cause.UNKNOWN)) {
      assertThat(Failures.Cause.of(cause.text())).isEqualTo(cause);
    }
    assertThat(Failures.Cause.of(null)).as("all").isNull();
  }

  /**
   * Has as many messages set aside as given, and records decisions.
   *
   * @param decided null if it is unavailable
   */
  private record Service(String service, long setAside, @Nullable List<FailureId> decided)
      implements ServiceFailures {

    Service(String service, long setAside) {
      this(service, setAside, new ArrayList<>());
    }

    @Override
    public List<Failure> list(Failures.Filter filter, @Nullable FailureCursor before, int limit) {
      return List.of();
    }

    @Override
    public List<Failures.Group> groups(Instant from, Failure.State state) {
      return List.of();
    }

    @Override
    public long count(Failure.State state, int atMost) {
      return setAside;
    }

    @Override
    public List<Failure> find(List<FailureId> ids) {
      return List.of();
    }

    @Override
    public Optional<FailureValues> values(FailureId id) {
      return Optional.empty();
    }

    @Override
    public Optional<byte[]> message(FailureId id) {
      return Optional.empty();
    }

    @Override
    public List<Replayed> replay(List<FailureId> ids, Predicate<Failure> wanted, String by) {
      return List.of();
    }

    @Override
    public int decide(List<FailureId> ids, Failure.State to, String by, String reason) {
      if (decided == null) {
        throw new Unavailable("the database does not respond", null);
      }
      decided.addAll(ids);
      return ids.size();
    }
  }
}
