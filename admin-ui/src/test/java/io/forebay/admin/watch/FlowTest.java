/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class FlowTest {

  private final SimulatedServices services = new SimulatedServices("orders", "mail");

  @Test
  void addsUpWhatAllServicesAcceptAndPerform() {
    services.all.getFirst().accepts = 300;
    services.all.getFirst().performs = 200;
    Flow flow = services.run(95).flow();
    assertThat(flow.accepted()).hasSize(90).endsWith(400.0, 400.0).startsWith((Double) null);
    assertThat(flow.performed()).hasSize(90).endsWith(300.0, 300.0);
    assertThat(flow.first().plusSeconds(flow.step() * 89))
        .isEqualTo(services.now.minus(Duration.ofSeconds(5)));
  }
}
