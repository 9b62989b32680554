/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.test;

import static io.forebay.test.Answer.answer;
import static io.forebay.test.Answer.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.forebay.hosting.HostedDeadLetters;
import io.forebay.hosting.ServiceDefinition;
import io.forebay.operations.failures.DecisionRefused;
import io.forebay.operations.failures.Failure;
import io.forebay.operations.failures.FailureId;
import io.forebay.operations.failures.Failures;
import io.forebay.service.errors.DeadLetter;
import io.forebay.service.errors.DeadLetterQueue;
import io.forebay.service.errors.ErrorPolicy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class TestServiceTest {

  interface Pricing {
    void price(String item);

    CompletableFuture<Integer> quote(String item);
  }

  interface Prices {
    void priced(String item, int cents);
  }

  private final List<String> tried = new CopyOnWriteArrayList<>();
  private volatile boolean repaired;

  private final class Pricer implements Pricing {

    private final Prices prices;

    Pricer(Prices prices) {
      this.prices = prices;
    }

    @Override
    public void price(String item) {
      prices.priced(item, cents(item));
    }

    @Override
    public CompletableFuture<Integer> quote(String item) {
      return CompletableFuture.completedFuture(cents(item));
    }

    private int cents(String item) {
      tried.add(item);
      if (item.equals("salt") && !repaired) {
        throw new IllegalStateException("no salt");
      }
      return item.length();
    }
  }

  private final ServiceDefinition<Pricing, Prices> definition =
      ServiceDefinition.of("pricing", Pricing.class, Prices.class, Pricer::new)
          .withErrorPolicy(ErrorPolicy.retry(3, Duration.ofMinutes(10)).thenDeadLetter());

  @Test
  void answersFailuresAndResultsAreThoseOfTheService() throws Exception {
    try (TestService<Pricing, Prices> pricing = TestService.start(definition)) {
      pricing.calls().price("tea");
      pricing.calls().price("salt");
      CompletableFuture<Integer> quote = pricing.calls().quote("rice");
      pricing.awaitPerformed();

      assertThat(pricing.answers())
          .containsExactly(
              answer("priced", "tea", 3), failure("java.lang.IllegalStateException", "no salt"));
      assertThat(quote).isCompletedWithValue(4);
      assertThat(tried).containsExactly("tea", "salt", "salt", "salt", "rice");

      Failure letter = pricing.deadLetters().getFirst();
      assertThat(letter.kind()).isEqualTo("java.lang.IllegalStateException");
      repaired = true;
      pricing.replay(letter);
      pricing.awaitPerformed();
      assertThat(pricing.answers()).last().isEqualTo(answer("priced", "salt", 4));
    }
  }

  @Test
  void aResultThatWillNeverComeIsNotAwaited() {
    try (TestService<Pricing, Prices> pricing = TestService.start(definition)) {
      UUID unknown = UUID.randomUUID();
      CompletableFuture<Integer> none = pricing.service().result(unknown, Integer.class);
      CompletableFuture<Integer> quote = pricing.calls().quote("rice");
      pricing.awaitPerformed();
      assertThat(quote).isCompletedWithValue(4);
      assertThat(none).isNotDone();
    }
  }

  @Test
  void aWaitThatFailsSaysWhatItAwaits() {
    try (TestService<Pricing, Prices> pricing = TestService.start(definition)) {
      pricing.calls().quote("salt");
      pricing.awaitTries(1);
      assertThat(ServiceWait.awaited(pricing.service()))
          .contains(
              "service pricing awaits the results of 1 call(s)",
              "partition 0 is",
              "has performed 0 of 1 messages",
              "attempts=1")
          .doesNotContain("no salt");
    }
  }

  @Test
  void aRetryWaitsUntilTheClockMoves() {
    try (TestService<Pricing, Prices> pricing = TestService.start(definition)) {
      pricing.calls().price("salt");
      pricing.awaitTries(1);
      pricing.clock().advance(Duration.ofMinutes(9));
      await().during(Duration.ofMillis(50)).until(() -> tried.size() == 1);

      repaired = true;
      pricing.clock().advance(Duration.ofMinutes(2));
      pricing.awaitPerformed();
      assertThat(tried).hasSize(2);
      assertThat(pricing.answers()).containsExactly(answer("priced", "salt", 4));
    }
  }

  @Test
  void aGroupOfDeadLettersLastsFromTheFirstToTheLastOfAllPartitions() {
    try (TestService<Pricing, Prices> pricing = TestService.start(definition.withPartitions(2))) {
      for (int i = 0; i < 8; i++) {
        pricing.calls().price("salt");
        pricing.awaitPerformed(); // one after the other, in either partition
      }
      List<Instant> times = pricing.deadLetters().stream().map(Failure::at).sorted().toList();
      Failures letters =
          new Failures(
              List.of(new HostedDeadLetters<>(pricing.service(), pricing.service().letters())));
      assertThat(letters.groups(null, Instant.EPOCH))
          .singleElement()
          .returns(8L, Failures.Group::count)
          .returns(times.getFirst(), Failures.Group::first)
          .returns(times.getLast(), Failures.Group::last);
    }
  }

  @Test
  void lettersThatAreSetAsideAreGroupedApartFromNewerOnesUpToALimit() {
    try (TestService<Pricing, Prices> pricing = TestService.start(definition)) {
      pricing.calls().price("salt");
      pricing.awaitPerformed();
      DeadLetterQueue queue = pricing.service().letters();
      Failures letters = new Failures(List.of(new HostedDeadLetters<>(pricing.service(), queue)));
      Failure aside = pricing.deadLetters().getFirst();
      letters.decide(aside.id(), Failure.State.SET_ASIDE, "ada", "later");
      String in = pricing.service().in().identity();
      for (int i = 0; i < Failures.MAX_COUNTED; i++) {
        queue.store(
            new DeadLetter(in, 0, 1_000 + i, null, "E", "t", 1, null, 1), ByteBuffer.allocate(1));
      }
      assertThat(letters.groups(null, Instant.EPOCH, Failure.State.SET_ASIDE))
          .singleElement()
          .returns(1L, Failures.Group::count)
          .returns(false, Failures.Group::capped)
          .returns(aside.at(), Failures.Group::first)
          .returns(aside.at(), Failures.Group::last);

      for (int i = 1; i < Failures.MAX_SET_ASIDE; i++) {
        long position = 1_000 + i;
        queue.append(0, it -> it.decided(in, position, "SET_ASIDE", "ada", "later"));
      }
      String open = new FailureId(aside.service(), 0, 1_000, in).text();
      assertThatThrownBy(() -> letters.decide(open, Failure.State.SET_ASIDE, "ada", "later"))
          .isInstanceOf(DecisionRefused.class)
          .hasMessageContaining("limit=10,000");
      letters.decide(aside.id(), Failure.State.DISCARDED, "ada", "not needed");
      letters.decide(open, Failure.State.SET_ASIDE, "ada", "later");
    }
  }

  @Test
  void aCallThatHangsIsFailedAndDoesNotKeepTheTestFromEnding() {
    ServiceDefinition<Pricing, Prices> hanging =
        ServiceDefinition.of(
            "hanging",
            Pricing.class,
            Prices.class,
            _ ->
                new Pricing() {
                  @Override
                  public void price(String item) {}

                  @Override
                  public CompletableFuture<Integer> quote(String item) {
                    return new CompletableFuture<>();
                  }
                });
    try (TestService<Pricing, Prices> pricing = TestService.start(hanging)) {
      CompletableFuture<Integer> failed = pricing.calls().quote("tea");
      pricing.calls().quote("rice");
      pricing.failHanging("it hangs");
      assertThat(failed)
          .failsWithin(Duration.ofSeconds(30))
          .withThrowableThat()
          .withMessageContaining("it hangs");
    }
  }
}
