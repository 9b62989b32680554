/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring.hosting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.hosting.ServiceDefinition;
import io.forebay.linux.CpuBindingTest;
import io.forebay.operations.DataDirectory;
import io.forebay.operations.StartRefused;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.service.Idle;
import io.forebay.service.ServiceOptions;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** How the threads of own services run, by property. */
class ServicesPropertiesTest {

  interface Orders {
    void ordered(String item);
  }

  interface Prices {
    void priced(String item);
  }

  interface Bills {
    void billed(String item);
  }

  /** Two stages, of which the first one defines how it waits. */
  @Configuration(proxyBeanMethods = false)
  static class Application {

    @Bean
    ServiceDefinition<Orders, Prices> pricing() {
      return ServiceDefinition.<Orders, Prices>of(
              "pricing", Orders.class, Prices.class, prices -> prices::priced)
          .withPartitions(2)
          .withOptions(ServiceOptions.defaults().withMaxBatch(7).withIdle(Idle.Strategy.YIELD));
    }

    @Bean
    ServiceDefinition<Prices, Bills> billing(ServiceDefinition<Orders, Prices> pricing) {
      return ServiceDefinition.<Prices, Bills>of(
              "billing", Prices.class, Bills.class, bills -> bills::billed)
          .from(pricing);
    }
  }

  @TempDir Path data;

  private ApplicationContextRunner with(String... properties) {
    return new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(OwnServiceAutoConfiguration.class))
        .withBean(QueueBackend.class, () -> MemoryBackend.open())
        .withBean(DataDirectory.class, () -> new DataDirectory(data))
        .withUserConfiguration(Application.class)
        .withPropertyValues(properties);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void theThreadsOfAServiceAreBoundToItsCpus() {
    String cpu = CpuBindingTest.oneCpu();
    with("forebay.services.billing.cpus=" + cpu)
        .run(context -> {
          context.getBean(Orders.class).ordered("tea");
          OwnService<?, ?> billing = context.getBean("billingService", OwnService.class);
          await().until(() -> billing.position(0) + billing.position(1) == 1);
          assertThat(CpuBindingTest.allowed("forebay-billing-"))
              .as("of both partitions")
              .isEqualTo(List.of(cpu, cpu));
          assertThat(CpuBindingTest.allowed("forebay-pricing-"))
              .isEqualTo(List.of(CpuBindingTest.allowed(), CpuBindingTest.allowed()));
        });
  }

  @Test
  void aPropertyPrecedesTheDefinition() {
    with(
            "forebay.services.pricing.idle=back-off",
            "forebay.services.billing.idle=spin",
            "forebay.services.billing.history-one-in=1")
        .run(context -> {
          assertThat(options(context.getBean("pricingService", OwnService.class)))
              .extracting(
                  ServiceOptions::idle, ServiceOptions::maxBatch, ServiceOptions::historyOneIn)
              .containsExactly(Idle.Strategy.BACK_OFF, 7, 100);
          assertThat(options(context.getBean("billingService", OwnService.class)))
              .extracting(ServiceOptions::idle, ServiceOptions::historyOneIn)
              .containsExactly(Idle.Strategy.SPIN, 1);
        });
    with()
        .run(context ->
            assertThat(options(context.getBean("pricingService", OwnService.class)).idle())
                .isEqualTo(Idle.Strategy.YIELD));
  }

  @Test
  void aCallWaitsForAQueueThatOthersShareUnlessAPropertySaysHowLong() {
    MessageQueue shared = queue(true);
    MessageQueue own = queue(false);
    with("forebay.services.pricing.await=0")
        .run(context -> assertThat(pricing(context).await(shared)).isZero());
    with("forebay.services.pricing.await=5s")
        .run(context -> assertThat(pricing(context).await(own)).isEqualTo(Duration.ofSeconds(5)));
    with()
        .run(context -> {
          assertThat(pricing(context).await(shared)).isEqualTo(Duration.ofSeconds(30));
          assertThat(pricing(context).await(own)).isZero();
        });
  }

  /** A queue that says only whether it is shared. */
  private static MessageQueue queue(boolean shared) {
    return (MessageQueue)
        Proxy.newProxyInstance(
            MessageQueue.class.getClassLoader(),
            new Class<?>[] {MessageQueue.class},
            (_, method, _) -> method.getName().equals("shared") ? shared : null);
  }

  private static ServiceDefinition<?, ?> pricing(ApplicationContext context) {
    return context.getBean("pricingService", OwnService.class).definition();
  }

  private static ServiceOptions options(OwnService<?, ?> service) {
    return service.definition().options();
  }

  @Test
  void servicesThatDoNotExistAreRefusedTogether() {
    with("forebay.services.prices.idle=spin", "forebay.services.bills.idle=spin")
        .run(context ->
            assertThat(context.getStartupFailure())
                .isInstanceOf(StartRefused.class)
                .hasMessageContaining(
                    "forebay.services configures [bills, prices], but this application defines no such services (known: [pricing, billing];"));
  }
}
