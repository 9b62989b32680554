/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring.hosting;

import static io.forebay.hosting.Paused.pause;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.forebay.call.CallFailure;
import io.forebay.call.FailureReceiver;
import io.forebay.call.Message;
import io.forebay.call.Protocol;
import io.forebay.call.Writer;
import io.forebay.hosting.ServiceDefinition;
import io.forebay.operations.DataDirectory;
import io.forebay.operations.ServiceCounts;
import io.forebay.operations.ServiceView;
import io.forebay.operations.failures.DecisionRefused;
import io.forebay.operations.failures.Failure;
import io.forebay.operations.failures.FailureValues;
import io.forebay.operations.failures.Failures;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.service.ServiceState.Phase;
import io.forebay.service.errors.BlockingMessage;
import io.forebay.service.errors.ErrorPolicy;
import io.forebay.service.progress.Unavailable;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Own services whose component throws. */
@ExtendWith(OutputCaptureExtension.class)
class OwnErrorsTest {

  interface Pricing {
    void price(String item);
  }

  /** Like the service's protocol, with a method that it does not have. */
  interface NewerPricing {
    void priceAll();
  }

  interface Prices {
    void priced(String item);
  }

  /** A component that fails as told; it answers before it fails. */
  static final class Pricer implements Pricing {

    private final List<String> tried = new CopyOnWriteArrayList<>();
    private final Prices prices;
    private final Consumer<String> defect;

    Pricer(Prices prices, Consumer<String> defect) {
      this.prices = prices;
      this.defect = defect;
    }

    @Override
    public void price(String item) {
      prices.priced(item);
      tried.add(item);
      defect.accept(item);
    }

    long tries(String item) {
      return tried.stream().filter(item::equals).count();
    }
  }

  /** Receives answers and failures in one list. */
  static final class Shop implements Prices, FailureReceiver {

    private final List<String> received = new CopyOnWriteArrayList<>();
    private final List<UUID> failed = new CopyOnWriteArrayList<>();

    @Override
    public void priced(String item) {
      received.add(item);
    }

    @Override
    public void callFailed(CallFailure failure) {
      received.add(
          failure.error() + ": " + failure.text() + (failure.declined() ? ", declined" : ""));
      failed.add(Message.current().id());
      assertThat(Message.current().source()).isPresent();
    }
  }

  @TempDir Path data;

  private final Shop shop = new Shop();
  private volatile boolean defective = true;
  private volatile Pricer pricer;

  /** The definition of the test. */
  private record Holder(ServiceDefinition<Pricing, Prices> definition) {}

  @Configuration(proxyBeanMethods = false)
  static class Application {

    @Bean
    ServiceDefinition<Pricing, Prices> pricing(Holder holder) {
      return holder.definition();
    }
  }

  /** What the tests use of the application. */
  private record Running(OwnService<Pricing, Prices> service, Failures letters) {

    void price(String... items) {
      for (String item : items) {
        service.calls().price(item);
      }
    }

    List<Failure> listed() {
      return letters.list("pricing", null, 10).failures();
    }
  }

  private void run(ErrorPolicy policy, Consumer<String> defect, ThrowingConsumer test)
      throws ClassNotFoundException {
    ServiceDefinition<Pricing, Prices> definition =
        ServiceDefinition.of(
                "pricing",
                Pricing.class,
                Prices.class,
                prices -> {
                  pricer = new Pricer(prices, defect);
                  return pricer;
                })
            .withErrorPolicy(policy);
    new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                OwnServiceAutoConfiguration.class,
                Class.forName("io.forebay.spring.OperationsAutoConfiguration")))
        .withBean(QueueBackend.class, () -> MemoryBackend.open())
        .withBean(DataDirectory.class, () -> new DataDirectory(data))
        .withBean(Shop.class, () -> shop)
        .withBean("holder", Holder.class, () -> new Holder(definition))
        .withUserConfiguration(Application.class)
        .run(context -> {
          @SuppressWarnings("unchecked")
          OwnService<Pricing, Prices> service = context.getBean(OwnService.class);
          test.accept(new Running(service, context.getBean(Failures.class)));
        });
  }

  private interface ThrowingConsumer {
    void accept(Running running) throws Exception;
  }

  private void failsOn(String item, String bad) {
    if (defective && item.equals(bad)) {
      throw new IllegalStateException("no price for " + item);
    }
  }

  @Test
  void givesACallUpAfterThreeTriesAndPerformsTheOthers() throws Exception {
    run(
        ErrorPolicy.defaults(),
        item -> failsOn(item, "salt"),
        running -> {
          running.price("tea", "salt", "rice");

          await().until(() -> shop.received.size() == 3);
          assertThat(shop.received)
              .containsExactly("tea", "java.lang.IllegalStateException: no price for salt", "rice");
          assertThat(pricer.tried).containsExactly("tea", "salt", "salt", "salt", "rice");
          assertThat(running.service().state().phase()).isEqualTo(Phase.RUNNING);
          ServiceView view = running.service().view();
          assertThat(view.counts().deadLetters()).isEqualTo(1);
          assertThat(running.service().sample(Instant.now(), view).failed()).isEqualTo(1);
          Failure letter = running.listed().getFirst();
          assertThat(letter.position()).isEqualTo(1);
          assertThat(letter.messageId()).isEqualTo(shop.failed.getFirst());
          assertThat(letter.kind()).isEqualTo("java.lang.IllegalStateException");
          assertThat(letter.detail()).contains("tries=3").doesNotContain("salt");
          assertThat(letter.replay()).isNull();
          assertThat(running.letters().values(letter.id()))
              .contains(
                  new FailureValues(
                      letter.id(),
                      "no price for salt",
                      List.of(new FailureValues.Call("price", List.of("\"salt\""))),
                      null,
                      null));
          assertThat(running.letters().values("pricing~0~77~q")).isEmpty();
          assertThat(running.letters().values("pricing~1~1~q")).isEmpty();
          assertThat(running.letters().values("other~0~1~q")).isEmpty();
        });
  }

  @Test
  void answersOnceIfALaterTrySucceeds() throws Exception {
    run(
        ErrorPolicy.retry(4, Duration.ofMillis(1)).thenDeadLetter(),
        item -> {
          if (item.equals("salt") && pricer.tries("salt") < 4) {
            throw new IllegalStateException("not yet");
          }
        },
        running -> {
          running.price("salt", "rice");

          await().until(() -> shop.received.size() == 2);
          assertThat(shop.received).containsExactly("salt", "rice");
          assertThat(pricer.tries("salt")).isEqualTo(4);
          assertThat(running.listed()).isEmpty();
          assertThat(running.service().view().partitions().getFirst().waitsFor()).isNull();
        });
  }

  @Test
  void triesAFatalExceptionOnceAndAnUnavailableResourceWithoutLimit(CapturedOutput output)
      throws Exception {
    run(
        ErrorPolicy.retry(3, Duration.ofMillis(1))
            .thenDeadLetter()
            .withFatal(IllegalArgumentException.class),
        item -> {
          if (item.equals("salt")) {
            throw new NumberFormatException("a subtype");
          }
          if (item.equals("rice") && pricer.tries("rice") < 6) {
            throw new Unavailable("the warehouse does not respond", null);
          }
        },
        running -> {
          running.price("salt", "rice");

          await().until(() -> shop.received.size() == 2);
          assertThat(shop.received)
              .containsExactly("java.lang.NumberFormatException: a subtype", "rice");
          assertThat(pricer.tries("salt")).isEqualTo(1);
          assertThat(pricer.tries("rice")).isEqualTo(6);
          assertThat(output)
              .contains("(a subtype)")
              .doesNotContain("\tat " + OwnErrorsTest.class.getName());
        });
  }

  private static final class SoldOut extends RuntimeException {
    private static final long serialVersionUID = 1;

    SoldOut(String item) {
      super(item + " is sold out");
    }
  }

  @Test
  void answersACallThatTheComponentDeclinesAtOnceAndWithoutADeadLetter(CapturedOutput output)
      throws Exception {
    run(
        ErrorPolicy.stop().withDeclining(SoldOut.class),
        item -> {
          if (item.equals("salt")) {
            throw new SoldOut(item);
          }
        },
        running -> {
          running.price("tea", "salt", "rice");

          await().until(() -> shop.received.size() == 3);
          assertThat(shop.received)
              .containsExactly(
                  "tea", SoldOut.class.getName() + ": salt is sold out, declined", "rice");
          assertThat(pricer.tries("salt")).isEqualTo(1);
          assertThat(running.listed()).isEmpty();
          assertThat(running.service().view().counts()).isEqualTo(new ServiceCounts(3, 0, 0, 1, 0));
          assertThat(output).doesNotContain(SoldOut.class.getName());
        });
  }

  @Test
  void logsEachKindOfFailureAtADecayingRate(CapturedOutput output) throws Exception {
    run(
        ErrorPolicy.retry(2, Duration.ofMillis(1)).thenDeadLetter(),
        item -> failsOn(item, "salt"),
        running -> {
          for (int i = 0; i < 100; i++) {
            running.price("salt");
          }
          try (Writer<NewerPricing> writer =
              Protocol.of(NewerPricing.class).writer(running.service().in())) {
            for (int i = 0; i < 10; i++) {
              writer.calls().priceAll();
            }
          }
          await().until(() -> shop.received.size() == 110);
        });
    assertThat(
            output
                .getAll()
                .lines()
                .filter(line -> line.contains("IllegalStateException, try 1 of 2")))
        .as("the first, tenth and hundredth call that is retried, one line each")
        .hasSize(3)
        .allMatch(line -> line.contains("Call failed: "));
    assertThat(output.getAll().lines().filter(line -> line.contains("Dead letter: ")))
        .as("the same of dead letters, and two that cannot be decoded")
        .hasSize(5);
  }

  @Test
  void retriesOnlyWhatIsRetryable() throws Exception {
    run(
        ErrorPolicy.retry(3, Duration.ofMillis(1))
            .thenDeadLetter()
            .withRetryable(IllegalStateException.class),
        item -> {
          throw item.equals("salt")
              ? new IllegalStateException()
              : new UnsupportedOperationException();
        },
        running -> {
          running.price("salt", "rice");

          await().until(() -> shop.received.size() == 2);
          assertThat(pricer.tried).containsExactly("salt", "salt", "salt", "rice");
        });
  }

  @Test
  void stopsAtTheCallUntilAnOperatorFailsIt() throws Exception {
    run(
        ErrorPolicy.stop(),
        item -> failsOn(item, "salt"),
        running -> {
          running.price("tea", "salt", "rice");

          await().until(() -> pricer.tries("salt") > 3);
          assertThat(shop.received).containsExactly("tea");
          assertThat(running.service().state().phase()).isEqualTo(Phase.WAITING);
          BlockingMessage blocking = running.service().view().partitions().getFirst().waitsFor();
          assertThat(blocking).isNotNull();
          assertThat(blocking.position()).isEqualTo(1);
          assertThat(blocking.reason()).contains("IllegalStateException").doesNotContain("salt");
          assertThat(running.service().failMessage(0, 2, "wrong one")).isFalse();

          assertThat(running.service().failMessage(0, 1, "it has no price")).isTrue();

          await().until(() -> shop.received.size() == 3);
          assertThat(shop.received)
              .containsExactly("tea", "GIVEN_UP: an operator failed it: it has no price", "rice");
          assertThat(running.listed())
              .singleElement()
              .returns("GIVEN_UP", Failure::kind)
              .returns("an operator failed it: it has no price", Failure::detail);
        });
  }

  @Test
  void replaysADeadLetterOnceItsCauseIsGone() throws Exception {
    run(
        ErrorPolicy.retry(1, Duration.ofMillis(1)).thenDeadLetter(),
        item -> failsOn(item, "salt"),
        running -> {
          running.price("salt");
          await().until(() -> shop.received.size() == 1);
          String first = running.listed().getFirst().id();

          running.letters().replay(first, "ada");
          await().until(() -> shop.received.size() == 2);
          Failure failed = running.letters().find(first).orElseThrow();
          assertThat(failed.replay().outcome()).isEqualTo(Failure.Outcome.FAILED);
          assertThat(failed.replay().by()).isEqualTo("ada");
          Failure second = running.listed().getFirst();
          assertThat(second.messageId()).isEqualTo(failed.replay().messageId());
          assertThat(second.replays()).isEqualTo(1);

          assertThatThrownBy(() -> running.letters().replay(first, "ada"))
              .isInstanceOf(DecisionRefused.class)
              .hasMessageContaining("a letter of its own");

          defective = false;
          pause(running.service(), "so that it waits");
          replayAtOnce(running.letters(), second.id());
          assertThat(running.letters().find(second.id()).orElseThrow().replay().outcome())
              .isEqualTo(Failure.Outcome.PENDING);
          running.service().resume();
          await().until(() -> shop.received.size() == 3);
          assertThat(shop.received).last().isEqualTo("salt");
          await()
              .untilAsserted(() ->
                  assertThat(running.letters().find(second.id()).orElseThrow().replay().outcome())
                      .isEqualTo(Failure.Outcome.DONE));
          assertThatThrownBy(() -> running.letters().replay(second.id(), "ada"))
              .isInstanceOf(DecisionRefused.class)
              .hasMessageContaining("already sent again");
          assertThat(running.letters().groups(null, Instant.EPOCH)).isEmpty();
        });
  }

  @Test
  void aDeadLetterIsSetAsideReopenedAndDiscarded() throws Exception {
    run(
        ErrorPolicy.retry(1, Duration.ofMillis(1)).thenDeadLetter(),
        item -> failsOn(item, "salt"),
        running -> {
          running.price("salt");
          await().until(() -> shop.received.size() == 1);
          Failures letters = running.letters();
          String id = running.listed().getFirst().id();
          assertThat(new String(letters.message(id).orElseThrow(), StandardCharsets.UTF_8))
              .contains("salt");

          letters.decide(id, Failure.State.SET_ASIDE, "ada", "tomorrow");
          assertThat(letters.count("pricing", Failure.State.SET_ASIDE, 10)).isEqualTo(1);
          assertThat(letters.count("pricing", Failure.State.OPEN, 10)).isZero();
          assertThat(letters.groups("pricing", Instant.EPOCH)).isEmpty();
          assertThat(letters.groups("pricing", Instant.EPOCH, Failure.State.SET_ASIDE))
              .singleElement()
              .returns(1L, Failures.Group::count);
          assertThat(letters.decide(id, Failure.State.OPEN, "ada", "").orElseThrow().state())
              .isEqualTo(Failure.State.OPEN);

          Failure discarded =
              letters.decide(id, Failure.State.DISCARDED, "bo", "a test").orElseThrow();
          assertThat(discarded.decision())
              .returns("bo", Failure.Decision::by)
              .returns("a test", Failure.Decision::reason);
          defective = false;
          assertThatThrownBy(() -> letters.replay(id, "ada"))
              .isInstanceOf(DecisionRefused.class)
              .hasMessageContaining("discarded by bo");
          assertThatThrownBy(() -> letters.decide(id, Failure.State.OPEN, "ada", ""))
              .isInstanceOf(DecisionRefused.class);
        });
  }

  /** As two operators do; only one of them succeeds. */
  private static void replayAtOnce(Failures letters, String id) throws Exception {
    try (ExecutorService operators = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        all.add(operators.submit(() -> letters.replay(id, "ada")));
      }
      int accepted = 0;
      for (Future<?> one : all) {
        try {
          one.get();
          accepted++;
        } catch (ExecutionException e) {
          assertThat(e).hasCauseInstanceOf(DecisionRefused.class);
        }
      }
      assertThat(accepted).isEqualTo(1);
    }
  }

  @Test
  void storesAMessageThatItCannotDecode() throws Exception {
    run(
        ErrorPolicy.defaults(),
        item -> {},
        running -> {
          try (Writer<NewerPricing> writer =
              Protocol.of(NewerPricing.class).writer(running.service().in())) {
            writer.calls().priceAll();
          }
          running.price("tea");

          await().until(() -> shop.received.size() == 2);
          assertThat(shop.received).containsExactly("UNDECODABLE: UNKNOWN_METHOD", "tea");
          assertThat(running.listed().getFirst().detail())
              .isEqualTo("the message could not be decoded (UNKNOWN_METHOD)");
          assertThat(running.letters().groups("pricing", Instant.EPOCH))
              .singleElement()
              .extracting(Failures.Group::error, Failures.Group::count)
              .containsExactly("UNDECODABLE", 1L);
          assertThat(running.letters().values(running.listed().getFirst().id()).orElseThrow())
              .extracting(FailureValues::calls)
              .isEqualTo(List.of(new FailureValues.Call("priceAll", List.of())));
        });
  }

  @Test
  void listsLettersInPages() throws Exception {
    run(
        ErrorPolicy.retry(1, Duration.ofMillis(1)).thenDeadLetter(),
        item -> failsOn(item, "salt"),
        running -> {
          running.price("salt", "salt", "salt");
          await().until(() -> shop.received.size() == 3);

          Failures.Page first = running.letters().list(null, null, 2);
          assertThat(first.failures()).extracting(Failure::position).containsExactly(2L, 1L);
          Failures.Page last = running.letters().list(null, first.next(), 2);
          assertThat(last.failures()).extracting(Failure::position).containsExactly(0L);
          assertThat(last.next()).isNull();
          for (Failures.Filter others :
              List.of(
                  new Failures.Filter("pricing", CallFailure.UNDECODABLE, null),
                  new Failures.Filter("pricing", null, new Failures.Cause("add", null), null),
                  new Failures.Filter("pricing", null, Failure.State.DISCARDED))) {
            assertThat(running.letters().page(others, null, 2).failures()).isEmpty();
          }
          assertThat(running.letters().groups(null, Instant.EPOCH))
              .singleElement()
              .returns(3L, Failures.Group::lastMinute);
          assertThatThrownBy(() -> running.letters().list("other", null, 2))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessage("service other does not exist (known: [pricing])");
        });
  }
}
