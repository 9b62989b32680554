/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.call.Message;
import io.forebay.call.Reader;
import io.forebay.call.Writer;
import io.forebay.call.history.Hop;
import io.forebay.queue.QueueBackend;
import io.forebay.service.ServiceOptions;
import io.forebay.service.progress.HostedProgress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Three services, each of which performs the answers of the one before, for tests. */
public final class SquarePipeline implements AutoCloseable {

  private static final int PARTITIONS = 2;
  private static final Instant BEGUN = Instant.now();

  public interface Numbers {
    void number(long number);
  }

  public interface Squares {
    void square(long square);
  }

  public interface Sums {
    void sum(long square, long sum);
  }

  /** Squares a number, twice if it is divisible by 3 and not at all if it is divisible by 5. */
  private record Squarer(Squares answers) implements Numbers {
    @Override
    public void number(long number) {
      for (int i = 0; number % 5 != 0 && i < (number % 3 == 0 ? 2 : 1); i++) {
        answers.square(number * number);
      }
    }
  }

  private final DefinedService<Numbers, Squares> first;
  private final DefinedService<Squares, Squares> second;
  private final DefinedService<Squares, Sums> third;

  public SquarePipeline(QueueBackend backend, HostedProgress progress) {
    ServiceDefinition<Numbers, Squares> squares =
        ServiceDefinition.of("squares", Numbers.class, Squares.class, Squarer::new)
            .withOptions(ServiceOptions.defaults().withHistoryOneIn(2))
            .withPartitions(PARTITIONS);
    ServiceDefinition<Squares, Squares> copies =
        ServiceDefinition.<Squares, Squares>of(
                "copies", Squares.class, Squares.class, answers -> answers::square)
            .withOptions(ServiceOptions.defaults().withHistoryOneIn(1))
            .from(squares);
    ServiceDefinition<Squares, Sums> sums =
        ServiceDefinition.<Squares, Sums>of(
                "sums",
                Squares.class,
                Sums.class,
                answers -> square -> answers.sum(square, square + 1))
            .withOptions(ServiceOptions.defaults().withHistoryOneIn(0))
            .from(copies);
    first = DefinedService.open(backend, squares, progress);
    second = DefinedService.open(backend, copies, first, progress);
    third = DefinedService.open(backend, sums, second, progress);
  }

  public void start() {
    first.start();
  }

  public DefinedService<?, ?> last() {
    return third;
  }

  /**
   * Sends numbers, and returns when they are stored.
   *
   * @param writer of the first stage
   */
  public static void send(Writer<Numbers> writer, long from, int count) throws Exception {
    for (long number = from; number < from + count; number++) {
      writer.calls().number(number);
    }
    writer.await(Duration.ofSeconds(30));
  }

  public Writer<Numbers> createWriter() {
    return first.createWriter();
  }

  @Override
  public void close() {
    try (first;
        second) {
      third.close();
    }
  }

  /** The squares that the last stage answered, by partition. */
  private static final class Answers implements Sums {

    private final Map<Integer, List<Long>> squares = new TreeMap<>();
    private final Set<Long> seen = new HashSet<>();
    private int recorded;
    private int unrecorded;

    @Override
    public void sum(long square, long sum) {
      assertThat(sum).isEqualTo(square + 1);
      seen.add(square);
      checkHistory(Message.current());
      squares.computeIfAbsent(Message.current().partition(), _ -> new ArrayList<>()).add(square);
    }

    /** The first stage has decided whether it is recorded, and the others have followed. */
    private void checkHistory(Message answer) {
      List<Hop> hops = answer.history();
      if (hops.isEmpty()) {
        unrecorded++;
        return;
      }
      recorded++;
      assertThat(hops).extracting(Hop::service).containsExactly("squares", "copies", "sums");
      assertThat(hops.getLast().position()).isEqualTo(answer.source().orElseThrow());
      assertThat(hops.getLast().answered()).isEqualTo(answer.appendTime());
      assertThat(hops)
          .flatExtracting(Hop::appended, Hop::received, Hop::performed, Hop::answered)
          .allSatisfy(time ->
              assertThat((Instant) time)
                  .isBetween(BEGUN.minusSeconds(300), Instant.now().plusSeconds(300)));
    }

    private boolean has(long number) {
      return seen.contains(number * number);
    }

    private Map<Long, Long> counts() {
      return squares.values().stream()
          .flatMap(List::stream)
          .collect(Collectors.groupingBy(square -> square, Collectors.counting()));
    }
  }

  /**
   * Checks what the last stage has answered: to each number as often as the first stage, in the
   * order of each partition, and to all of these numbers.
   */
  public void assertAnsweredOnce(Set<Long> sent) {
    Answers answers = new Answers();
    try (Reader<Sums> reader = third.createReader(answers)) {
      await()
          .untilAsserted(() -> {
            while (reader.poll(1_000) > 0) {
              // the next ones
            }
            assertThat(sent)
                .as("sent, and answered by all stages")
                .allMatch(number -> answers(number) == 0 || answers.has(number));
          });
    }
    assertThat(answers.squares).hasSize(PARTITIONS);
    assertThat(answers.squares.values())
        .allSatisfy(squares -> assertThat(squares).as("in their order").isSorted());
    assertThat(answers.recorded).as("half of all answers").isBetween(1, 3 * answers.unrecorded);
    assertThat(answers.unrecorded).isLessThan(3 * answers.recorded);
    Map<Long, Long> counts = answers.counts();
    counts.forEach((square, count) -> {
      long number = Math.round(Math.sqrt(square));
      assertThat(count).as("answers to %d", number).isEqualTo(answers(number));
    });
  }

  private static long answers(long number) {
    List<Long> answers = new ArrayList<>();
    new Squarer(answers::add).number(number);
    return answers.size();
  }
}
