/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.call.CallFailure;
import io.forebay.call.FailureReceiver;
import io.forebay.hosting.ServiceDefinition;
import io.forebay.operations.DataDirectory;
import io.forebay.operations.failures.Failures;
import io.forebay.queue.QueueBackend;
import io.forebay.service.errors.ErrorPolicy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@ForebayTest(
    classes = {ForebayTestTest.Pipeline.class, ForebayTestTest.Shop.class},
    properties = "forebay.watch.limit=1m")
class ForebayTestTest {

  interface Pricing {
    void price(String item);
  }

  interface Prices {
    void priced(String item);
  }

  interface Packing {
    void pack(String item);
  }

  interface Packages {
    void packed(String item);
  }

  @Configuration(proxyBeanMethods = false)
  static class Pipeline {

    @Bean
    ServiceDefinition<Pricing, Prices> pricing() {
      return ServiceDefinition.of(
              "pricing",
              Pricing.class,
              Prices.class,
              prices ->
                  item -> {
                    if (item.equals("salt")) {
                      throw new IllegalStateException("no salt");
                    }
                    prices.priced(item);
                  })
          .withErrorPolicy(ErrorPolicy.retry(3, Duration.ofHours(2)).thenDeadLetter());
    }

    @Bean
    ServiceDefinition<Packing, Packages> packing() {
      return ServiceDefinition.of(
          "packing", Packing.class, Packages.class, packages -> packages::packed);
    }
  }

  /** Lets each priced item be packed. */
  static final class Shop implements Prices, Packages, FailureReceiver {

    private final Packing packing;
    private final List<String> received = new CopyOnWriteArrayList<>();

    Shop(Packing packing) {
      this.packing = packing;
    }

    @Override
    public void priced(String item) {
      packing.pack(item);
    }

    @Override
    public void packed(String item) {
      received.add(item);
    }

    @Override
    public void callFailed(CallFailure failure) {
      received.add(failure.text());
    }
  }

  @Autowired private Pricing pricing;
  @Autowired private Shop shop;
  @Autowired private ServicesUnderTest services;
  @Autowired private Failures letters;
  @Autowired private QueueBackend backend;
  @Autowired private DataDirectory data;

  @Test
  void awaitIdleWaitsForCallsAnswersAndWhatReceiversCall() {
    for (int i = 0; i < 100; i++) {
      pricing.price("item " + i);
    }
    pricing.price("salt");
    services.awaitIdle();

    assertThat(shop.received).hasSize(101).contains("item 0", "item 99", "no salt");
    assertThat(letters.list("pricing", null, 10).failures()).hasSize(1);
  }

  @Test
  void nothingIsStoredWhereTheApplicationStoresIt() {
    assertThat(backend.name()).isEqualTo("memory");
    assertThat(data.path()).startsWith(Path.of(System.getProperty("java.io.tmpdir")));
    assertThat(Files.exists(data.path())).isTrue();
  }
}
