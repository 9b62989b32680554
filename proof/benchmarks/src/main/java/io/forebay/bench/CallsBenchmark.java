/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.chronicle.ChronicleBackend;
import io.forebay.chunk.CallCollector;
import io.forebay.chunk.ChunkFunction;
import io.forebay.chunk.ChunkOptions;
import io.forebay.chunk.ChunkedService;
import io.forebay.chunk.remote.ChunkCodec;
import io.forebay.chunk.remote.ListService;
import io.forebay.chunk.remote.QueueChunks;
import io.forebay.chunk.remote.QueuedService;
import io.forebay.hosting.ServiceQueues;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.memory.MemoryBackend;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * What a call in chunks costs when the service itself takes no time. All rows alternate in one JVM.
 *
 * <p>{@code collector} and {@code by-hand} run 5,000 bodies at once, each with two chained calls;
 * the hand-written loop knows the number of calls and nothing else. {@code memory} and {@code
 * chronicle} send chunks of 100 calls over queues, one after the other.
 */
final class CallsBenchmark {

  /** So long that chunks are full although the machine is busy. */
  private static final Duration NO_TICK = Duration.ofSeconds(10);

  private static final int BODIES = 5_000;
  private static final int CHUNK = 100;
  private static final String NANOS = "nanosPerCall";

  static final FigureTable TABLE =
      FigureTable.of("median [min–max]").range("ns per call", NANOS, "%,.0f");

  /** A call's argument with the fields of a small order. */
  record Parcel(long id, String street, double weight) {}

  /** A way to call, and how many calls one run makes. */
  private record Way(String name, int calls, Run run) {}

  private interface Run {
    void run() throws Exception;
  }

  private final int warmups;
  private final int rounds;
  private final int sets;
  private final Map<String, Rounds> figures = new LinkedHashMap<>();

  private CallsBenchmark(boolean isShort) {
    warmups = isShort ? 1 : 5;
    rounds = isShort ? 3 : 15;
    sets = isShort ? 2 : 40;
  }

  static void main(List<String> arguments) throws Exception {
    Options options = new Options(arguments, Set.of("short"), Set.of("out"));
    Path out = Files.createDirectories(Path.of(options.required("out"))).toAbsolutePath();
    CallsBenchmark benchmark = new CallsBenchmark(options.has("short"));
    Map<String, Object> machine = Machine.describe(out);
    Path data = Files.createTempDirectory(out, "queues");
    try {
      benchmark.measure(data);
    } finally {
      Testbed.delete(data);
    }
    benchmark.print();
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("contenders", Rounds.json(benchmark.figures));
    json.put("machine", machine);
    json.put("short", options.has("short"));
    ResultFiles.write(
        out,
        "calls",
        json,
        "The time of a call in chunks",
        List.of(BarPanel.medians("Nanoseconds per call", benchmark.figures, NANOS, "collector")));
  }

  private void measure(Path data) throws Exception {
    List<Way> ways = new ArrayList<>();
    ways.add(new Way("collector", 2 * BODIES * sets, this::collector));
    ways.add(new Way("by-hand", 2 * BODIES * sets, this::byHand));
    try (QueueBackend memory = MemoryBackend.open();
        QueueBackend chronicle = ChronicleBackend.open(data);
        Transport inMemory = new Transport(memory);
        Transport onFiles = new Transport(chronicle)) {
      ways.add(new Way("memory", 10 * CHUNK * sets, () -> chunks(inMemory)));
      ways.add(new Way("chronicle", 10 * CHUNK * sets, () -> chunks(onFiles)));
      alternate(ways);
    }
  }

  /** A service behind queues, and its caller. */
  private static final class Transport implements AutoCloseable {

    private final QueuedService service;
    private final QueueChunks<Parcel, Integer> chunks;

    Transport(QueueBackend backend) {
      ChunkCodec<Parcel, Integer> codec = ChunkCodec.of(Parcel.class, Integer.class);
      ServiceQueues queues = ServiceQueues.open(backend, "parcels", 1);
      service =
          new QueuedService(ListService.inOrder("parcels", codec, CallsBenchmark::weigh), queues);
      service.start();
      chunks = QueueChunks.to(queues, codec);
    }

    void call(List<Parcel> parcels) throws Exception {
      chunks.perform(parcels).toCompletableFuture().get();
    }

    @Override
    public void close() {
      chunks.close();
      service.close();
    }
  }

  private void alternate(List<Way> ways) throws Exception {
    for (int round = -warmups; round < rounds; round++) {
      System.out.printf("round %d of %d%n", round + 1, rounds);
      for (Way way : ways) {
        long begin = System.nanoTime();
        way.run().run();
        double nanos = (double) (System.nanoTime() - begin) / way.calls();
        if (round >= 0) {
          figures.computeIfAbsent(way.name(), _ -> new Rounds()).add(NANOS, nanos);
        }
      }
    }
  }

  private void print() {
    System.out.print(TABLE.text(figures));
    System.out.printf(
        "collector : by hand %.2f%n",
        figures.get("collector").median(NANOS) / figures.get("by-hand").median(NANOS));
  }

  private static List<Integer> weigh(List<Parcel> parcels) {
    return parcels.stream().map(parcel -> (int) parcel.weight()).toList();
  }

  private void chunks(Transport transport) throws Exception {
    List<Parcel> parcels =
        IntStream.range(0, CHUNK).mapToObj(i -> new Parcel(i, "Quay " + i, i / 4.0)).toList();
    for (int i = 0; i < 10 * sets; i++) {
      transport.call(parcels);
    }
  }

  private void collector() throws Exception {
    try (CallCollector collector = new CallCollector()) {
      ChunkOptions options = ChunkOptions.defaults().withMaxItems(CHUNK).withLinger(NO_TICK);
      ChunkFunction<Integer, Integer> tenfold = ChunkFunction.inOrder(CallsBenchmark::tenfold);
      ChunkedService<Integer, Integer> one = collector.service("one", tenfold, options);
      ChunkedService<Integer, Integer> two = collector.service("two", tenfold, options);
      for (int set = 0; set < sets; set++) {
        List<Callable<Integer>> bodies = new ArrayList<>();
        for (int i = 0; i < BODIES; i++) {
          int argument = i;
          bodies.add(() -> two.call(one.call(argument)));
        }
        int i = 0;
        for (Future<Integer> body : collector.startAll(bodies)) {
          check(body.get(), i++);
        }
      }
      if (collector.figures().service("two").fillRatio() < 0.999) {
        throw new IllegalStateException("chunks were not full: " + collector.figures());
      }
    }
  }

  private void byHand() throws InterruptedException {
    for (int set = 0; set < sets; set++) {
      FixedChunks one = new FixedChunks();
      FixedChunks two = new FixedChunks();
      int[] results = new int[BODIES];
      CountDownLatch ended = new CountDownLatch(BODIES);
      for (int i = 0; i < BODIES; i++) {
        int argument = i;
        Thread.ofVirtual()
            .start(() -> {
              results[argument] = two.call(one.call(argument));
              ended.countDown();
            });
      }
      ended.await();
      for (int i = 0; i < BODIES; i++) {
        check(results[i], i);
      }
    }
  }

  private static List<Integer> tenfold(List<Integer> arguments) {
    return arguments.stream().map(it -> 10 * it).toList();
  }

  private static void check(int result, int argument) {
    if (result != 100 * argument) {
      throw new IllegalStateException("wrong result %d to %d".formatted(result, argument));
    }
  }

  /** Chunks of a fixed size; the number of calls must be a multiple of it. */
  private static final class FixedChunks {

    private List<Waiter> chunk = new ArrayList<>(CHUNK);

    private static final class Waiter {
      final Thread thread = Thread.currentThread();
      final int argument;
      int result;
      volatile boolean done;

      Waiter(int argument) {
        this.argument = argument;
      }
    }

    int call(int argument) {
      Waiter waiter = new Waiter(argument);
      List<Waiter> full = null;
      synchronized (this) {
        chunk.add(waiter);
        if (chunk.size() == CHUNK) {
          full = chunk;
          chunk = new ArrayList<>(CHUNK);
        }
      }
      if (full != null) {
        List<Waiter> leaving = full;
        Thread.ofVirtual().start(() -> perform(leaving));
      }
      while (!waiter.done) {
        LockSupport.park();
      }
      return waiter.result;
    }

    private static void perform(List<Waiter> waiters) {
      List<Integer> results = tenfold(waiters.stream().map(it -> it.argument).toList());
      for (int i = 0; i < waiters.size(); i++) {
        Waiter waiter = waiters.get(i);
        waiter.result = results.get(i);
        waiter.done = true;
        LockSupport.unpark(waiter.thread);
      }
    }
  }
}
