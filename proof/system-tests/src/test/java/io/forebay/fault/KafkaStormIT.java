/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.call.Protocol;
import io.forebay.call.Writer;
import io.forebay.hosting.ServiceQueues;
import io.forebay.kafka.KafkaBackend;
import io.forebay.queue.MessageHandler;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.Tailer;
import io.forebay.service.Service;
import io.forebay.service.ServiceOptions;
import io.forebay.service.progress.HostedProgress;
import io.forebay.testing.ChildProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Three instances of a service of one's own on three brokers. While it is called, instances leave
 * and join, are killed (SIGKILL) or stand still, one broker after another is killed, and another
 * program leaves transactions open in the topics. In the end, each call in the queue has one
 * answer, in the order of the calls, and no acknowledged call is missing.
 *
 * <p>{@code -Dforebay.fault.storm-calls=1000000} makes a long storm.
 */
@Tag("proof")
@Timeout(3600)
class KafkaStormIT {

  private static final int CALLS = Integer.getInteger("forebay.fault.storm-calls", 20_000);
  private static final int STRIKES = 6;
  private static final int INSTANCES = 3;
  private static final int PARTITIONS = 6;
  private static final int CHUNK = 100;
  private static final int MANY = 10_000;
  private static final Duration PATIENCE = Duration.ofSeconds(120);

  /** Calls carry their partition and number, and so do answers. */
  interface Numbers {
    void perform(int partition, long number);
  }

  interface Answers {
    void performed(int partition, long number);
  }

  private static final Protocol<Numbers> NUMBERS = Protocol.of(Numbers.class);
  private static final Protocol<Answers> ANSWERS = Protocol.of(Answers.class);

  private enum Fault {
    KILLED,
    STOOD_STILL,
    LEFT,
    BROKER_KILLED
  }

  /** A process with an instance of the service; it leaves at the end of its input. */
  static final class Instance {

    private Instance() {}

    public static void main(String[] words) throws IOException {
      try (KafkaBackend backend = KafkaBackend.open(KafkaBackend.Options.of(words[0]));
          ServiceQueues queues = ServiceQueues.open(backend, "numbers", PARTITIONS);
          Service<Numbers, Answers> service =
              new Service<>(
                  "numbers",
                  new Service.End<>(queues.in(), NUMBERS),
                  new Service.End<>(queues.out(), ANSWERS),
                  (_, answers) -> answers::performed,
                  ServiceOptions.defaults(),
                  HostedProgress.none(),
                  null)) {
        service.start();
        System.out.println("started");
        int _ = System.in.read();
      }
    }
  }

  private final TestCluster cluster = TestCluster.start();
  private final long seed = FaultRun.newSeed();
  private final Random random = new Random(seed);
  private final List<ChildProcess> instances = new ArrayList<>();
  private final Map<String, Integer> faults = new TreeMap<>();
  private final AtomicInteger acknowledged = new AtomicInteger();
  private final AtomicInteger refused = new AtomicInteger();
  private volatile boolean over;

  @Test
  void everyCallIsAnsweredOnceAndInOrder() throws Exception {
    System.out.printf("storm: -D%s=%d%n", FaultRun.SEED, seed);
    try (cluster;
        KafkaBackend backend = KafkaBackend.open(KafkaBackend.Options.of(cluster.bootstrap()));
        ServiceQueues queues = ServiceQueues.open(backend, "numbers", PARTITIONS);
        ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      cluster.awaitInSync();
      List<Future<List<Long>>> called = new ArrayList<>();
      try {
        for (int i = 0; i < INSTANCES; i++) {
          join();
        }
        for (int partition = 0; partition < PARTITIONS; partition++) {
          int of = partition;
          called.add(callers.submit(() -> call(queues.in(), of)));
        }
        for (int strike = 0; strike < STRIKES || acknowledged.get() < CALLS; strike++) {
          int before = acknowledged.get();
          strikeBesideAnotherProgram(queues);
          await().atMost(PATIENCE).until(() -> acknowledged.get() > before);
        }
      } finally {
        over = true;
      }
      check(queues, called);
    } finally {
      instances.forEach(ChildProcess::close);
    }
  }

  private void join() {
    List<String> options =
        ChildProcess.options("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");
    ChildProcess joining =
        ChildProcess.start(ChildProcess.java(options, Instance.class, cluster.bootstrap()))
            .within(PATIENCE);
    instances.add(joining);
    joining.await("started");
  }

  /** Calls until the storm is over; returns the numbers of the acknowledged calls. */
  private List<Long> call(MessageQueue in, int partition) throws InterruptedException {
    List<Long> known = new ArrayList<>();
    for (long number = 0; !over; ) {
      try (Writer<Numbers> writer = NUMBERS.writer(in, partition)) {
        while (!over) {
          List<Long> chunk = new ArrayList<>();
          for (int i = 0; i < CHUNK; i++) {
            chunk.add(number);
            writer.calls().perform(partition, number++);
          }
          writer.await(PATIENCE);
          known.addAll(chunk);
          acknowledged.addAndGet(CHUNK);
          KafkaKillIT.pause(150);
        }
      } catch (QueueRefused | QueueUnavailable | QueueFailed | TimeoutException e) {
        refused.incrementAndGet(); // some calls of this chunk may be in the queue
        KafkaKillIT.pause(100);
      }
    }
    return known;
  }

  /** Strikes, sometimes while another program has a transaction open in one of the topics. */
  private void strikeBesideAnotherProgram(ServiceQueues queues) {
    if (random.nextBoolean()) {
      strike();
      return;
    }
    MessageQueue queue = random.nextBoolean() ? queues.in() : queues.out();
    try (KafkaProducer<byte[], byte[]> other =
        new KafkaProducer<>(
            Map.of(
                "bootstrap.servers",
                cluster.bootstrap(),
                "transactional.id",
                "another program",
                "transaction.timeout.ms",
                "15000"),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      other.initTransactions();
      other.beginTransaction();
      other.send(
          new ProducerRecord<>(queue.name(), random.nextInt(PARTITIONS), null, new byte[] {1}));
      other.flush();
      count("FOREIGN_TRANSACTION");
      strike();
      if (random.nextBoolean()) {
        other.abortTransaction(); // otherwise the brokers do so, later
      }
      other.close(Duration.ZERO);
    } catch (KafkaException e) {
      count("FOREIGN_TRANSACTION_FAILED"); // a broker was killed
    }
  }

  private void strike() {
    Fault fault = Fault.values()[random.nextInt(Fault.values().length)];
    KafkaKillIT.pause(random.nextInt(1_000));
    ChildProcess victim = instances.get(random.nextInt(instances.size()));
    switch (fault) {
      case KILLED -> {
        victim.kill();
        instances.remove(victim);
        join();
      }
      case STOOD_STILL -> {
        victim.suspend();
        KafkaKillIT.pause(random.nextInt(6_000)); // shorter or longer than its session
        victim.resume();
      }
      case LEFT -> {
        victim.send("leave");
        victim.awaitEnd(0);
        instances.remove(victim);
        join();
      }
      case BROKER_KILLED -> {
        cluster.awaitInSync();
        int broker = random.nextInt(cluster.size());
        cluster.broker(broker).kill();
        KafkaKillIT.pause(random.nextInt(3_000));
        cluster.broker(broker).restart();
      }
    }
    count(fault.name());
  }

  private void count(String fault) {
    faults.merge(fault, 1, Integer::sum);
  }

  private void check(ServiceQueues queues, List<Future<List<Long>>> called) throws Exception {
    List<List<Long>> calls = new ArrayList<>();
    List<List<Long>> answers = new ArrayList<>();
    List<Tailer> tailers = new ArrayList<>();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      List<Long> known = called.get(partition).get();
      List<Long> ofPartition = new ArrayList<>();
      Numbers call = (_, number) -> ofPartition.add(number);
      try (Tailer tailer = queues.in().tailer(partition)) {
        readToEnd(tailer, NUMBERS.reader("numbers", call).handler(partition));
      }
      assertThat(ofPartition).doesNotHaveDuplicates();
      known.removeAll(new HashSet<>(ofPartition));
      assertThat(known).as("acknowledged calls that are missing").isEmpty();
      calls.add(ofPartition);
      List<Long> answered = new ArrayList<>();
      answers.add(answered);
      Answers answer = (_, number) -> answered.add(number);
      MessageHandler handler = ANSWERS.reader("numbers", answer).handler(partition);
      Tailer tailer = queues.out().tailer(partition);
      tailers.add(tailer);
      await()
          .atMost(PATIENCE)
          .ignoreExceptionsInstanceOf(QueueUnavailable.class)
          .until(() -> {
            tailer.poll(MANY, handler);
            return answered.size() >= ofPartition.size();
          });
    }
    for (ChildProcess instance : instances) {
      instance.send("leave");
      instance.awaitEnd(0);
    }
    for (int partition = 0; partition < PARTITIONS; partition++) {
      List<Long> answered = answers.get(partition);
      Answers more = (_, number) -> answered.add(number);
      try (Tailer tailer = tailers.get(partition)) {
        readToEnd(tailer, ANSWERS.reader("numbers", more).handler(partition));
      }
      assertThat(answered).as("answers of partition %d", partition).isEqualTo(calls.get(partition));
    }
    System.out.printf(
        "storm of own services: %s, %,d calls acknowledged, %,d answered, none lost, doubled or"
            + " reordered; %d times a caller had to begin anew%n",
        faults, acknowledged.get(), answers.stream().mapToInt(List::size).sum(), refused.get());
    assertThat(acknowledged.get()).isGreaterThanOrEqualTo(CALLS);
  }

  private static void readToEnd(Tailer tailer, MessageHandler handler) {
    long end = tailer.end();
    await()
        .atMost(PATIENCE)
        .until(() -> {
          tailer.poll(MANY, handler);
          return tailer.position() >= end;
        });
  }
}
