/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;
import static org.awaitility.Awaitility.await;

import io.forebay.operations.ServiceOperations;
import io.forebay.operations.Services;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

@SpringBootTest(properties = "forebay.backend=memory")
@ActiveProfiles("demo")
@DirtiesContext
class DemoTest {

  @TempDir static Path data;

  @Autowired Services services;
  @Autowired DemoDay day;

  @DynamicPropertySource
  static void dataDirectory(DynamicPropertyRegistry registry) {
    registry.add("forebay.data", () -> data.resolve("forebay").toString());
  }

  private ServiceOperations service(String name) {
    return services.find(name).orElseThrow();
  }

  @Test
  void everyServiceWorksSomeStatementsFailAndABurstLeavesTheSlowOnesBehind() {
    assertThat(services.all())
        .extracting(ServiceOperations::name)
        .containsExactlyInAnyOrder("orders", "payments", "stock", "mail", "tracking", "journal");
    await()
        .untilAsserted(() -> {
          assertThat(services.all())
              .allSatisfy(it -> assertThat(it.view().counts().performed()).isPositive());
          assertThat(service("orders").view().counts().failed()).isPositive();
          assertThat(service("payments").view().counts().failed()).isPositive();
        });
    day.burst(Duration.ofSeconds(8));
    assertThat(day.isBursting()).isTrue();
    await()
        .untilAsserted(() -> {
          assertThat(service("stock").view().behind().orElse(0)).isGreaterThan(200);
          assertThat(service("mail").view().behind().orElse(0)).isGreaterThan(50);
        });
    assertThat(service("orders").view().behind().orElse(0)).isLessThan(200);
    await().until(() -> service("stock").view().behind().orElse(1) < 20 && !day.isBursting());
  }

  @Test
  void aDayHasAWaveASlowTimeAndABurst() {
    assertThat(at(0, false).load()).isEqualTo(1);
    assertThat(at(150, false).load()).isEqualTo(1.7);
    assertThat(at(450, false).load()).isCloseTo(0.3, offset(1e-9));
    assertThat(at(450, true).load()).isCloseTo(3, offset(1e-9));
    assertThat(at(70, false).load()).isGreaterThan(10);
    assertThat(at(670, false)).isEqualTo(at(70, false));
    assertThat(LongStream.range(0, 600).filter(second -> at(second, false).slow())).hasSize(90);
  }

  private static Day at(long second, boolean bursting) {
    return Day.at(Duration.ofSeconds(second), bursting);
  }
}
