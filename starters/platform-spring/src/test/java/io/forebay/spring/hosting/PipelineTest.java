/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring.hosting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.forebay.call.CallFailure;
import io.forebay.call.FailureReceiver;
import io.forebay.call.Message;
import io.forebay.hosting.ServiceDefinition;
import io.forebay.operations.DataDirectory;
import io.forebay.operations.StartRefused;
import io.forebay.operations.failures.DecisionRefused;
import io.forebay.operations.failures.FailureSource;
import io.forebay.operations.failures.Failures;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.service.ServiceState.Phase;
import io.forebay.service.errors.ErrorPolicy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Services that perform the answers of the service before them. */
class PipelineTest {

  interface Orders {
    void ordered(String item);
  }

  interface Prices {
    void priced(String item, long cents);
  }

  interface Bills {
    void billed(String text);
  }

  private static final Duration SOON = Duration.ofSeconds(30);

  /** The components, in the order in which they were created at the start. */
  private static final List<String> CREATED = new CopyOnWriteArrayList<>();

  @TempDir Path data;

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(OwnServiceAutoConfiguration.class))
          .withBean(QueueBackend.class, () -> MemoryBackend.open())
          .withBean(DataDirectory.class, () -> new DataDirectory(data));

  private static final ErrorPolicy ONCE =
      ErrorPolicy.retry(1, Duration.ofMillis(1)).thenDeadLetter();

  @Configuration(proxyBeanMethods = false)
  static class Application {

    @Bean
    ServiceDefinition<Orders, Prices> pricing() {
      return ServiceDefinition.of(
              "pricing",
              Orders.class,
              Prices.class,
              prices -> {
                CREATED.add("pricing");
                return item -> price(prices, item);
              })
          .withPartitions(2)
          .withErrorPolicy(ONCE);
    }

    private static void price(Prices prices, String item) {
      if (item.equals("salt")) {
        throw new IllegalStateException("no price");
      }
      prices.priced(item, 100L * item.length());
      if (item.equals("tea")) {
        prices.priced("sugar", 1);
      }
    }

    @Bean
    ServiceDefinition<Prices, Bills> billing(ServiceDefinition<Orders, Prices> pricing) {
      return ServiceDefinition.<Prices, Bills>of(
              "billing",
              Prices.class,
              Bills.class,
              bills -> {
                CREATED.add("billing");
                return new Biller(bills);
              })
          .from(pricing)
          .withErrorPolicy(ONCE);
    }

    @Bean
    Received received() {
      return new Received();
    }
  }

  /** The second stage; it learns which calls the first one gave up. */
  private record Biller(Bills bills) implements Prices, FailureReceiver {
    @Override
    public void priced(String item, long cents) {
      if (item.equals("lead")) {
        throw new IllegalStateException("no bill");
      }
      bills.billed(item + "=" + cents);
    }

    @Override
    public void callFailed(CallFailure failure) {
      bills.billed(failure.text());
    }
  }

  /** Receives the answers of the last stage. */
  static final class Received implements Bills {

    private final List<String> texts = new CopyOnWriteArrayList<>();
    private final List<UUID> ids = new CopyOnWriteArrayList<>();

    @Override
    public void billed(String text) {
      texts.add(text);
      ids.add(Message.current().id());
    }
  }

  @Test
  void aStagePerformsTheAnswersOfTheStageBefore() {
    CREATED.clear();
    runner
        .withUserConfiguration(Application.class)
        .run(context -> {
          assertThat(CREATED)
              .as("the last stage starts first, so that nothing is answered before it looks")
              .containsExactly("billing", "billing", "pricing", "pricing");
          Orders orders = context.getBean(Orders.class);
          Received received = context.getBean(Received.class);
          for (String item : List.of("tea", "salt", "rice", "lead")) {
            orders.ordered(item);
          }
          await().until(() -> received.texts.size() >= 4);
          assertThat(received.texts)
              .containsExactlyInAnyOrder("tea=300", "sugar=1", "no price", "rice=400");
          assertThat(received.ids.get(received.texts.indexOf("tea=300")))
              .as("the id of the call to the first stage")
              .isEqualTo(received.ids.get(received.texts.indexOf("sugar=1")));

          OwnService<?, ?> pricing = context.getBean("pricingService", OwnService.class);
          OwnService<?, ?> billing = context.getBean("billingService", OwnService.class);
          assertThat(billing.in()).isSameAs(pricing.out());
          assertThatThrownBy(billing::calls)
              .hasMessageContaining("performs the answers of service pricing");
          assertThatThrownBy(billing::createWriter).hasMessageContaining("call pricing");
          assertThat(context.getBeanProvider(Prices.class).stream())
              .as("nothing to call, and no receiver of the first stage's answers")
              .isEmpty();

          Failures letters = new Failures(context.getBean(FailureSource.class).failures());
          Failures.Filter filter = new Failures.Filter("billing", null, null);
          await().until(() -> !letters.page(filter, null, 10).failures().isEmpty());
          String letter = letters.page(filter, null, 10).failures().getFirst().id();
          assertThatThrownBy(() -> letters.replay(letter, "olga"))
              .isInstanceOf(DecisionRefused.class)
              .hasMessageContaining("performs the answers of service pricing");

          orders.ordered("late");
          assertThat(billing.drain(Duration.ofSeconds(30))).as("the first stage first").isTrue();
          assertThat(pricing.state().phase()).isEqualTo(Phase.DRAINED);
          assertThat(billing.state().phase()).isEqualTo(Phase.DRAINED);
          assertThat(billing.position(0) + billing.position(1)).isEqualTo(5);
        });
  }

  /** Also receives the prices, and is called by another bean. */
  record Display(List<String> shown) implements Prices {
    @Override
    public void priced(String item, long cents) {
      shown.add(item);
    }
  }

  record Promotion(Prices prices) {}

  @Configuration(proxyBeanMethods = false)
  static class WithDisplay extends Application {

    @Bean
    Promotion promotion(Prices prices) {
      return new Promotion(prices);
    }

    @Bean
    Display display() {
      return new Display(new CopyOnWriteArrayList<>());
    }
  }

  @Test
  void aBeanOfTheApplicationMayHaveTheInterfaceOfALaterStage() {
    runner
        .withUserConfiguration(WithDisplay.class)
        .run(context -> {
          Display display = context.getBean(Display.class);
          assertThat(context.getBean(Promotion.class).prices()).isSameAs(display);
          assertThat(context.getBean(Prices.class)).isSameAs(display);
          context.getBean(Orders.class).ordered("rice");
          await().until(() -> display.shown().equals(List.of("rice")));
        });
  }

  interface Tills {
    CompletableFuture<Long> sell(String item);
  }

  /** The first stage of services.md: it returns results, and its events go to the next stage. */
  @Configuration(proxyBeanMethods = false)
  static class WithResults {

    @Bean
    ServiceDefinition<Tills, Prices> tills() {
      return ServiceDefinition.of("tills", Tills.class, Prices.class, WithResults::till);
    }

    private static Tills till(Prices prices) {
      return item -> {
        long cents = 100L * item.length();
        if (!item.equals("air")) {
          prices.priced(item, cents);
        }
        return CompletableFuture.completedFuture(cents);
      };
    }

    @Bean
    ServiceDefinition<Prices, Bills> billing(ServiceDefinition<Tills, Prices> tills) {
      return ServiceDefinition.of("billing", Prices.class, Bills.class, Biller::new).from(tills);
    }

    @Bean
    Received received() {
      return new Received();
    }
  }

  @Test
  void aFirstStageReturnsResultsAndItsEventsGoToTheNextOne() {
    runner
        .withUserConfiguration(WithResults.class)
        .run(context -> {
          Tills tills = context.getBean(Tills.class);
          assertThat(tills.sell("air")).succeedsWithin(SOON).isEqualTo(300L);
          assertThat(tills.sell("rice")).succeedsWithin(SOON).isEqualTo(400L);
          Received received = context.getBean(Received.class);
          await().untilAsserted(() -> assertThat(received.texts).containsExactly("rice=400"));
        });
  }

  @Configuration(proxyBeanMethods = false)
  static class TwoNextStages extends Application {

    @Bean
    ServiceDefinition<Prices, Bills> alsoBilling(ServiceDefinition<Orders, Prices> pricing) {
      return ServiceDefinition.of("also-billing", Prices.class, Bills.class, Biller::new)
          .from(pricing);
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class NoFirstStage {

    @Bean
    ServiceDefinition<Prices, Bills> billing() {
      return ServiceDefinition.of("billing", Prices.class, Bills.class, Biller::new)
          .from(new Application().pricing());
    }
  }

  @Test
  void aStageNeedsOneServiceBeforeIt() {
    runner
        .withUserConfiguration(NoFirstStage.class)
        .run(context ->
            assertThat(context.getStartupFailure())
                .rootCause()
                .isInstanceOf(StartRefused.class)
                .hasMessageContaining(
                    "service billing performs the answers of service pricing, which is not a service of this application (known: [billing])"));
    runner
        .withUserConfiguration(TwoNextStages.class)
        .run(context ->
            assertThat(context.getStartupFailure())
                .rootCause()
                .isInstanceOf(StartRefused.class)
                .hasMessageContaining("answers of service pricing, but so does service"));
  }
}
