/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.forebay.chunk.CallCollector;
import io.forebay.chunk.CallFailed;
import io.forebay.chunk.ChunkFunction;
import io.forebay.chunk.ChunkOptions;
import io.forebay.chunk.ChunkedService;
import io.forebay.chunk.Reply;
import io.forebay.chunk.remote.Parcel.Label;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What every transport does with the chunks of a service. */
@Timeout(600)
abstract class ChunkTransportContract {

  static final Duration PATIENCE = Duration.ofSeconds(120);

  /** The current behaviour of the service. */
  static volatile ListService.Replying<Parcel, @Nullable Label> function = _ -> List.of();

  /** Served by every subclass, once for all of its tests. */
  static final ListService<Parcel, @Nullable Label> SERVICE =
      ListService.replying("labels", Parcel.CODEC, parcels -> function.perform(parcels));

  private final List<AutoCloseable> clients = new ArrayList<>();

  /** A client of {@link #SERVICE}; closed after the test if it is closeable. */
  abstract <A, R extends @Nullable Object> ChunkFunction<A, R> connect(
      ChunkCodec<A, R> codec, Duration timeout);

  private <A, R extends @Nullable Object> ChunkFunction<A, R> client(
      ChunkCodec<A, R> codec, Duration timeout) {
    ChunkFunction<A, R> client = connect(codec, timeout);
    if (client instanceof AutoCloseable closeable) {
      clients.add(closeable);
    }
    return client;
  }

  @AfterEach
  void closeClients() throws Exception {
    for (AutoCloseable client : clients) {
      client.close();
    }
  }

  private List<Reply<@Nullable Label>> perform(List<Parcel> parcels) throws Exception {
    return client(Parcel.CODEC, PATIENCE).perform(parcels).toCompletableFuture().get();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 5_000})
  void eachCallOfAChunkHasItsReply(int calls) throws Exception {
    function = parcels -> Parcel.each(parcels, Parcel::label);
    List<Parcel> parcels = Parcel.parcels(calls);
    assertThat(perform(parcels)).isEqualTo(Parcel.each(parcels, Parcel::label));
  }

  @Test
  void valuesArriveAsSent() throws Exception {
    Parcel.Content content =
        new Parcel.Content(
            new BigDecimal("12.340"),
            LocalDate.of(2026, 2, 28),
            Arrays.asList("\"\\\n\u0000\u2028", null, "Grüße, 東京, 🚚"),
            Map.of("ä", 1, "", Integer.MIN_VALUE));
    List<Parcel> parcels =
        List.of(
            new Parcel(Long.MIN_VALUE, null, null),
            new Parcel(Long.MAX_VALUE, "half a pair: \ud83d", content),
            new Parcel(3, "no label", content));
    function =
        given -> {
          assertThat(given).isEqualTo(parcels);
          return Parcel.each(given, it -> it.number() == 3 ? null : it.label());
        };
    assertThat(perform(parcels))
        .containsExactly(
            new Reply.Result<>(0, parcels.get(0).label()),
            new Reply.Result<>(1, parcels.get(1).label()),
            new Reply.Result<>(2, null));
  }

  @Test
  void aCallFailsAloneWithItsCode() throws Exception {
    function =
        parcels ->
            Parcel.each(
                parcels,
                it -> {
                  if (it.number() == 1) {
                    throw new ServiceFailed("no-address", "there is no address, 住所");
                  }
                  return it.label();
                });
    List<Future<@Nullable Label>> labels = callFor(Parcel.parcels(3), ChunkOptions.defaults());
    assertThat(labels.get(0).get()).isEqualTo(new Parcel(0).label());
    assertThat(labels.get(2).get()).isEqualTo(new Parcel(2).label());
    CallFailed failed = failure(labels.get(1));
    assertThat(failed.reason()).isEqualTo(CallFailed.Reason.FAILED);
    assertThat(failed.getCause())
        .isInstanceOfSatisfying(
            ServiceFailed.class, it -> assertThat(it.code()).isEqualTo("no-address"))
        .hasMessage("there is no address, 住所");
  }

  @Test
  void aServiceFailsAllCallsOfAChunkWithItsCode() throws Exception {
    function =
        _ -> {
          throw new ServiceFailed("closed-today", "come tomorrow");
        };
    for (Future<@Nullable Label> label : callFor(Parcel.parcels(2), ChunkOptions.defaults())) {
      CallFailed failed = failure(label);
      assertThat(failed.reason()).isEqualTo(CallFailed.Reason.CHUNK_FAILED);
      assertThat(failed.getCause())
          .isInstanceOfSatisfying(
              ServiceFailed.class, it -> assertThat(it.code()).isEqualTo("closed-today"))
          .hasMessage("come tomorrow");
    }
  }

  @Test
  void otherExceptionsOfAServiceStayInItsLog() {
    function =
        _ -> {
          throw new IllegalStateException("the secret");
        };
    assertThatThrownBy(() -> perform(Parcel.parcels(2)))
        .isInstanceOfSatisfying(
            ServiceFailed.class,
            it -> assertThat(it.code()).isEqualTo(ServiceFailed.INTERNAL_ERROR))
        .hasMessageNotContaining("secret");
  }

  @Test
  void failuresOfACallWithoutACodeStayInTheLog() throws Exception {
    function =
        parcels ->
            Parcel.each(
                parcels,
                it -> {
                  throw new IllegalStateException("the secret");
                });
    assertThat(perform(Parcel.parcels(1)))
        .singleElement()
        .isInstanceOfSatisfying(
            Reply.Failure.class,
            it ->
                assertThat(it.failure())
                    .isInstanceOf(ServiceFailed.class)
                    .hasMessageNotContaining("secret"));
  }

  @Test
  void aFailureWithAnyTextIsReported() {
    function =
        _ -> {
          throw new ServiceFailed("!", "x".repeat(999) + "\ud83d\ude9a" + "y".repeat(2_000_000));
        };
    assertThatThrownBy(() -> perform(Parcel.parcels(1)))
        .isInstanceOfSatisfying(ServiceFailed.class, it -> assertThat(it.code()).isEqualTo("!"))
        .hasMessage("x".repeat(999) + "?");
  }

  @Test
  void aReplyWithoutACallFailsTheChunkAndAMissingReplyFailsItsCall() throws Exception {
    function = _ -> List.of(new Reply.Result<>(2, null));
    for (Future<@Nullable Label> label : callFor(Parcel.parcels(2), ChunkOptions.defaults())) {
      assertThat(failure(label).reason()).isEqualTo(CallFailed.Reason.INVALID_REPLY);
    }
    function = _ -> List.of(new Reply.Result<>(0, null), new Reply.Result<>(0, null));
    for (Future<@Nullable Label> label : callFor(Parcel.parcels(2), ChunkOptions.defaults())) {
      assertThat(failure(label).reason()).isEqualTo(CallFailed.Reason.INVALID_REPLY);
    }
    function = _ -> List.of(new Reply.Result<>(1, null));
    // The order of the two bodies' calls is unknown.
    List<Future<@Nullable Label>> labels = callFor(Parcel.parcels(2), ChunkOptions.defaults());
    List<Future<@Nullable Label>> missing =
        labels.stream().filter(it -> it.state() == Future.State.FAILED).toList();
    assertThat(missing)
        .singleElement()
        .satisfies(
            it -> assertThat(failure(it).reason()).isEqualTo(CallFailed.Reason.NOT_ANSWERED));
  }

  @Test
  void argumentsOfAnotherTypeAreRefusedAndTheServiceIsNotCalled() {
    AtomicInteger performed = new AtomicInteger();
    function =
        _ -> {
          performed.incrementAndGet();
          return List.of();
        };
    ChunkFunction<String, String> texts =
        client(ChunkCodec.of(String.class, String.class), PATIENCE);
    assertThatThrownBy(() -> texts.perform(List.of("a secret", "another")))
        .isInstanceOfSatisfying(
            ServiceFailed.class,
            it -> assertThat(it.code()).isEqualTo(ServiceFailed.INVALID_ARGUMENTS))
        .hasMessageContaining("argument 0")
        .hasMessageNotContaining("secret");
    assertThat(performed).hasValue(0);
  }

  @Test
  void resultsOfAnotherTypeFailTheChunk() {
    function = parcels -> Parcel.each(parcels, Parcel::label);
    ChunkFunction<Parcel, Integer> wrong =
        client(ChunkCodec.of(Parcel.class, Integer.class), PATIENCE);
    assertThatThrownBy(() -> wrong.perform(Parcel.parcels(1)))
        .isInstanceOfSatisfying(
            TransportFailed.class, it -> assertThat(it.maybePerformed()).isTrue())
        .hasMessageContaining("reply 0 of the chunk cannot be read");
  }

  record Unwritable(long number) {
    @Override
    public long number() {
      throw new IllegalStateException("no number");
    }
  }

  @Test
  void argumentsThatCannotBeWrittenAreNotSent() {
    ChunkFunction<Unwritable, String> client =
        client(ChunkCodec.of(Unwritable.class, String.class), PATIENCE);
    assertThatThrownBy(() -> client.perform(List.of(new Unwritable(1))))
        .isInstanceOfSatisfying(
            TransportFailed.class, it -> assertThat(it.maybePerformed()).isFalse())
        .hasMessageContaining("argument 0");
  }

  @Test
  void aLateReplyIsDropped() throws Exception {
    CountDownLatch held = new CountDownLatch(1);
    function =
        parcels -> {
          held.await();
          return Parcel.each(parcels, it -> new Label(-1, "late", null));
        };
    ChunkFunction<Parcel, @Nullable Label> hasty = client(Parcel.CODEC, Duration.ofMillis(300));
    try {
      assertThatThrownBy(() -> hasty.perform(Parcel.parcels(1)))
          .isInstanceOfSatisfying(
              TransportFailed.class, it -> assertThat(it.maybePerformed()).isTrue())
          .hasMessageContaining("timeout=300 ms")
          .hasMessageContaining("is not known");
    } finally {
      function = parcels -> Parcel.each(parcels, Parcel::label);
      held.countDown();
    }
    ChunkFunction<Parcel, @Nullable Label> patient = client(Parcel.CODEC, PATIENCE);
    assertThat(patient.perform(Parcel.parcels(1)).toCompletableFuture().get())
        .containsExactly(new Reply.Result<>(0, new Parcel(0).label()));
  }

  @Test
  void aCollectorsTimeOutEndsTheWaiting() throws Exception {
    CountDownLatch held = new CountDownLatch(1);
    function =
        parcels -> {
          held.await();
          return Parcel.each(parcels, Parcel::label);
        };
    try {
      Future<@Nullable Label> label =
          callFor(Parcel.parcels(1), ChunkOptions.defaults().withTimeout(Duration.ofMillis(300)))
              .getFirst();
      assertThat(failure(label).reason()).isEqualTo(CallFailed.Reason.TIMED_OUT);
    } finally {
      held.countDown();
    }
  }

  @Test
  void chunksOfManyThreadsGetTheirOwnReplies() throws Exception {
    function = parcels -> Parcel.each(parcels, Parcel::label);
    ChunkOptions small = ChunkOptions.defaults().withMaxItems(7).withMaxInFlight(8);
    List<Parcel> parcels = Parcel.parcels(1_000);
    List<Future<@Nullable Label>> labels = callFor(parcels, small);
    for (int i = 0; i < labels.size(); i++) {
      assertThat(labels.get(i).get()).isEqualTo(parcels.get(i).label());
    }
  }

  /** Calls with each parcel in its own body; all have ended when this returns. */
  private List<Future<@Nullable Label>> callFor(List<Parcel> parcels, ChunkOptions options) {
    try (CallCollector collector = new CallCollector()) {
      ChunkedService<Parcel, @Nullable Label> service =
          collector.service(
              "labels", client(Parcel.CODEC, PATIENCE), options, Parcel.CODEC::sizeOf);
      List<Callable<@Nullable Label>> bodies = new ArrayList<>();
      parcels.forEach(parcel -> bodies.add(() -> service.call(parcel)));
      List<Future<@Nullable Label>> labels = collector.startAll(bodies);
      await().until(() -> labels.stream().allMatch(Future::isDone));
      return labels;
    }
  }

  private static CallFailed failure(Future<?> call) {
    try {
      throw new AssertionError("it has a result: " + call.get());
    } catch (ExecutionException e) {
      return (CallFailed) e.getCause();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
