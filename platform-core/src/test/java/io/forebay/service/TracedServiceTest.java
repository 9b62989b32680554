/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import static io.forebay.trace.RecordedSpans.childOf;
import static io.forebay.trace.RecordedSpans.context;
import static io.forebay.trace.RecordedSpans.linkedTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.call.NoEvents;
import io.forebay.call.Protocol;
import io.forebay.call.Writer;
import io.forebay.hosting.HostedDeadLetters;
import io.forebay.hosting.HostedService;
import io.forebay.operations.failures.FailureId;
import io.forebay.queue.Fenced;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.service.errors.DeadLetterQueue;
import io.forebay.service.errors.ErrorPolicy;
import io.forebay.service.progress.HostedProgress;
import io.forebay.service.progress.Unavailable;
import io.forebay.trace.RecordedSpans;
import io.forebay.trace.ThrowingTracer;
import io.forebay.trace.TraceParent;
import io.forebay.trace.Tracing;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The spans of services of one's own. */
class TracedServiceTest {

  interface Items {
    void item(String name);
  }

  interface Prices {
    CompletableFuture<Long> price(String item);
  }

  private final RecordedSpans spans = new RecordedSpans();
  private final Protocol<Items> items = Protocol.of(Items.class).traced(spans.tracing());
  private final MemoryBackend backend = MemoryBackend.open();
  private final MessageQueue in = backend.open("shop.in", 1);
  private final MessageQueue out = backend.open("shop.out", 1);
  private final MessageQueue last = backend.open("last.out", 1);
  private final DeadLetterQueue letters =
      DeadLetterQueue.open(backend, "shop", 1, Duration.ofDays(1));
  private final AtomicInteger tries = new AtomicInteger();

  @AfterEach
  void close() {
    backend.close();
    spans.close();
  }

  private Service<Items, Items> service(ComponentFactory<Items, Items> factory) {
    return new Service<>(
        "shop",
        new Service.End<>(in, items),
        new Service.End<>(out, items),
        factory,
        options(),
        HostedProgress.none(),
        letters);
  }

  private ServiceOptions options() {
    return ServiceOptions.defaults()
        .withRetry(Duration.ofMillis(1), Duration.ofMillis(5))
        .withOnError(
            ErrorPolicy.retry(2, Duration.ofMillis(1))
                .thenDeadLetter()
                .withFatal(IllegalArgumentException.class));
  }

  private TraceParent send(String name) {
    try (Writer<Items> writer = items.writer(in)) {
      return spans.in("caller", () -> writer.calls().item(name));
    }
  }

  private static void awaitPerformed(Service<?, ?> service, long position) {
    await().until(() -> service.position(0) == position);
  }

  @Test
  void aCallHasASpanBelowThatOfItsCaller() {
    try (Service<Items, Items> service = service((_, _) -> _ -> {})) {
      TraceParent caller = send("tea");
      service.start();
      awaitPerformed(service, 1);
      assertThat(spans.named("process shop.in"))
          .singleElement()
          .matches(childOf(caller))
          .satisfies(span -> {
            assertThat(span.getKind()).isEqualTo(SpanKind.CONSUMER);
            assertThat(span.getStatus().getStatusCode()).isNotEqualTo(StatusCode.ERROR);
            assertThat(span.getEndEpochNanos()).isGreaterThanOrEqualTo(span.getStartEpochNanos());
          });
    }
  }

  @Test
  void aTracerThatThrowsFailsNoCall() {
    ThrowingTracer.each().forEach(this::callsAreAsWithoutATracer);
  }

  /** A call that is performed, one that is not retried, and one that waits. */
  private void callsAreAsWithoutATracer(Tracing tracing) {
    List<String> performed = new ArrayList<>();
    String name = "throwing" + tries.incrementAndGet();
    MessageQueue throwingIn = backend.open(name + ".in", 1);
    DeadLetterQueue own = DeadLetterQueue.open(backend, name, 1, Duration.ofDays(1));
    Protocol<Items> traced = Protocol.of(Items.class).traced(tracing);
    ComponentFactory<Items, Items> factory =
        (_, answers) ->
            item -> {
              performed.add(item);
              if (item.equals("fatal")) {
                throw new IllegalArgumentException("broken for the test");
              }
              if (item.equals("away") && performed.size() < 4) {
                throw new Unavailable("away for the test", null);
              }
              answers.item(item);
            };
    try (Writer<Items> writer = items.writer(throwingIn);
        Service<Items, Items> service =
            new Service<>(
                name,
                new Service.End<>(throwingIn, traced),
                new Service.End<>(backend.open(name + ".out", 1), traced),
                factory,
                options(),
                HostedProgress.none(),
                own)) {
      for (String item : List.of("tea", "fatal", "away")) {
        spans.in("caller", () -> writer.calls().item(item));
      }
      service.start();
      awaitPerformed(service, 3);
      assertThat(performed).containsExactly("tea", "fatal", "away", "away");
    }
  }

  @Test
  void aRetryHasATraceOfItsOwnWithALink() {
    ComponentFactory<Items, Items> factory =
        (_, _) ->
            _ -> {
              switch (tries.incrementAndGet()) {
                case 1 -> throw new IllegalStateException("a secret value");
                case 2 -> throw new Unavailable("away for the test", null);
                default -> {}
              }
            };
    try (Service<Items, Items> service = service(factory)) {
      TraceParent caller = send("tea");
      service.start();
      awaitPerformed(service, 1);
      List<SpanData> performed = spans.named("process shop.in");
      assertThat(performed).hasSize(3);
      assertThat(performed.getFirst()).matches(childOf(caller));
      assertThat(performed.subList(1, 3)).allMatch(linkedTo(caller));
      assertThat(performed)
          .extracting(span -> span.getStatus().getStatusCode())
          .startsWith(StatusCode.ERROR, StatusCode.ERROR)
          .last()
          .isNotEqualTo(StatusCode.ERROR);
      assertThat(performed.toString())
          .contains("java.lang.IllegalStateException")
          .doesNotContain("a secret value");
    }
  }

  private static boolean hasFailed(SpanData span) {
    return span.getStatus().getStatusCode() == StatusCode.ERROR;
  }

  @Test
  void aTryThatIsFencedHasNoError() {
    ComponentFactory<Items, Items> fenced =
        (_, _) ->
            _ -> {
              throw new Fenced("taken over for the test", null);
            };
    try (Service<Items, Items> service = service(fenced)) {
      TraceParent caller = send("tea");
      service.start();
      await().until(() -> service.state().phase() == ServiceState.Phase.FENCED);
      assertThat(spans.named("process shop.in"))
          .singleElement()
          .matches(childOf(caller))
          .returns(false, TracedServiceTest::hasFailed);
    }
  }

  /** A clock by which an operator can soon fail a call that hangs. */
  private static final ServiceTime HURRIED =
      new ServiceTime() {
        @Override
        public long nanos() {
          return 100 * SYSTEM.nanos();
        }

        @Override
        public long epochNanos() {
          return SYSTEM.epochNanos();
        }

        @Override
        public void sleep(long nanos) {
          SYSTEM.sleep(nanos);
        }
      };

  @Test
  void aTryThatHangsHasAnErrorIfAnOperatorFailsItsMessageAndNoneIfTheServiceStops() {
    Protocol<Prices> prices = Protocol.of(Prices.class).traced(spans.tracing());
    ComponentFactory<Prices, NoEvents> hanging =
        (_, _) ->
            _ -> {
              tries.incrementAndGet();
              return new CompletableFuture<>();
            };
    Service<Prices, NoEvents> service =
        new Service<>(
            "shop",
            new Service.End<>(in, prices),
            new Service.End<>(out, Protocol.of(NoEvents.class)),
            hanging,
            options().withTime(HURRIED),
            HostedProgress.none(),
            letters);
    try (HostedService<Prices, NoEvents> hosted = new HostedService<>(service);
        Writer<Prices> writer = prices.writer(in)) {
      for (String item : List.of("tea", "rice")) {
        spans.in("caller", () -> writer.calls().price(item));
      }
      hosted.start();
      await().until(() -> hosted.failMessage(0, 0, "it hangs"));
      await().until(() -> tries.get() == 2);
      hosted.pause("so that it does not wait for the result");
      hosted.stop();
      assertThat(spans.named("process shop.in"))
          .extracting(TracedServiceTest::hasFailed)
          .containsExactly(true, false);
      assertThat(spans.named("process shop.in").getFirst().getAttributes().asMap())
          .containsValue("GIVEN_UP");
    }
  }

  @Test
  void whatACallSendsAndAnswersIsBelowItsSpan() {
    MessageQueue other = backend.open("other.in", 1);
    try (Writer<Items> writer = items.writer(other);
        Service<Items, Items> service =
            service((_, answers) ->
                name -> {
                  writer.calls().item(name);
                  answers.item(name);
                });
        Service<Items, Items> otherService =
            new Service<>(
                "other",
                new Service.End<>(other, items),
                new Service.End<>(backend.open("other.out", 1), items),
                (_, _) -> _ -> {},
                options());
        Service<Items, Items> later =
            new Service<>(
                "later",
                new Service.End<>(out, items),
                new Service.End<>(last, items),
                (_, _) -> _ -> {},
                options())) {
      TraceParent caller = send("tea");
      later.start();
      otherService.start();
      service.start();
      awaitPerformed(later, 1);
      awaitPerformed(otherService, 1);
      SpanData performed = spans.named("process shop.in").getFirst();
      assertThat(performed).matches(childOf(caller));
      assertThat(spans.named("process shop.out"))
          .singleElement()
          .matches(childOf(context(performed)));
      assertThat(spans.named("process other.in"))
          .singleElement()
          .matches(childOf(context(performed)));
    }
  }

  @Test
  void aDeadLetterKeepsTheTraceAndItsReplayHasALink() {
    ComponentFactory<Items, Items> factory =
        (_, _) ->
            _ -> {
              if (tries.incrementAndGet() == 1) {
                throw new IllegalArgumentException("broken for the test");
              }
            };
    Service<Items, Items> service = service(factory);
    try (HostedService<Items, Items> hosted = new HostedService<>(service)) {
      HostedDeadLetters<Items> listed = new HostedDeadLetters<>(hosted, letters);
      TraceParent caller = send("tea");
      hosted.start();
      awaitPerformed(service, 1);
      FailureId id = new FailureId("shop", 0, 0, in.identity());
      assertThat(listed.find(id).orElseThrow().traceId()).isEqualTo(caller.traceId());
      spans.in("operator", () -> listed.replay(List.of(id), _ -> true, "ada"));
      awaitPerformed(service, 2);
      List<SpanData> performed = spans.named("process shop.in");
      assertThat(performed).hasSize(2);
      assertThat(performed.getFirst()).matches(childOf(caller));
      assertThat(performed.getLast()).matches(linkedTo(caller));
    }
  }
}
