/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.THROWABLE;
import static org.awaitility.Awaitility.await;

import io.forebay.call.CallFailure;
import io.forebay.call.Message;
import io.forebay.call.Protocol;
import io.forebay.call.Reader;
import io.forebay.call.Writer;
import io.forebay.hosting.HostedDeadLetters;
import io.forebay.hosting.HostedService;
import io.forebay.operations.failures.DecisionRefused;
import io.forebay.operations.failures.Failure;
import io.forebay.operations.failures.FailureId;
import io.forebay.operations.failures.Failures;
import io.forebay.operations.failures.ServiceFailures;
import io.forebay.queue.Appender;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.Tailer;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.service.errors.DeadLetter;
import io.forebay.service.errors.DeadLetterQueue;
import io.forebay.service.progress.HostedProgress;
import io.forebay.service.progress.Unavailable;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Letters that were stored before their messages were answered. */
class DeadLettersTest {

  interface Items {
    void item(String name);
  }

  private static final Protocol<Items> ITEMS = Protocol.of(Items.class);

  private final MemoryBackend backend = MemoryBackend.open();
  private final MessageQueue in = backend.open("shop.in", 1);
  private final MessageQueue out = backend.open("shop.out", 1);
  private final DeadLetterQueue letters =
      DeadLetterQueue.open(backend, "shop", 1, Duration.ofDays(1));
  private final List<String> performed = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    backend.close();
  }

  private UUID send(String name) {
    try (Writer<Items> writer = ITEMS.writer(in)) {
      writer.calls().item(name);
      return writer.lastId();
    }
  }

  private Service<Items, Items> service() {
    return service((_, _) -> performed::add);
  }

  private Service<Items, Items> service(ComponentFactory<Items, Items> factory) {
    return new Service<>(
        "shop",
        new Service.End<>(in, ITEMS),
        new Service.End<>(out, ITEMS),
        factory,
        ServiceOptions.defaults().withRetry(Duration.ofMillis(1), Duration.ofMillis(5)),
        HostedProgress.none(),
        letters);
  }

  private void store(UUID messageId, long position) {
    letters.store(letter(messageId, position), ByteBuffer.allocate(1));
  }

  private DeadLetter letter(UUID messageId, long position) {
    return new DeadLetter(in.identity(), 0, position, messageId, "e", "t", 1, null, 1);
  }

  @Test
  void aMessageWithALetterIsNotPerformedUnlessTheLetterIsAboutAnotherOne() {
    store(send("given up"), 0);
    send("another one");
    store(UUID.randomUUID(), 1);
    send("the next");
    try (Service<Items, Items> service = service()) {
      service.start();
      await().until(() -> service.position(0) == 3);
    }
    assertThat(performed).containsExactly("another one", "the next");
    List<@Nullable CallFailure> answers = new ArrayList<>();
    try (Tailer tailer = out.tailer(0)) {
      tailer.poll(3, (at, bytes) -> answers.add(Message.peek("out", 0, at, bytes).failure()));
    }
    assertThat(answers).containsExactly(new CallFailure("e", "t"), null, null);
  }

  @Test
  void aCallIsPerformedOnceAlthoughTheOutQueueRefusesItsAnswer() {
    out.refuse(0, "broken for the test");
    send("performed");
    try (Service<Items, Items> service = service()) {
      service.start();
      await().until(() -> service.state().phase() == ServiceState.Phase.FAILED);
    }
    assertThat(performed).containsExactly("performed");
    assertThat(letters.from(0, in.identity(), 0)).isEmpty();
  }

  static Stream<Throwable> thrown() {
    return Stream.of(
        new IllegalStateException("broken for the test"),
        withoutStackTrace(new IllegalStateException("broken for the test")),
        new AssertionError("broken for the test"),
        new NoClassDefFoundError("broken for the test"),
        new Unavailable("broken for the test", null),
        new QueueUnavailable("broken for the test", null),
        refused(Duration.ofMillis(1)),
        refused(Duration.ZERO));
  }

  /** As HotSpot throws what it has thrown often. */
  private static Throwable withoutStackTrace(Throwable thrown) {
    thrown.setStackTrace(new StackTraceElement[0]);
    return thrown;
  }

  private static QueueRefused refused(Duration retryAfter) {
    return new QueueRefused(QueueRefused.Reason.FULL, 0, retryAfter, "broken for the test");
  }

  @ParameterizedTest
  @MethodSource("thrown")
  void whatACallAnswersBeforeItThrowsIsNoPartOfTheAnswerOfItsNextTry(Throwable thrown) {
    send("performed");
    ComponentFactory<Items, Items> factory =
        (_, answers) ->
            name -> {
              performed.add(name);
              answers.item("try " + performed.size());
              if (performed.size() == 1) {
                throw DeadLettersTest.<RuntimeException>unchecked(thrown);
              }
            };
    try (Service<Items, Items> service = service(factory)) {
      service.start();
      await().until(() -> service.position(0) == 1);
    }
    List<String> answers = new ArrayList<>();
    try (Reader<Items> reader = ITEMS.reader(out, answers::add)) {
      reader.poll(10);
    }
    assertThat(answers).containsExactly("try 2");
    assertThat(letters.from(0, in.identity(), 0)).isEmpty();
  }

  /** Throws an error without declaring it. */
  @SuppressWarnings("unchecked")
  private static <E extends Throwable> RuntimeException unchecked(Throwable e) throws E {
    throw (E) e;
  }

  @Test
  void aMessageTooLargeForItsLetterIsGivenUpWithoutItsContent() {
    send("x".repeat((1 << 20) - 100));
    send("the next");
    ComponentFactory<Items, Items> factory =
        (_, _) ->
            name -> {
              if (name.startsWith("x")) {
                throw new IllegalStateException("broken for the test");
              }
              performed.add(name);
            };
    try (Service<Items, Items> service = service(factory)) {
      service.start();
      await().until(() -> service.position(0) == 2);
    }
    assertThat(performed).containsExactly("the next");
    assertThat(find(0).kind()).isEqualTo("java.lang.IllegalStateException");
    assertThat(listed().message(id(0))).isEmpty();
    assertThat(listed().values(id(0)))
        .hasValueSatisfying(
            it -> assertThat(it.cut()).isEqualTo("its content was too large to be stored"));
    assertThatThrownBy(() -> new Failures(List.of(listed())).replay(id(0).text(), "ada"))
        .isInstanceOf(DecisionRefused.class)
        .hasMessage("its content was too large to be stored; nothing was sent");
  }

  /** What operators see of the letters. */
  private ServiceFailures listed() {
    return new HostedDeadLetters<>(new HostedService<>(service()), letters);
  }

  private FailureId id(long position) {
    return new FailureId("shop", 0, position, in.identity());
  }

  private Failure find(long position) {
    return listed().find(id(position)).orElseThrow();
  }

  private List<Failure> list() {
    return listed().list(new Failures.Filter("shop", null, null), null, 1);
  }

  private void replayed(long position, long newPosition, String by) {
    UUID message = UUID.randomUUID();
    letters.append(0, it -> it.replayed(in.identity(), position, message, newPosition, by));
  }

  /** The part of a backend; whoever awaits what it appended gets the exception. */
  private static <T> T unconfirmed(Class<T> type, T target, Exception thrown) {
    InvocationHandler handler =
        (_, method, arguments) -> {
          if (method.getName().equals("await")) {
            throw thrown;
          }
          return switch (method.invoke(target, arguments)) {
            case MessageQueue queue -> unconfirmed(MessageQueue.class, queue, thrown);
            case Appender appender -> unconfirmed(Appender.class, appender, thrown);
            case null -> null;
            case Object other -> other;
          };
        };
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  @Test
  void aLetterThatTheQueueDoesNotConfirmIsNotStored() {
    for (Exception thrown : List.of(new TimeoutException(), new InterruptedException())) {
      DeadLetterQueue silent =
          DeadLetterQueue.open(
              unconfirmed(QueueBackend.class, backend, thrown), "silent", 1, Duration.ofDays(1));
      assertThatThrownBy(() -> silent.store(letter(UUID.randomUUID(), 0), ByteBuffer.allocate(1)))
          .isInstanceOf(Unavailable.class)
          .hasMessage("queue silent.dead has not accepted a dead letter (limit=10 s)");
      assertThat(Thread.interrupted()).isEqualTo(thrown instanceof InterruptedException);
      silent.close();
    }
  }

  @Test
  void aReplayThatTheQueueDoesNotConfirmIsNotRecorded() {
    UUID sent = send("tea");
    try (Tailer tailer = in.tailer(0)) {
      tailer.poll(1, (position, message) -> letters.store(letter(sent, position), message));
    }
    Service<Items, Items> silent =
        new Service<>(
            "shop",
            new Service.End<>(unconfirmed(MessageQueue.class, in, new TimeoutException()), ITEMS),
            new Service.End<>(out, ITEMS),
            (_, _) -> performed::add,
            ServiceOptions.defaults());
    ServiceFailures failures = new HostedDeadLetters<>(new HostedService<>(silent), letters);
    assertThat(failures.replay(List.of(id(0)), _ -> true, "ada"))
        .extracting(ServiceFailures.Replayed::failure)
        .singleElement(as(THROWABLE))
        .isInstanceOf(Unavailable.class)
        .hasMessageContaining("the queue has not acknowledged the message");
    assertThat(find(0).replay()).isNull();
  }

  @Test
  void aLetterThatIsDiscardedDuringThePageIsNotSent() {
    send("tea");
    send("milk");
    try (Tailer tailer = in.tailer(0)) {
      tailer.poll(
          2, (position, message) -> letters.store(letter(UUID.randomUUID(), position), message));
    }
    ServiceFailures other = listed();
    List<ServiceFailures.Replayed> tried =
        listed()
            .replay(
                List.of(id(0), id(1)),
                letter -> {
                  other.decide(List.of(id(1)), Failure.State.DISCARDED, "grace", "not needed");
                  return letter.state() != Failure.State.DISCARDED;
                },
                "ada");
    assertThat(tried)
        .singleElement()
        .satisfies(it -> {
          assertThat(it.id()).isEqualTo(id(0));
          assertThat(it.failure()).isNull();
        });
    assertThat(find(1).replay()).isNull();
  }

  @Test
  void aLetterThatWasStoredTwiceIsListedOnceAndItsReplaysAreCounted() {
    UUID message = UUID.randomUUID();
    store(message, 7);
    assertThat(list()).hasSize(1);
    store(message, 7);
    replayed(7, 9, "ada");
    replayed(7, 11, "grace");

    assertThat(list())
        .singleElement()
        .satisfies(letter -> {
          assertThat(letter.replays()).isEqualTo(2);
          assertThat(letter.replay().by()).isEqualTo("grace");
        });
    assertThat(letters.from(0, in.identity(), 7)).hasSize(1);
    assertThat(letters.from(0, in.identity(), 8)).isEmpty();
    assertThat(letters.from(0, "another queue", 0)).isEmpty();
  }

  @Test
  void anErrorShowsWhetherAReplayToTheSameVersionIsInVain() {
    assertThat(Stream.of("UNDECODABLE", "MALFORMED", "UNKNOWN_METHOD"))
        .allMatch(DeadLetter::isUndecodable);
    assertThat(Stream.of("GIVEN_UP", "java.lang.IllegalStateException"))
        .noneMatch(DeadLetter::isUndecodable);
  }

  private boolean decide(ServiceFailures instance, Failure.State to, String by) {
    return instance.decide(List.of(id(7)), to, by, "r") == 1;
  }

  /** As an instance does that has not read what others appended. */
  private void decideLate(long position, Failure.State to) {
    letters.append(0, it -> it.decided(in.identity(), position, to.name(), "grace", "r"));
  }

  @Test
  void aDecisionThatAnotherInstanceMadeImpossibleHasNoEffect() {
    store(UUID.randomUUID(), 7);
    ServiceFailures ada = listed();
    decideLate(7, Failure.State.OPEN);
    assertThat(find(7).state()).as("it is open").isEqualTo(Failure.State.OPEN);
    assertThat(decide(ada, Failure.State.SET_ASIDE, "ada")).isTrue();
    decideLate(7, Failure.State.SET_ASIDE);
    assertThat(find(7).decision().by()).isEqualTo("ada");
    assertThat(decide(ada, Failure.State.SET_ASIDE, "ada")).isFalse();
    assertThat(decide(ada, Failure.State.DISCARDED, "ada")).isTrue();
    decideLate(7, Failure.State.OPEN);
    assertThat(find(7).decision().state()).isEqualTo(Failure.State.DISCARDED);

    decideLate(8, Failure.State.DISCARDED);
    assertThat(listed().find(id(8))).as("there is no such letter").isEmpty();
    store(UUID.randomUUID(), 9);
    replayed(9, 11, "grace");
    decideLate(9, Failure.State.DISCARDED);
    assertThat(find(9).state()).isEqualTo(Failure.State.REPLAYED);
    assertThat(find(9).decision()).isNull();
  }

  @Test
  void aLetterThatIsSetAsideIsListedHoweverManyFollow() {
    int most = 10_000;
    store(UUID.randomUUID(), 7);
    store(UUID.randomUUID(), 8);
    ServiceFailures instance = listed();
    decide(instance, Failure.State.SET_ASIDE, "ada");
    for (int i = 0; i < most; i++) {
      store(UUID.randomUUID(), 1_000 + i);
    }
    List<Failure> listed = list();
    assertThat(listed).hasSize(most + 1);
    assertThat(listed.get(0).position()).isEqualTo(7);
    assertThat(listed.get(1).position()).as("the oldest other one is not").isEqualTo(1_000);

    assertThat(decide(instance, Failure.State.OPEN, "ada")).isTrue();
    store(UUID.randomUUID(), 20_000);
    assertThat(list().getFirst().position())
        .as("it does not disappear because it is reopened")
        .isEqualTo(7);
  }
}
