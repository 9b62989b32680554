/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring.hosting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.forebay.call.CallGivenUp;
import io.forebay.call.Message;
import io.forebay.call.NoEvents;
import io.forebay.call.PendingResult;
import io.forebay.hosting.AnswerTransactions;
import io.forebay.hosting.ServiceDefinition;
import io.forebay.operations.DataDirectory;
import io.forebay.operations.StartRefused;
import io.forebay.queue.ErrorsInThreads;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.service.ServiceState.Phase;
import io.forebay.service.progress.Unavailable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class OwnServiceTest {

  interface Pricing {
    void price(String item, int count);

    default void priceOne(String item) {
      price(item, 1);
    }
  }

  interface Prices {
    void priced(String item, long cents);
  }

  @TempDir Path data;

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(OwnServiceAutoConfiguration.class))
          .withBean(QueueBackend.class, () -> MemoryBackend.open())
          .withBean(DataDirectory.class, () -> new DataDirectory(data));

  @Configuration
  static class Application {

    @Bean
    ServiceDefinition<Pricing, Prices> pricing() {
      return ServiceDefinition.of(
              "pricing",
              Pricing.class,
              Prices.class,
              prices -> (item, count) -> prices.priced(item, 100L * count))
          .withPartitions(2);
    }

    @Bean
    Shop shop(Pricing pricing) {
      return new Shop(pricing);
    }
  }

  /** Calls the service and receives its answers, as an application's bean does. */
  static final class Shop implements Prices {

    private final Pricing pricing;
    private final List<String> received = new CopyOnWriteArrayList<>();
    private volatile int unavailable;

    Shop(Pricing pricing) {
      this.pricing = pricing;
    }

    @Override
    public void priced(String item, long cents) {
      if (item.equals("broken")) {
        throw new IllegalStateException("this bean has a defect");
      }
      if (item.equals("class")) {
        throw new NoClassDefFoundError("of this bean");
      }
      if (item.equals("later") && unavailable++ < 2) {
        throw new Unavailable("no shelf for it yet", null);
      }
      assertThat(Message.current().source()).isPresent();
      received.add(item + "=" + cents);
    }
  }

  @Test
  void callsOfManyThreadsArePerformedAndAnsweredOnce() {
    runner
        .withUserConfiguration(Application.class)
        .run(context -> {
          Shop shop = context.getBean(Shop.class);
          try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            IntStream.range(0, 1_000)
                .forEach(i -> threads.submit(() -> shop.pricing.price("item" + i, i)));
          }
          await().until(() -> shop.received.size() >= 1_000);
          Set<String> all =
              IntStream.range(0, 1_000)
                  .mapToObj(i -> "item" + i + "=" + 100L * i)
                  .collect(Collectors.toSet());
          assertThat(shop.received).hasSize(1_000).hasSameElementsAs(all);
          OwnService<?, ?> service = context.getBean(OwnService.class);
          assertThat(service.state().phase()).isEqualTo(Phase.RUNNING);
          assertThat(service.in().name()).isEqualTo("pricing.in");
          assertThat(service.out().partitions()).isEqualTo(2);
        });
  }

  @Test
  void aThrowingBeanGetsTheNextAnswerAndAnUnavailableOneTheSameAgain() {
    runner
        .withUserConfiguration(Application.class)
        .run(context -> {
          Shop shop = context.getBean(Shop.class);
          shop.pricing.priceOne("broken");
          shop.pricing.priceOne("class");
          shop.pricing.priceOne("later");
          shop.pricing.priceOne("tea");
          await().until(() -> shop.received.size() == 2);
          assertThat(shop.received).containsExactlyInAnyOrder("later=100", "tea=100");
          assertThat(shop.unavailable).isEqualTo(3);
          assertThat(context.getBean(OwnService.class).skipped()).isEqualTo(2);
        });
  }

  /** Transactions of a database that does not respond at first. */
  private static class Late implements AnswerTransactions {

    private volatile boolean responds;

    @Override
    public OptionalLong position(String queueId, int partition) {
      if (!responds) {
        throw new Unavailable("the shop's database is down", null);
      }
      return OptionalLong.empty();
    }

    @Override
    public Transaction begin() {
      return new Transaction() {
        @Override
        public void deliver(Runnable delivery) {
          delivery.run();
        }

        @Override
        public void commit(String queueId, int partition, OptionalLong from, long to) {}

        @Override
        public void rollback() {}
      };
    }
  }

  @Test
  void aServiceShowsThatItsReceiversWait() {
    Late late = new Late();
    runner
        .withUserConfiguration(Application.class)
        .withBean(AnswerTransactions.class, () -> late)
        .run(context -> {
          OwnService<?, ?> service = context.getBean(OwnService.class);
          Shop shop = context.getBean(Shop.class);
          shop.pricing.priceOne("tea");
          await().until(() -> service.view().state().phase() == Phase.WAITING);
          assertThat(service.view().state().reason())
              .contains("of pricing.out are not received: the shop's database is down");
          assertThat(service.view().accepts()).isTrue();
          await().until(() -> service.unreceived().orElseThrow() == 1);
          late.responds = true;
          await().until(() -> service.unreceived().orElseThrow() == 0);
          await().until(() -> service.view().state().phase() == Phase.RUNNING);
          assertThat(shop.received).containsExactly("tea=100");
        });
  }

  @Test
  void transactionsThatLackSomethingEndTheStart() {
    Late late =
        new Late() {
          @Override
          public void mustBeUsable() {
            throw new StartRefused("create table forebay_received");
          }
        };
    runner
        .withUserConfiguration(Application.class)
        .withBean(AnswerTransactions.class, () -> late)
        .run(context ->
            assertThat(context.getStartupFailure())
                .rootCause()
                .isInstanceOf(StartRefused.class)
                .hasMessage("create table forebay_received"));
  }

  @Test
  void anErrorWhileAnswersAreReadDelaysThemAndAnotherExceptionEndsThat() {
    ErrorsInThreads errors = new ErrorsInThreads("forebay-pricing-answers");
    errors.next(new OutOfMemoryError("for a test"));
    new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(OwnServiceAutoConfiguration.class))
        .withBean(QueueBackend.class, () -> errors.over(MemoryBackend.open()))
        .withBean(DataDirectory.class, () -> new DataDirectory(data))
        .withUserConfiguration(Application.class)
        .run(context -> {
          Shop shop = context.getBean(Shop.class);
          shop.pricing.priceOne("tea");
          await().until(() -> shop.received.contains("tea=100"));
          assertThat(errors.isThrown()).isTrue();
          errors.next(new IllegalStateException("for a test"));
          OwnService<?, ?> service = context.getBean(OwnService.class);
          await().until(() -> service.view().state().phase() == Phase.WAITING);
          assertThat(service.view().state().reason())
              .endsWith("for a test; they are not read until the application is restarted");
        });
  }

  @Test
  void isAnOrdinaryBeanToCollections() {
    runner
        .withUserConfiguration(Application.class)
        .run(context -> {
          Pricing calls = context.getBean(Pricing.class);
          assertThat(Set.of(calls)).contains(calls);
          assertThat(calls).hasToString("calls, shared, of Pricing").isNotEqualTo("x");
          assertThatThrownBy(() -> calls.price("x".repeat(2_000_000), 1))
              .hasMessageContaining("pricing.in");
        });
  }

  interface Stock {
    CompletableFuture<Integer> left(String item);

    void restock(String item, int count);
  }

  static final class Shelves implements Stock {

    private final Map<String, Integer> counts = new HashMap<>();

    @Override
    public CompletableFuture<Integer> left(String item) {
      return CompletableFuture.completedFuture(counts.getOrDefault(item, 0));
    }

    @Override
    public void restock(String item, int count) {
      counts.merge(item, count, Integer::sum);
    }
  }

  @Configuration
  static class StockApplication {
    @Bean
    ServiceDefinition<Stock, NoEvents> stock() {
      return ServiceDefinition.of("stock", Stock.class, Shelves::new);
    }
  }

  @Test
  void aMethodReturnsItsResultWhichIsAlsoFoundByTheIdOfTheCall() {
    runner
        .withUserConfiguration(Application.class, StockApplication.class)
        .run(context -> {
          Stock stock = context.getBean(Stock.class);
          stock.restock("tea", 3);
          stock.restock("tea", 4);
          CompletableFuture<Integer> left = stock.left("tea");
          assertThat(left.get(30, TimeUnit.SECONDS)).isEqualTo(7);

          OwnService<?, ?> service = context.getBean("stockService", OwnService.class);
          UUID id = PendingResult.id(left);
          assertThat(service.result(id, Integer.class)).isCompletedWithValue(7);
          UUID none = PendingResult.id(stock.left("rice"));
          assertThat(service.results(List.of(id, none, id), Integer.class))
              .containsOnlyKeys(id, none)
              .allSatisfy((call, result) ->
                  assertThat(result)
                      .succeedsWithin(Duration.ofSeconds(30))
                      .isEqualTo(call.equals(id) ? 7 : 0));
          assertThat(service.results(List.of(), Integer.class)).isEmpty();
          assertThatThrownBy(() -> PendingResult.id(left.thenApply(it -> it + 1)))
              .hasMessageContaining("pass the future that the call returned");
          OwnService<?, ?> pricing = context.getBean("pricingService", OwnService.class);
          assertThatThrownBy(() -> pricing.result(id, Integer.class))
              .hasMessageContaining("no method of service pricing has a result");
        });
  }

  interface Counting {
    CompletableFuture<Integer> count(int number);
  }

  interface Counted {
    void counted(int number);
  }

  @Configuration
  static class CountingApplication {
    @Bean
    ServiceDefinition<Counting, Counted> counting() {
      return ServiceDefinition.of(
          "counting",
          Counting.class,
          Counted.class,
          counted ->
              number -> {
                counted.counted(number);
                return CompletableFuture.completedFuture(number);
              });
    }

    @Bean
    Counted receiver() {
      return _ -> {};
    }
  }

  @Test
  void aReceiverOfEventsTakesNoResultsAway() {
    runner
        .withUserConfiguration(CountingApplication.class)
        .run(context -> {
          Counting counting = context.getBean(Counting.class);
          OwnService<?, ?> service = context.getBean(OwnService.class);
          for (int i = 0; i < 20; i++) {
            CompletableFuture<Integer> result = counting.count(i);
            assertThat(result.get(30, TimeUnit.SECONDS)).isEqualTo(i);
            await().until(service::hasDeliveredAll);
            assertThat(service.result(PendingResult.id(result), Integer.class))
                .isCompletedWithValue(i);
          }
        });
  }

  interface Slow {
    CompletableFuture<Integer> twice(int number);
  }

  @Configuration
  static class SlowApplication {

    @Bean
    ServiceDefinition<Slow, NoEvents> slow() {
      return ServiceDefinition.of(
          "slow",
          Slow.class,
          () ->
              number ->
                  number < 0
                      ? new CompletableFuture<>()
                      : CompletableFuture.completedFuture(2 * number));
    }
  }

  @Test
  void anOperatorFailsACallWhoseResultNeverComes() {
    runner
        .withUserConfiguration(SlowApplication.class)
        .run(context -> {
          Slow slow = context.getBean(Slow.class);
          OwnService<?, ?> service = context.getBean(OwnService.class);
          CompletableFuture<Integer> never = slow.twice(-1);
          CompletableFuture<Integer> next = slow.twice(4);

          await().until(() -> service.state().phase() == Phase.WAITING);
          assertThat(service.state().reason()).contains("position 0", "result");
          assertThat(service.failMessage(0, 0, "it hangs")).isTrue();

          assertThat(never)
              .failsWithin(Duration.ofSeconds(30))
              .withThrowableThat()
              .withCauseInstanceOf(CallGivenUp.class)
              .withMessageContaining("it hangs");
          assertThat(next.get(30, TimeUnit.SECONDS)).isEqualTo(8);
          assertThat(service.view().partitions().getFirst().waitsFor()).isNull();
          await().until(() -> service.state().phase() == Phase.RUNNING);
        });
  }

  @Test
  void anInterfaceOfAnswersWhoseMethodsReturnResultsIsRefused() {
    assertThatThrownBy(
            () -> ServiceDefinition.of("stock", Pricing.class, Stock.class, _ -> (_, _) -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Stock cannot be the interface of answers");
  }

  @Configuration
  static class Untyped {
    @Bean
    ServiceDefinition<?, ?> pricing() {
      return new Application().pricing();
    }
  }

  @Test
  void aDefinitionWhoseInterfacesAreNotKnownIsRefused() {
    runner
        .withUserConfiguration(Untyped.class)
        .run(context ->
            assertThat(context)
                .getFailure()
                .hasMessageContaining("ServiceDefinition<Pricing, Prices>"));
  }

  @Test
  void anInvalidServiceNameIsRefused() {
    assertThatThrownBy(
            () -> ServiceDefinition.of("My pricing", Pricing.class, Prices.class, _ -> null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("My pricing");
  }
}
