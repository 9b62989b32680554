/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.call.Protocol;
import io.forebay.queue.Level;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueBackend;
import io.forebay.service.Service;
import io.forebay.service.ServiceOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A drain waits as long as it shall, although the clock of its host jumps meanwhile. */
class ClockJumpTest {

  interface Order {
    void rest(long seconds);
  }

  private static final Protocol<Order> ORDER = Protocol.of(Order.class);
  private static final long SECOND = 1_000_000_000;
  private static final long DAY = 24 * 3_600 * SECOND;

  private final World world = new World(1, new Trace(false));
  private final SimulatedProcess process = new SimulatedProcess(world, "process");
  private final List<Boolean> drained = new ArrayList<>();

  @Test
  void aJumpForwardsDoesNotEndIt() {
    assertThat(drains(10, DAY)).isTrue();
  }

  @Test
  void aJumpBackwardsDoesNotLengthenIt() {
    assertThat(drains(100, -DAY)).isFalse();
  }

  /**
   * Whether a service drains within 30 seconds, whose clock jumps after one.
   *
   * @param seconds how long one of its partitions works; the other one ends first
   */
  private boolean drains(long seconds, long jump) {
    process.start("main", () -> drain(seconds));
    world.after(SECOND, () -> process.clockJumps(jump));
    world.run("it has drained", 100_000, () -> !drained.isEmpty() || process.failure() != null);
    assertThat(process.failure()).isNull();
    process.end();
    return drained.getFirst();
  }

  private void drain(long seconds) {
    QueueBackend backend = new DiskBackend(new Disk(), Level.DISK, QueueFaults.NONE);
    MessageQueue in = backend.open("in", 2);
    ORDER.writer(in, 0).calls().rest(2);
    ORDER.writer(in, 1).calls().rest(seconds);
    Service<Order, Order> service =
        new Service<>(
            "service",
            new Service.End<>(in, ORDER),
            new Service.End<>(backend.open("out", 2), ORDER),
            (_, _) -> rest -> process.takes(rest * SECOND),
            ServiceOptions.defaults());
    service.start();
    try {
      drained.add(service.drain(Duration.ofSeconds(30)));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
