/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.forebay.call.CallFailure;
import io.forebay.call.CallGivenUp;
import io.forebay.call.PendingResult;
import io.forebay.call.PendingResults;
import io.forebay.call.Protocol;
import io.forebay.call.Reader;
import io.forebay.call.ResultUnknown;
import io.forebay.call.Writer;
import io.forebay.operations.Services;
import io.forebay.operations.messages.Messages;
import io.forebay.operations.messages.Messages.Search;
import io.forebay.operations.messages.StatementNames;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.stored.StoredQueues;
import io.forebay.service.Service;
import io.forebay.service.ServiceOptions;
import io.forebay.service.errors.DeadLetterQueue;
import io.forebay.service.errors.ErrorPolicy;
import io.forebay.service.progress.HostedProgress;
import java.math.BigDecimal;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Methods of own services that return results, on each backend. */
public abstract class ResultsContract {

  private static final Duration KEPT = Duration.ofHours(72);
  private static final int PARTITIONS = 2;

  record Line(String item, int count, BigDecimal each) {}

  record Order(
      UUID id,
      List<Line> lines,
      Set<DayOfWeek> days,
      Map<LocalDate, List<String>> notes,
      Duration within) {}

  record Reservation(Order order, @Nullable String remark) {}

  interface Stock {
    CompletableFuture<Reservation> reserve(Order order);

    CompletableFuture<Map<String, Set<Integer>>> shelves(List<String> items);

    CompletableFuture<Long> count(String item);

    CompletableFuture<Void> restock(String item, int count);

    CompletableFuture<Nested> nest(int depth);

    CompletableFuture<Set<Fragile>> fragile();

    void close(String item);
  }

  record Nested(BigDecimal value, @Nullable Nested inner) {}

  /** Can be sent, but not received: the reader puts it into a set. */
  record Fragile(String name) {
    @Override
    public int hashCode() {
      if (StackWalker.getInstance().walk(it -> it.anyMatch(ResultsContract::isReader))) {
        throw new IllegalStateException("no hash code");
      }
      return name.hashCode();
    }
  }

  private static boolean isReader(StackWalker.StackFrame frame) {
    return frame.getClassName().endsWith("ValueReader");
  }

  interface Events {
    void reserved(UUID order);

    void closed(String item);
  }

  /** What the component does with a call of {@code count}. */
  private volatile Function<String, CompletableFuture<Long>> counting =
      item -> CompletableFuture.completedFuture((long) item.length());

  private final List<String> counted = new CopyOnWriteArrayList<>();

  private final class Component implements Stock {

    private final Events events;

    Component(Events events) {
      this.events = events;
    }

    @Override
    public CompletableFuture<Reservation> reserve(Order order) {
      events.reserved(order.id());
      return CompletableFuture.completedFuture(new Reservation(order, null));
    }

    @Override
    public CompletableFuture<Map<String, Set<Integer>>> shelves(List<String> items) {
      Map<String, Set<Integer>> shelves = new LinkedHashMap<>();
      items.forEach(item -> shelves.put(item, Set.of(item.length())));
      return CompletableFuture.completedFuture(shelves);
    }

    @Override
    public CompletableFuture<Long> count(String item) {
      counted.add(item);
      return counting.apply(item);
    }

    @Override
    public CompletableFuture<Void> restock(String item, int count) {
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Nested> nest(int depth) {
      Nested nested = null;
      for (int i = 0; i < depth; i++) {
        nested = new Nested(BigDecimal.TEN, nested);
      }
      return CompletableFuture.completedFuture(nested);
    }

    @Override
    public CompletableFuture<Set<Fragile>> fragile() {
      return CompletableFuture.completedFuture(Set.of(new Fragile("glass")));
    }

    @Override
    public void close(String item) {
      events.closed(item);
    }
  }

  private static final Protocol<Stock> STOCK = Protocol.of(Stock.class);
  private static final Protocol<Events> EVENTS = Protocol.of(Events.class);

  private final QueueBackend backend = backend();
  private final ServiceQueues queues = ServiceQueues.open(backend, "stock", PARTITIONS);
  private final DeadLetterQueue letters =
      DeadLetterQueue.open(backend, "stock", PARTITIONS, Duration.ofDays(1));
  private final HostedService<Stock, Events> service =
      new HostedService<>(
          new Service<>(
              "stock",
              new Service.End<>(queues.in(), STOCK),
              new Service.End<>(queues.out(), EVENTS),
              (_, events) -> new Component(events),
              ServiceOptions.defaults()
                  .withHistoryOneIn(1)
                  .withOnError(
                      ErrorPolicy.retry(3, Duration.ofMillis(1))
                          .thenDeadLetter()
                          .withDeclining(UnsupportedOperationException.class)),
              HostedProgress.none(),
              letters));
  private ResultReceiver<Stock> results = receiver(KEPT);
  private Writer<Stock> writer = STOCK.writer(queues.in(), results.pending());

  /** Opens an empty backend; the contract closes it. */
  protected abstract QueueBackend backend();

  /** The queues of that backend, for reading from outside. */
  protected abstract StoredQueues stored(QueueBackend backend);

  private ResultReceiver<Stock> receiver(Duration kept) {
    return new ResultReceiver<>(STOCK, queues.out(), kept);
  }

  @AfterEach
  void close() throws Exception {
    writer.close();
    results.close();
    service.close();
    letters.close();
    backend.close();
  }

  private static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(30, TimeUnit.SECONDS);
  }

  private static Order order() {
    return new Order(
        UUID.randomUUID(),
        List.of(new Line("tea", 4, new BigDecimal("2.50")), new Line("rice", 1, BigDecimal.TEN)),
        EnumSet.of(DayOfWeek.MONDAY, DayOfWeek.FRIDAY),
        Map.of(LocalDate.of(2026, 3, 1), List.of("ring", "twice")),
        Duration.ofMinutes(90));
  }

  @Test
  void returnsRecordsCollectionsNumbersAndNothing() throws Exception {
    service.start();
    Order order = order();
    CompletableFuture<Reservation> reserved = writer.calls().reserve(order);
    CompletableFuture<Map<String, Set<Integer>>> shelves =
        writer.calls().shelves(List.of("tea", "rice"));
    CompletableFuture<Long> count = writer.calls().count("milk");
    CompletableFuture<Void> nothing = writer.calls().restock("tea", 3);

    assertThat(get(reserved)).isEqualTo(new Reservation(order, null));
    assertThat(get(shelves)).isEqualTo(Map.of("tea", Set.of(3), "rice", Set.of(4)));
    assertThat(get(count)).isEqualTo(4);
    assertThat(get(nothing)).isNull();
    await().until(() -> results.pending().size() == 0);
  }

  @Test
  void sendsEventsInTheSameAnswerAndOnlyOnce() throws Exception {
    service.start();
    Order order = order();
    get(writer.calls().reserve(order));
    writer.calls().close("tea");
    get(writer.calls().count("tea"));

    List<Object> received = new ArrayList<>();
    Events events =
        new Events() {
          @Override
          public void reserved(UUID id) {
            received.add(id);
          }

          @Override
          public void closed(String item) {
            received.add(item);
          }
        };
    try (Reader<Events> reader = service.createReader(events)) {
      await()
          .untilAsserted(() -> {
            reader.poll(10);
            assertThat(received).containsExactlyInAnyOrder(order.id(), "tea");
          });
    }
  }

  @Test
  void aFailureIsThrownByTheFutureWhetherTheMethodThrowsOrItsFutureFails() {
    service.start();
    counting =
        item -> {
          if (item.equals("salt")) {
            throw new IllegalStateException("no salt");
          }
          return CompletableFuture.failedFuture(new IllegalArgumentException("no " + item));
        };

    assertThatThrownBy(() -> get(writer.calls().count("salt")))
        .cause()
        .isInstanceOfSatisfying(
            CallGivenUp.class,
            e ->
                assertThat(e.failure())
                    .isEqualTo(new CallFailure("java.lang.IllegalStateException", "no salt")));
    assertThatThrownBy(() -> get(writer.calls().count("rice")))
        .hasMessageContaining("no rice (java.lang.IllegalArgumentException)");
    assertThat(counted).hasSize(6);

    counting = _ -> null;
    assertThatThrownBy(() -> get(writer.calls().count("tea")))
        .hasMessageContaining("returned null instead of a future");
  }

  @Test
  void aCallThatTheComponentDeclinesIsNotOneThatTheServiceGaveUp() {
    service.start();
    counting =
        item -> {
          throw item.equals("salt")
              ? new UnsupportedOperationException("sold out")
              : new IllegalStateException("no shelf");
        };

    assertThatThrownBy(() -> get(writer.calls().count("salt")))
        .cause()
        .hasMessageStartingWith("the service declined the call: sold out (")
        .isInstanceOfSatisfying(
            CallGivenUp.class, e -> assertThat(e.failure().declined()).isTrue());
    assertThatThrownBy(() -> get(writer.calls().count("rice")))
        .cause()
        .hasMessageStartingWith("the service gave the call up: no shelf (")
        .isInstanceOfSatisfying(
            CallGivenUp.class, e -> assertThat(e.failure().declined()).isFalse());
  }

  @Test
  void messagesAndTheirAnswersAreFoundById() throws Exception {
    counting =
        item ->
            switch (item) {
              case "salt" -> throw new IllegalStateException("no shelf");
              case "pepper" -> throw new UnsupportedOperationException("sold out");
              default -> CompletableFuture.completedFuture(1L);
            };
    try (StoredQueues stored = stored(backend);
        Writer<Stock> ordered = STOCK.writer(queues.in(), "key", results.pending())) {
      Messages messages =
          new Messages(stored, StatementNames.none(), new Services(List.of(service), null));
      ordered.calls().count("tea");
      ordered.calls().count("salt");
      ordered.calls().count("pepper");
      await().until(() -> found(messages, "stock.in", null).size() == 3);
      List<Map<String, Object>> sent = found(messages, "stock.in", null);
      List<UUID> ids = sent.stream().map(it -> UUID.fromString(it.get("id").toString())).toList();
      assertThat(found(messages, "stock.in", ids.get(1))).containsExactly(sent.get(1));
      assertThat(found(messages, "stock.out", ids.get(1))).isEmpty();
      assertThat(messages.queues())
          .extracting(Messages.Listed::queue)
          .contains(new Messages.Queue("stock.in", PARTITIONS, "stock", null, "stock.out"));

      service.start();
      await().until(() -> ids.stream().noneMatch(it -> found(messages, "stock.out", it).isEmpty()));
      List<Map<String, Object>> answers =
          ids.stream().map(it -> found(messages, "stock.out", it).getFirst()).toList();
      assertThat(answers)
          .extracting(it -> it.get("kind") + " " + it.get("error"))
          .containsExactlyInAnyOrder(
              "result null",
              "failure java.lang.IllegalStateException",
              "failure java.lang.UnsupportedOperationException");
      assertThat(answers).allMatch(it -> it.containsKey("history"));
      assertThat(answers)
          .extracting(it -> it.get("source"))
          .isEqualTo(sent.stream().map(it -> it.get("position")).toList());
    }
  }

  private static List<Map<String, Object>> found(
      Messages messages, String queue, @Nullable UUID id) {
    List<Map<String, Object>> found = new ArrayList<>();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      Search search = new Search(queue, partition, null, id, null, 50);
      found.addAll(messages.page(search).orElseThrow().messages());
    }
    return found;
  }

  @Test
  void waitsForAFutureThatAnotherThreadCompletes() throws Exception {
    List<CompletableFuture<Long>> open = new CopyOnWriteArrayList<>();
    counting =
        _ -> {
          CompletableFuture<Long> one = new CompletableFuture<>();
          open.add(one);
          return one;
        };
    service.start();
    try (Writer<Stock> ordered = STOCK.writer(queues.in(), "key", results.pending())) {
      CompletableFuture<Long> first = ordered.calls().count("tea");
      CompletableFuture<Long> second = ordered.calls().count("rice");
      await().until(() -> open.size() == 1);
      assertThat(first).isNotDone();

      open.getFirst().complete(1L);
      assertThat(get(first)).isEqualTo(1);
      await().until(() -> open.size() == 2);
      open.getLast().complete(2L);
      assertThat(get(second)).isEqualTo(2);
    }
  }

  @Test
  void findsAResultByItsIdAfterTheCallerHasGone() throws Exception {
    List<UUID> ids = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      ids.add(PendingResult.id(writer.calls().count("x".repeat(i))));
    }
    UUID reserved = PendingResult.id(writer.calls().reserve(order()));
    UUID shelves = PendingResult.id(writer.calls().shelves(List.of("tea")));
    writer.await(Duration.ofSeconds(30));
    CompletableFuture<Long> left = writer.calls().count("tea");
    writer.close();
    results.close();
    assertThatThrownBy(() -> get(left))
        .hasRootCauseInstanceOf(ResultUnknown.class)
        .hasMessageContaining("ask for the result by the id");

    results = receiver(KEPT);
    writer = STOCK.writer(queues.in(), results.pending());
    PendingResult<Long> early = results.find(ids.getFirst(), Long.class);
    assertThat(early).isNotDone();
    service.start();
    assertThat(get(early)).isZero();
    assertThat(get(results.find(PendingResult.id(left), Long.class))).isEqualTo(3);

    results.close();
    results = receiver(KEPT);
    for (int i = 0; i < ids.size(); i++) {
      assertThat(results.find(ids.get(i), Long.class)).isCompletedWithValue((long) i);
    }
    assertThat(get(results.find(reserved, Reservation.class)).order().lines()).hasSize(2);
    assertThatThrownBy(() -> get(results.find(reserved, Long.class)))
        .hasMessageContaining("is a " + Reservation.class.getTypeName() + ", not a java.lang.Long");
    assertThatThrownBy(() -> get(results.find(shelves, List.class)))
        .hasMessageContaining("is a java.util.Map, not a java.util.List");
    await().until(() -> results.pending().size() == 0);
  }

  @Test
  void aResultThatIsNoLongerKeptIsNotAwaited() {
    results.close();
    results = receiver(Duration.ofHours(1));
    long hours10 = Duration.ofHours(10).toMillis();
    UUID old =
        new UUID(
            System.currentTimeMillis() - hours10 << 16 | 0x7000,
            UUID.randomUUID().getLeastSignificantBits());
    assertThatThrownBy(() -> get(results.find(old, Long.class)))
        .hasRootCauseInstanceOf(ResultUnknown.class)
        .hasMessageContaining("keeps answers for 1 h");
    assertThatThrownBy(() ->
            results.find(UUID.randomUUID(), Long.class).orTimeout(1, TimeUnit.MILLISECONDS).get())
        .hasRootCauseInstanceOf(TimeoutException.class);
    await().until(() -> results.pending().size() == 0);
  }

  @Test
  void whatDependsOnAResultMayWaitForAnotherResult() throws Exception {
    service.start();
    CompletableFuture<Long> second =
        writer
            .calls()
            .count("tea")
            .thenApply(_ -> {
              try (Writer<Stock> other = STOCK.writer(queues.in(), results.pending())) {
                return other.calls().count("rice").join();
              }
            });
    assertThat(get(second)).isEqualTo(4);
  }

  @Test
  void anyValueThatCanBeWrittenCanBeReadAlsoAfterARestart() throws Exception {
    service.start();
    try (Writer<Stock> ordered = STOCK.writer(queues.in(), "key", results.pending())) {
      assertThat(get(ordered.calls().nest(32))).isNotNull();
      assertThatThrownBy(() -> get(ordered.calls().nest(33)))
          .hasMessageContaining("nested deeper than 32");
      assertThat(get(ordered.calls().nest(32))).isNotNull();
      service.stop();
      service.start();
      assertThat(get(ordered.calls().count("tea"))).isEqualTo(3);
    }
  }

  @Test
  void aResultThatCannotBeReadFailsAlone() throws Exception {
    service.start();
    assertThatThrownBy(() -> get(writer.calls().fragile()))
        .hasRootCauseInstanceOf(IllegalStateException.class)
        .cause()
        .isInstanceOf(ResultUnknown.class);
    assertThat(get(writer.calls().count("tea"))).isEqualTo(3);
  }

  @Test
  void callsOfTwoMethodsWithOneIdempotencyKeyGetTheirOwnResults() throws Exception {
    CompletableFuture<Long> count = writer.keyed("shop", "1").calls().count("tea");
    CompletableFuture<Map<String, Set<Integer>>> shelves =
        writer.keyed("shop", "1").calls().shelves(List.of("rice"));
    service.start();
    assertThat(get(count)).isEqualTo(3);
    assertThat(get(shelves)).isEqualTo(Map.of("rice", Set.of(4)));
  }

  @Test
  void aCallIsRefusedIfResultsEndWhileItIsSent() {
    List<Runnable> before = new CopyOnWriteArrayList<>();
    PendingResults<Stock> ending =
        new PendingResults<>(STOCK, 10, () -> before.forEach(Runnable::run));
    try (Writer<Stock> other = STOCK.writer(queues.in(), ending)) {
      before.add(() -> ending.failAll(new ResultUnknown("closed for the test", null)));
      assertThatThrownBy(() -> other.calls().count("tea")).isInstanceOf(QueueRefused.class);
      assertThat(ending.size()).isZero();
      before.clear();
      for (int i = 0; i < 10; i++) {
        assertThat(other.calls().count("tea")).isNotDone();
      }
      assertThatThrownBy(() -> other.calls().count("tea"))
          .isInstanceOf(QueueRefused.class)
          .hasMessageContaining("10 calls await their results (limit=10)");
    }
  }

  @Test
  void deletedAnswersFailOnlyTheCallsOfTheirPartition() {
    PendingResults<Stock> waiting = new PendingResults<>(STOCK, 20, () -> {});
    for (int i = 0; i < 20; i++) {
      try (Writer<Stock> other = STOCK.writer(queues.in(), "key " + i, waiting)) {
        other.calls().count("tea");
      }
    }
    waiting.failIn(0, new ResultUnknown("deleted for the test", null));
    await().until(() -> waiting.size() < 20);
    for (int partition = 1; partition < PARTITIONS; partition++) {
      assertThat(waiting.size()).isPositive();
      waiting.failIn(partition, new ResultUnknown("deleted for the test", null));
    }
    await().until(() -> waiting.size() == 0);
  }

  @Test
  void aResultThatNoMessageCanCarryFailsTheCall() {
    service.start();
    counting = _ -> CompletableFuture.completedFuture(1L).thenApply(ResultsContract::raw);
    assertThatThrownBy(() -> get(writer.calls().count("tea")))
        .hasRootCauseInstanceOf(CallGivenUp.class);
    assertThat(counted).hasSize(3);
  }

  /** A value of another class than the method declares. */
  @SuppressWarnings("unchecked")
  private static <T> T raw(Object value) {
    return (T) value.toString();
  }
}
