/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doNothing;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.inOrder;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;

import io.forebay.operations.Instances;
import io.forebay.service.progress.Unavailable;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mockito.InOrder;

class NeighboursTest {

  private final Instances instances = mock();
  private final Neighbours neighbours = new Neighbours(instances, "one", () -> Set.of("before"));

  @BeforeEach
  void aSummary() {
    neighbours.tell(new InstanceSummary("one", "memory", Instant.EPOCH, true, 0, 0, null));
  }

  private boolean isDatabaseAway() {
    return neighbours.databaseAway(Instant.now().plusSeconds(60)) != null;
  }

  @Test
  void theDatabaseIsAwayUntilItRespondsAgain() {
    doThrow(new Unavailable("it is away", null)).when(instances).tell(any(), any());
    assertThatThrownBy(neighbours::exchange).isInstanceOf(Unavailable.class);
    assertThat(isDatabaseAway()).isTrue();
    assertThat(neighbours.databaseAway(Instant.now())).as("for less than 3 s").isNull();
    doNothing().when(instances).tell(any(), any());
    neighbours.exchange();
    assertThat(isDatabaseAway()).isFalse();
  }

  @Test
  void tellsHowManyServicesOfAnotherInstanceAreBad() {
    String summary = "{\"backend\": \"memory\", \"count\": 3, \"bad\": 2, \"worst\": null}";
    doReturn(List.of(new Instances.Seen("two", Duration.ZERO, summary)))
        .when(instances)
        .seenWithin(any());
    neighbours.exchange();
    assertThat(neighbours.others(Instant.now()))
        .singleElement()
        .satisfies(it -> assertThat(it.bad()).isEqualTo(2));
  }

  @Test
  void removesTheProcessThatThisOneReplacedOnce() {
    doThrow(new Unavailable("it is away", null)).doNothing().when(instances).leave("before");
    assertThatThrownBy(neighbours::exchange).isInstanceOf(Unavailable.class);
    neighbours.exchange();
    neighbours.exchange();
    InOrder order = inOrder(instances);
    order.verify(instances, times(2)).leave("before");
    order.verify(instances).seenWithin(any());
  }

  @Test
  void anotherFailureDoesNotMeanThatTheDatabaseIsAway() {
    doThrow(new IllegalArgumentException("too long")).when(instances).tell(any(), any());
    assertThatThrownBy(neighbours::exchange).isInstanceOf(IllegalArgumentException.class);
    assertThat(isDatabaseAway()).isFalse();
  }
}
