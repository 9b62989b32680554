/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.forebay.operations.SelfCheck.Harm;
import io.forebay.operations.SelfCheck.Result;
import io.forebay.operations.SelfCheck.State;
import io.forebay.operations.ServiceCounts;
import io.forebay.operations.ServiceView;
import io.forebay.service.ServiceState;
import io.forebay.service.ServiceState.Phase;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class ServicesSelfCheckTest {

  private static ServiceView service(String name, Phase phase, String reason) {
    return new ServiceView(
        name,
        new ServiceState(phase, reason, Instant.EPOCH, null),
        List.of(),
        new ServiceCounts(0, 0, 0, 0, 0));
  }

  private static List<Result> check(ServiceView... services) {
    return new ServicesSelfCheck(() -> List.of(services)).run();
  }

  @Test
  void reportsServicesThatFailedOrWaitWithTheirReason() {
    assertThat(
            check(
                service("orders", Phase.FAILED, "role app is a superuser"),
                service("stock", Phase.WAITING, "the database does not respond"),
                service("mail", Phase.PAUSED, "moved"),
                service("journal", Phase.RUNNING, "")))
        .extracting(Result::check, Result::state, Result::text, Result::harm)
        .containsExactly(
            tuple("service orders", State.FAILED, "role app is a superuser", Harm.OUTAGE),
            tuple("service stock", State.WARN, "the database does not respond", Harm.OUTAGE));
  }

  @Test
  void saysWhatToConfigureWhereThereIsNoService() {
    assertThat(check())
        .singleElement()
        .satisfies(it -> {
          assertThat(it.harm()).isEqualTo(Harm.UNFINISHED);
          assertThat(it.change()).contains("forebay.gateways.<name>", "ServiceDefinition");
        });
  }
}
