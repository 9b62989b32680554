/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.admin.alerts.Peers.Peer;
import io.forebay.admin.alerts.Peers.Shared;
import io.forebay.admin.verdict.Problem.Acknowledgement;
import io.forebay.capacity.Alert.Severity;
import io.forebay.operations.Instances;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** What instances tell each other about alerts. */
class SharedAlertsTest {

  private static final Instant AT = Instant.parse("2026-11-20T01:02:03.456789Z");

  /** The summaries of all instances. */
  private static final class Together implements Instances {
    private final Map<String, String> summaries = new ConcurrentHashMap<>();

    @Override
    public boolean isShared() {
      return true;
    }

    @Override
    public void tell(String instance, String summary) {
      assertThat(summary.length()).isLessThanOrEqualTo(MAX_SUMMARY);
      summaries.put(instance, summary);
    }

    @Override
    public List<Seen> seenWithin(Duration time) {
      return summaries.entrySet().stream()
          .map(it -> new Seen(it.getKey(), Duration.ZERO, it.getValue()))
          .toList();
    }

    @Override
    public void leave(String instance) {
      summaries.remove(instance);
    }

    @Override
    public int forget(Duration unseenFor) {
      return 0;
    }
  }

  private final Together together = new Together();

  private List<Peer> heardByAnother(List<Shared> alerts) {
    Neighbours one = new Neighbours(together, "one", Set::of);
    Neighbours two = new Neighbours(together, "two", Set::of);
    one.start();
    two.start();
    try {
      one.tell(new InstanceSummary("one", "kafka", AT, 1, true, List.of()), alerts);
      await().until(() -> together.summaries.containsKey("one"));
      two.tell(new InstanceSummary("two", "kafka", AT, 1, true, List.of()), List.of());
      await().until(() -> !two.peers(Instant.now()).isEmpty());
      assertThat(two.peers(Instant.now().plusSeconds(11))).isEmpty();
      return two.peers(Instant.now());
    } finally {
      one.stop();
      two.stop();
    }
  }

  @Test
  void alertsOfAnotherInstanceAreHeardAsTheyAre() {
    List<Shared> alerts =
        List.of(
            new Shared("late~käse", AT, null, null, false, null),
            new Shared(
                "behind~orders",
                AT,
                AT.plusSeconds(60),
                Severity.BAD,
                true,
                new Acknowledgement("olga", AT, "on it")));
    assertThat(heardByAnother(alerts)).containsExactly(new Peer("one", alerts));
  }

  @Test
  void moreAlertsThanFitAreCutOff() {
    Shared large =
        new Shared(
            "behind~orders", AT, null, null, false, new Acknowledgement("o", AT, "n".repeat(900)));
    assertThat(heardByAnother(Collections.nCopies(20, large)).getFirst().alerts())
        .hasSizeBetween(1, 4)
        .containsOnly(large);
  }

  @Test
  void anInstanceOfAnOlderVersionHasNoAlerts() {
    together.summaries.put("old", "{\"backend\": \"kafka\", \"services\": []}");
    assertThat(heardByAnother(List.of())).contains(new Peer("old", List.of()));
  }
}
