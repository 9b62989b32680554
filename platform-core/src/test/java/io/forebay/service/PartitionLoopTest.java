/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.forebay.call.CallFailure;
import io.forebay.call.Message;
import io.forebay.call.Protocol;
import io.forebay.call.Writer;
import io.forebay.queue.Appender;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.Subscription;
import io.forebay.queue.Tailer;
import io.forebay.queue.memory.MemoryBackend;
import io.forebay.service.PartitionLoop.Step;
import io.forebay.service.errors.BlockedMessages;
import io.forebay.service.errors.CallLog;
import io.forebay.service.progress.HostedProgress;
import io.forebay.service.progress.Unavailable;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Steps of a partition on the test's thread, with a clock that only sleeping moves. */
class PartitionLoopTest {

  private static final Protocol<Numbers> NUMBERS = Protocol.of(Numbers.class);
  private static final Protocol<Squares> SQUARES = Protocol.of(Squares.class);

  interface Numbers {
    void square(long number);
  }

  interface Squares {
    void squared(long number);
  }

  private final MemoryBackend backend = MemoryBackend.open();
  private final Time time = new Time();
  private final Orders orders = new Orders();
  private final Counts counts = new Counts();
  private final Workload workload = new Workload();
  private final Standing standing = new Standing("partition 0");
  private final List<Long> performed = new ArrayList<>();
  private long passed;
  private long callNanos;
  private int failures;
  private int closed;
  private int published;
  private int acknowledgesAfter;
  private Duration retryTo = Duration.ofMillis(300);
  private MessageQueue in;
  private MessageQueue out;
  private Waits waits;

  /** Collects the sleeps; {@link #stopAfter} ends the thread in one of them. */
  private final class Time implements ServiceTime {

    private final List<Duration> sleeps = new ArrayList<>();
    private long nanos;
    private long wallNanos;
    private int stopAfter = Integer.MAX_VALUE;

    @Override
    public long nanos() {
      return nanos;
    }

    @Override
    public long epochNanos() {
      return wallNanos;
    }

    @Override
    public void sleep(long time) {
      sleeps.add(Duration.ofNanos(time));
      nanos += time;
      if (sleeps.size() >= stopAfter) {
        waits.stop(Duration.ZERO);
      }
    }
  }

  @BeforeEach
  void open() {
    in = backend.open("numbers.in", 1);
    out = backend.open("numbers.out", 1);
  }

  @AfterEach
  void close() {
    out.close();
    in.close();
    backend.close();
  }

  private final class Squarer implements Numbers, AutoCloseable {

    private final Squares squares;

    private Squarer(Squares squares) {
      this.squares = squares;
    }

    @Override
    public void square(long number) {
      performed.add(number);
      time.nanos += callNanos;
      time.wallNanos += callNanos;
      squares.squared(number * number);
    }

    @Override
    public void close() {
      closed++;
      throw new IllegalStateException("only logged");
    }
  }

  /**
   * @param instead gets the name of each method before it is called; what it returns is the result,
   *     unless it is null
   */
  private static <T> T watched(Class<T> type, T real, Function<String, @Nullable Object> instead) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (_, method, arguments) -> {
              Object result = instead.apply(method.getName());
              try {
                return result != null ? result : method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  /** The out-queue acknowledges an answer after that many sleeps of the loop. */
  private void acknowledgesAfter(int sleeps) {
    acknowledgesAfter = sleeps;
    MessageQueue real = out;
    out =
        watched(
            MessageQueue.class,
            real,
            method ->
                method.equals("answers")
                    ? watched(Appender.class, real.appender(), this::appender)
                    : null);
  }

  private @Nullable Object appender(String method) {
    published += method.equals("publish") ? 1 : 0;
    return method.equals("isAcknowledged") && time.sleeps.size() < acknowledgesAfter ? false : null;
  }

  private final class Reported implements Subscription {

    @Override
    public String consumer() {
      return "numbers";
    }

    @Override
    public void passed(int partition, long position) {
      passed = position;
    }

    @Override
    public void close() {}
  }

  private PartitionLoop<Numbers, Squares> loop(int maxBatch) {
    ServiceOptions options =
        ServiceOptions.defaults()
            .withMaxBatch(maxBatch)
            .withIdle(() -> (_, _) -> {})
            .withRetry(Duration.ofMillis(50), retryTo);
    ServiceParts<Numbers, Squares> parts =
        new ServiceParts<>(
            "numbers",
            new Service.End<>(in, NUMBERS),
            new Service.End<>(out, SQUARES),
            (_, squares) -> new Squarer(squares),
            options,
            HostedProgress.none(),
            null,
            new BlockedMessages(),
            orders,
            counts,
            new CallLog(InstantSource.system()),
            () -> Optional.of(new Reported()),
            time);
    waits = new Waits(options, time, standing, workload, () -> failures++);
    return new PartitionLoop<>(parts, 0, standing, workload, waits);
  }

  private void send(long... numbers) {
    try (Writer<Numbers> writer = NUMBERS.writer(in)) {
      for (long number : numbers) {
        writer.calls().square(number);
      }
    }
  }

  @Test
  void eachStepPerformsOneBatchAndAnswersIt() {
    send(1, 2, 3);
    try (PartitionLoop<Numbers, Squares> loop = loop(2)) {
      loop.open();
      assertThat(loop.answeredPosition()).isZero();
      assertThat(loop.step()).isEqualTo(Step.PERFORMED);
      assertThat(performed).containsExactly(1L, 2L);
      assertThat(loop.answeredPosition()).isEqualTo(2);
      assertThat(out.stats(0).end()).hasValue(2);
      assertThat(loop.step()).isEqualTo(Step.PERFORMED);
      assertThat(loop.step()).isEqualTo(Step.FOUND_NOTHING);
      assertThat(performed).containsExactly(1L, 2L, 3L);
      assertThat(passed).isEqualTo(3);
      assertThat(counts.performed().sum()).isEqualTo(3);
      assertThat(standing.state().phase()).isEqualTo(ServiceState.Phase.RUNNING);
    }
    assertThat(time.sleeps).isEmpty();
    assertThat(closed).as("also if that fails").isEqualTo(1);
  }

  @Test
  void aMessageIsPassedOnceItsAnswerCanNoLongerBeLost() {
    acknowledgesAfter(1);
    send(1, 2);
    try (PartitionLoop<Numbers, Squares> loop = loop(2)) {
      assertThat(loop.safePosition()).isEqualTo(-1);
      loop.open();
      assertThat(loop.step()).isEqualTo(Step.PERFORMED);
      assertThat(loop.answeredPosition()).isEqualTo(2);
      assertThat(loop.safePosition()).isZero();
      assertThat(passed).isZero();
      int before = published;
      assertThat(loop.step()).isEqualTo(Step.FOUND_NOTHING);
      assertThat(published).as("it may have failed").isEqualTo(before + 1);
      orders.rest(new Orders.Rest(ServiceState.Phase.PAUSED, "maintenance"));
      assertThat(loop.step()).isEqualTo(Step.RESTED);
      assertThat(time.sleeps).containsExactly(Duration.ofMillis(100));
      assertThat(loop.safePosition()).isEqualTo(2);
      assertThat(passed).isEqualTo(2);
      assertThat(loop.step()).isEqualTo(Step.RESTED);
      assertThat(published).isEqualTo(before + 2);
    }
  }

  @Test
  void aDrainEndsOnceTheAnswersCanNoLongerBeLost() {
    acknowledgesAfter(3);
    send(1);
    orders.drain(true);
    try (PartitionLoop<Numbers, Squares> loop = loop(2)) {
      loop.open();
      assertThat(loop.step()).isEqualTo(Step.PERFORMED);
      assertThat(passed).isZero();
      assertThat(loop.step()).isEqualTo(Step.DRAINED);
      assertThat(time.sleeps).hasSize(3);
      assertThat(passed).isEqualTo(1);
    }
  }

  @Test
  void aDrainThatWaitsForItsAnswersCanBeStopped() {
    acknowledgesAfter(Integer.MAX_VALUE);
    time.stopAfter = 3;
    send(1);
    orders.drain(true);
    try (PartitionLoop<Numbers, Squares> loop = loop(2)) {
      loop.open();
      assertThat(loop.step()).isEqualTo(Step.PERFORMED);
      assertThatExceptionOfType(Waits.Stopped.class).isThrownBy(loop::step);
    }
  }

  @Test
  void aMessageThatIsAcceptedWhileTheQueueIsDrainedIsPerformed() {
    boolean[] late = {true};
    MessageQueue real = in;
    in =
        watched(
            MessageQueue.class,
            real,
            method -> {
              if (method.equals("drained") && late[0]) {
                late[0] = false;
                send(7);
              }
              return null;
            });
    orders.drain(true);
    try (PartitionLoop<Numbers, Squares> loop = loop(2)) {
      loop.open();
      assertThat(loop.step()).isEqualTo(Step.FOUND_NOTHING);
      assertThat(loop.step()).isEqualTo(Step.PERFORMED);
      assertThat(performed).containsExactly(7L);
      assertThat(loop.step()).isEqualTo(Step.DRAINED);
    }
  }

  interface Cubes {
    void cube(long number);
  }

  @Test
  void aMessageThatCannotBeDecodedIsAnsweredWithAFailure() {
    try (Writer<Cubes> writer = Protocol.of(Cubes.class).writer(in)) {
      writer.calls().cube(1);
    }
    send(2);
    try (PartitionLoop<Numbers, Squares> loop = loop(2)) {
      loop.open();
      assertThat(loop.step()).isEqualTo(Step.PERFORMED);
    }
    assertThat(performed).containsExactly(2L);
    assertThat(counts.deadLetters().sum()).isEqualTo(1);
    List<@Nullable CallFailure> answers = new ArrayList<>();
    try (Tailer tailer = out.tailer(0)) {
      tailer.poll(2, (at, bytes) -> answers.add(Message.peek("out", 0, at, bytes).failure()));
    }
    assertThat(answers)
        .containsExactly(new CallFailure(CallFailure.UNDECODABLE, "UNKNOWN_METHOD"), null);
  }

  @Test
  void aBatchOfSlowCallsEndsAfter50MillisecondsSoThatItsAnswersBecomeVisible() {
    send(1, 2, 3, 4, 5);
    callNanos = 30_000_000;
    try (PartitionLoop<Numbers, Squares> loop = loop(100)) {
      loop.open();
      assertThat(loop.step()).isEqualTo(Step.PERFORMED);
      assertThat(performed).containsExactly(1L, 2L);
      assertThat(loop.step()).isEqualTo(Step.PERFORMED);
      assertThat(performed).containsExactly(1L, 2L, 3L, 4L);
    }
  }

  @Test
  void aRestEndsAfterTheBatchInHandAndNothingIsPerformedUntilItIsOver() {
    send(1, 2);
    try (PartitionLoop<Numbers, Squares> loop = loop(1)) {
      loop.open();
      assertThat(loop.step()).isEqualTo(Step.PERFORMED);
      orders.rest(new Orders.Rest(ServiceState.Phase.PAUSED, "maintenance"));
      assertThat(loop.step()).isEqualTo(Step.RESTED);
      assertThat(loop.step()).isEqualTo(Step.RESTED);
      assertThat(performed).containsExactly(1L);
      assertThat(standing.state().reason()).isEqualTo("maintenance");
      orders.rest(null);
      assertThat(loop.step()).isEqualTo(Step.PERFORMED);
      assertThat(standing.state().phase()).isEqualTo(ServiceState.Phase.RUNNING);
    }
  }

  private long lastAppendMicros() {
    long[] micros = new long[1];
    try (Tailer tailer = in.tailer(0)) {
      tailer.poll(
          Integer.MAX_VALUE,
          (at, message) -> micros[0] = Message.peek(in.name(), 0, at, message).appendMicros());
    }
    return micros[0];
  }

  @Test
  void latenciesAreExactToTheNanosecond() {
    try (PartitionLoop<Numbers, Squares> loop = loop(1)) {
      loop.open();
      for (int i = 0; i < 3; i++) {
        send(i);
        time.wallNanos = in.appendTimes().nanos(0, lastAppendMicros()) + 1_234;
        assertThat(loop.step()).isEqualTo(Step.PERFORMED);
        assertThat(counts.latency().takeSnapshot().read())
            .extracting(Histogram::getTotalCount, Histogram::getMaxValue)
            .containsExactly(1L, 1_234L);
      }
    }
  }

  @Test
  void aMessageWaitsUntilThoseBeforeItInTheBatchArePerformed() {
    try (PartitionLoop<Numbers, Squares> loop = loop(2)) {
      loop.open();
      send(1, 2);
      long appended = in.appendTimes().nanos(0, lastAppendMicros());
      time.wallNanos = appended;
      callNanos = 20_000_000;
      assertThat(loop.step()).isEqualTo(Step.PERFORMED);
      Latency.Snapshot latency = counts.latency().takeSnapshot();
      assertThat(latency.performing().getTotalCount()).isEqualTo(2);
      assertThat(latency.performing().getMinValue()).isCloseTo(callNanos, withinPercentage(1));
      assertThat(latency.performing().getMaxValue()).isCloseTo(callNanos, withinPercentage(1));
      assertThat(latency.read().getMaxValue()).isCloseTo(callNanos, withinPercentage(1));
      assertThat(latency.performed().getMaxValue()).isCloseTo(2 * callNanos, withinPercentage(1));
    }
  }

  @Test
  void aDrainPerformsWhatIsLeftAndEnds() {
    send(1, 2, 3);
    try (PartitionLoop<Numbers, Squares> loop = loop(2)) {
      loop.open();
      orders.drain(true);
      assertThat(loop.step()).isEqualTo(Step.PERFORMED);
      assertThat(standing.state().phase()).isEqualTo(ServiceState.Phase.DRAINING);
      assertThat(loop.step()).isEqualTo(Step.PERFORMED);
      assertThat(loop.step()).isEqualTo(Step.DRAINED);
      assertThat(standing.state().phase()).isEqualTo(ServiceState.Phase.DRAINED);
    }
    assertThat(performed).containsExactly(1L, 2L, 3L);
  }

  @Test
  void itContinuesBehindTheLastAnswerWhenItIsOpenedAgain() {
    send(1, 2, 3);
    PartitionLoop<Numbers, Squares> loop = loop(2);
    try (loop) {
      loop.open();
      loop.step();
    }
    assertThat(loop.readUpTo()).isEqualTo(2);
    try (loop) {
      loop.open();
      loop.step();
    }
    assertThat(performed).containsExactly(1L, 2L, 3L);
    assertThat(loop.answeredPosition()).isEqualTo(3);
  }

  @Test
  void stepsAreRetriedWithGrowingPausesUntilWhatTheyNeedIsAvailable() {
    loop(1);
    int[] left = {4};
    waits.untilAvailable(() -> {
      if (left[0]-- > 0) {
        throw new Unavailable("the database does not respond", null);
      }
    });
    assertThat(time.sleeps).extracting(Duration::toMillis).containsExactly(50L, 100L, 200L, 300L);
    assertThat(failures).isEqualTo(1);
    assertThat(standing.state().phase()).isEqualTo(ServiceState.Phase.STARTING);
  }

  @Test
  void aStepThatIsRetriedIsWorkAndShownOnlyOnceItIsAvailable() {
    loop(1);
    workload.begin();
    List<String> seen = new ArrayList<>();
    int[] left = {2};
    waits.untilAvailable(() -> {
      seen.add(shown());
      waits.available("it responds again");
      seen.add(shown());
      if (left[0]-- > 0) {
        throw new Unavailable("it does not respond", null);
      }
    });
    assertThat(seen)
        .containsExactly(
            "true STARTING",
            "true STARTING",
            "false WAITING: it does not respond",
            "true STARTING: it responds again",
            "false WAITING: it does not respond",
            "false WAITING: it does not respond");
    assertThat(shown()).isEqualTo("true STARTING");
  }

  /** Whether it works, and its state. */
  private String shown() {
    return workload.inHand().isPositive() + " " + standing.state();
  }

  @Test
  void aResultIsAwaitedWithItsReasonAndAtAStopAsLongAsTheStopAllows() throws Throwable {
    loop(1);
    CompletableFuture<String> result = new CompletableFuture<>();
    List<String> seen = new ArrayList<>();
    Supplier<@Nullable String> outage =
        () -> {
          seen.add(standing.state().toString());
          if (seen.size() == 3) {
            result.complete("done");
          }
          return seen.size() == 1 ? null : "it takes long";
        };
    waits.stop(Duration.ofMinutes(1));
    assertThat(waits.isStopping()).isTrue();
    assertThat(waits.untilComplete(result, outage)).isEqualTo("done");
    assertThat(seen).containsExactly("STARTING", "STARTING", "WAITING: it takes long");
    assertThat(standing.state()).hasToString("STARTING");

    waits.stop(Duration.ZERO);
    assertThatExceptionOfType(Waits.Stopped.class)
        .isThrownBy(() -> waits.untilComplete(new CompletableFuture<>(), () -> null));
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() ->
            waits.untilComplete(CompletableFuture.failedFuture(new IOException()), () -> null));
  }

  /** A new attempt costs little, and whoever made room waits for it. */
  @Test
  void aResultThatTheFullDiskRefusedIsStoredWithinASecondAfterThereIsRoom() {
    retryTo = Duration.ofSeconds(5);
    loop(1);
    ServiceState[] seen = new ServiceState[1];
    int[] left = {8};
    waits.untilAvailable(() -> {
      seen[0] = standing.state();
      if (left[0]-- > 0) {
        throw new QueueRefused(
            QueueRefused.Reason.DISK, 1, Duration.ofSeconds(30), "queue numbers.out refuses");
      }
    });
    assertThat(time.sleeps)
        .extracting(Duration::toMillis)
        .containsExactly(50L, 100L, 200L, 400L, 800L, 1_000L, 1_000L, 1_000L);
    assertThat(seen[0].phase()).isEqualTo(ServiceState.Phase.WAITING);
    assertThat(seen[0].reason())
        .isEqualTo(
            "its results cannot be stored because the disk is full; performing continues when there is room");
    assertThat(seen[0].waitsForDisk()).isTrue();
    assertThat(standing.lastError().message()).isEqualTo("queue numbers.out refuses");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2})
  void aRefusalThatNoRetryCanChangeIsThrown(int retries) {
    loop(1);
    int[] tries = {0};
    assertThatExceptionOfType(QueueRefused.class)
        .isThrownBy(() ->
            waits.untilAvailable(() -> {
              Duration retryAfter = tries[0]++ < retries ? Duration.ofMillis(1) : Duration.ZERO;
              throw new QueueRefused(QueueRefused.Reason.CLOSED, 1, retryAfter, "closed");
            }));
    assertThat(time.sleeps).hasSize(retries);
  }

  @Test
  void aStopEndsEveryWait() {
    loop(1);
    time.stopAfter = 3;
    assertThatExceptionOfType(Waits.Stopped.class)
        .isThrownBy(() ->
            waits.untilAvailable(() -> {
              throw new Unavailable("the database does not respond", null);
            }));
    assertThat(time.sleeps).hasSize(3);
    assertThat(standing.state().phase()).isEqualTo(ServiceState.Phase.WAITING);
  }
}
