/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.capacity.UsualRates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KnownRatesTest {

  @TempDir private Path data;

  private static SimulatedServices services() {
    return new SimulatedServices("orders", "stock/de");
  }

  private KnownRates started(SimulatedServices services) {
    KnownRates rates = new KnownRates(data, services.watches);
    rates.start();
    return rates;
  }

  private static UsualRates usual(SimulatedServices services) {
    return services.watches.getFirst().past().usual();
  }

  @Test
  void aStartKnowsWhatWasMeasuredBefore() {
    SimulatedServices services = services();
    KnownRates rates = started(services);
    services.sample(120);
    services.all.getFirst().accepts = 2_000;
    services.sample(300);
    services.all.getFirst().accepts = 100;
    services.sample(400);
    UsualRates known = usual(services);
    assertThat(known.capacity()).isNotNull();
    assertThat(known.intake()).isNotNull();
    rates.stop();

    SimulatedServices after = services();
    rates = started(after);
    after.now = services.now;
    after.sample(1);
    assertThat(usual(after).capacity()).isEqualTo(known.capacity());
    assertThat(usual(after).intake())
        .isEqualTo(new UsualRates.Value(known.intake().value(), after.now));
    rates.stop();
  }

  @Test
  void aDamagedFileStartsOver() throws IOException {
    Files.writeString(data.resolve("rates"), "{\"orders\": null}");
    started(services()).stop();
    Files.writeString(data.resolve("rates"), "{\"orders\":");
    SimulatedServices services = services();
    KnownRates rates = started(services);
    services.sample(1);
    assertThat(usual(services).capacity()).isNull();
    rates.stop();
    started(services()).stop();
  }
}
