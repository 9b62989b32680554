/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.admin.services.ServiceDocument;
import io.forebay.operations.DesiredState;
import io.forebay.operations.ServiceCounts;
import io.forebay.operations.ServiceView;
import io.forebay.queue.QueueOutage;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueStats;
import io.forebay.service.PartitionView;
import io.forebay.service.ServiceError;
import io.forebay.service.ServiceState;
import io.forebay.service.ServiceState.Phase;
import io.forebay.service.errors.BlockingMessage;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.json.JsonMapper;

/** A service as JSON, field by field, for the page and for the public API. */
class ServiceJsonTest {

  private static final Instant AT = Instant.parse("2026-11-20T01:02:03.456789Z");
  private static final DesiredState PAUSED =
      new DesiredState("orders", true, "migration", "olga", AT);

  /** Refuses a field that is there twice. */
  private static final JsonMapper STRICT =
      JsonMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  private static final QueueStats NOTHING =
      new QueueStats(
          OptionalLong.empty(),
          OptionalLong.empty(),
          OptionalLong.empty(),
          OptionalLong.empty(),
          Map.of(),
          null);

  private final SimulatedServices services = new SimulatedServices("orders");
  private final SimulatedServices.Simulated orders = services.all.getFirst();

  @Test
  void thePageShowsAServiceThatCatchesUpAfterABurst() throws IOException {
    orders.accepts = 2000;
    orders.performs = 1650;
    services.run(120);
    orders.accepts = 100;
    assertEqual("page-catches-up", FigureModule.mapper(), services.run(10).services().getFirst());
  }

  @Test
  void thePageShowsAPausedServiceWithDamage() throws IOException {
    services.desired.add(PAUSED);
    services.services.follow();
    orders.partitions = partitions();
    orders.failed = 2;
    services.run(1);
    orders.failed = 7;
    orders.dead = 3;
    orders.declined = 4;
    assertEqual("page-paused", FigureModule.mapper(), services.run(2).services().getFirst());
    assertEqual("page-partitions", FigureModule.mapper(), document().partitions());
  }

  @Test
  void theApiShowsAPausedServiceWithDamage() throws IOException {
    assertEqual("api-paused", JsonMapper.shared(), document());
  }

  @Test
  void theApiShowsAServiceWithoutRequestsAndPartitions() throws IOException {
    ServiceState running = new ServiceState(Phase.RUNNING, "", AT, null);
    ServiceView view =
        new ServiceView("orders", running, List.of(), new ServiceCounts(0, 0, 0, 0, 0), null);
    assertEqual("api-fresh", JsonMapper.shared(), ServiceDocument.of(view, null));
  }

  private static ServiceDocument document() {
    ServiceState failed =
        new ServiceState(Phase.FAILED, "disk full", AT, new IllegalStateException("never shown"));
    ServiceView view =
        new ServiceView("orders", failed, partitions(), new ServiceCounts(100, 7, 3, 0, 1), null);
    return ServiceDocument.of(view, PAUSED);
  }

  private static List<PartitionView> partitions() {
    QueueStats in =
        new QueueStats(
            OptionalLong.of(1),
            OptionalLong.of(40),
            OptionalLong.of(4096),
            OptionalLong.of(39),
            Map.of("main", 30L),
            new QueueStats.Refusal(QueueRefused.Reason.FULL, 0.987654321, AT),
            new QueueStats.Hold(35, "producer p left a transaction open", AT),
            new QueueStats.Damage(33, "a checksum is wrong", AT, true));
    QueueStats out =
        new QueueStats(
            OptionalLong.empty(),
            OptionalLong.empty(),
            OptionalLong.empty(),
            OptionalLong.empty(),
            Map.of(),
            new QueueStats.Refusal(QueueRefused.Reason.UNAVAILABLE, Double.NaN, AT),
            null,
            new QueueStats.Damage(2, "the file is cut off", AT, false));
    QueueOutage ownerless =
        new QueueOutage(QueueRefused.Reason.UNAVAILABLE, "no instance works on it", AT);
    return List.of(
        new PartitionView(
            0,
            new ServiceState(Phase.WAITING, "the database is away", AT, null),
            OptionalLong.of(30),
            OptionalLong.of(40),
            AT,
            new ServiceError("connection refused", AT),
            ownerless,
            in,
            out,
            new BlockingMessage(30, AT, 12, "SQLState 40001")),
        new PartitionView(
            1,
            null,
            OptionalLong.empty(),
            OptionalLong.empty(),
            null,
            null,
            null,
            NOTHING,
            NOTHING,
            null));
  }

  private static void assertEqual(String name, JsonMapper json, Object document)
      throws IOException {
    String actual = json.writerWithDefaultPrettyPrinter().writeValueAsString(document);
    try (InputStream file = ServiceJsonTest.class.getResourceAsStream(name + ".json")) {
      assertThat(STRICT.readTree(actual))
          .as(actual)
          .isEqualTo(STRICT.readTree(Objects.requireNonNull(file, name)));
    }
  }
}
