/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import io.forebay.call.Message;
import io.forebay.call.NoEvents;
import io.forebay.call.Protocol;
import io.forebay.hosting.DefinedService;
import io.forebay.hosting.ServiceDefinition;
import io.forebay.machine.Machine;
import io.forebay.outbox.PreparedOutbox;
import io.forebay.outbox.TransactionalCalls;
import io.forebay.queue.QueueBackend;
import io.forebay.service.progress.HostedProgress;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A history of an outbox: processes insert a row and send a message in one transaction, which
 * commits, is rolled back, or ends in doubt. On the queues of a cluster the relays of all processes
 * hand over at the same time, which is more than a take-over. At the end all faults stop, and each
 * committed row must have its message.
 */
final class OutboxHistory extends History {

  private static final String SERVICE = "orders";
  private static final int CUSTOMERS = 3;
  private static final long MOST_STEPS = 400_000;
  private static final long CALM = 600_000_000_000L;
  private static final int LOOK_EVERY = 100;
  private static final double ROLLED_BACK = 0.15;

  /** A process of the simulated cluster fails a message that the brokers do not take for 20 s. */
  private static final long LONGEST_OUTAGE = 10_000_000_000L;

  interface Orders {

    Protocol<Orders> PROTOCOL = Protocol.of(Orders.class);

    void place(long number);
  }

  private static final Protocol<NoEvents> NO_EVENTS = Protocol.of(NoEvents.class);

  private final Plan plan;
  private final List<Instance> instances = new ArrayList<>();

  /** The rows of the messages that were sent, by the ids of the messages. */
  private final Map<UUID, Long> numbers = new HashMap<>();

  private long attempts;
  private int generation;
  private int troublesLeft;
  private boolean brokersWereAway;

  private OutboxHistory(World world, SimulatedDatabase database) {
    Plan plan = Plan.of(world.random);
    super(world, plan, database, LOOK_EVERY);
    this.plan = plan;
  }

  /** Runs the history of a seed. */
  static Outcome run(long seed, SimulatedDatabase database, boolean traced) throws SQLException {
    OutboxHistory history = new OutboxHistory(new World(seed, new Trace(traced)), database);
    history.run();
    return history.outcome(seed);
  }

  private void run() throws SQLException {
    world.trace.add(world, "world", plan.toString());
    database.begin(world, faults);
    troublesLeft = plan.troubles();
    try {
      for (int i = 0; i < Math.max(1, plan.instances()); i++) {
        instances.add(start(new SimulatedProcess(world, nextName())));
      }
      for (int i = 0; i < plan.troubles(); i++) {
        world.after(world.random.nextLong(plan.troublesWithinNanos()), this::trouble);
      }
      world.run("all is sent", MOST_STEPS, () -> look(() -> troublesLeft == 0 && isSent()));
      world.trace.add(world, "world", "CALM");
      faults.end();
      long until = world.nanos() + CALM;
      world.run(
          "all is handed over",
          MOST_STEPS,
          () -> look(() -> isHandedOver() || world.nanos() > until));
      check();
    } catch (World.Stuck e) {
      violated("stuck: %s", e.getMessage());
    } finally {
      instances.forEach(it -> it.process.kill("the end"));
      database.end();
    }
  }

  private String nextName() {
    return "app-" + ++generation;
  }

  private Instance start(SimulatedProcess process) {
    Instance instance = new Instance(process);
    process.onFatal(why -> crash(instance, why));
    process.start("main", instance::run);
    return instance;
  }

  private boolean isSent() {
    instances.forEach(Instance::restartIfItsDiskFailed);
    return attempts >= plan.statements()
        && instances.stream().allMatch(it -> it.runs() && it.sending == 0);
  }

  private boolean isHandedOver() {
    instances.forEach(Instance::restartIfItsDiskFailed);
    return instances.stream().allMatch(Instance::runs)
        && !database.isBeingWritten()
        && database.read("select id from forebay_outbox", row -> row.getLong(1)).isEmpty();
  }

  private void trouble() {
    troublesLeft--;
    Instance instance = instances.get(world.random.nextInt(instances.size()));
    switch (world.random.nextInt(8)) {
      case 0 -> instance.stops();
      case 1 -> instance.process.freeze(world.shortTime(LONGEST_OUTAGE));
      case 2 -> brokersAreAway();
      case 3 -> instance.process.clockJumps();
      case 4 -> database.restart();
      case 5 -> databaseIsAway();
      default -> crash(instance, "by chance");
    }
  }

  /** Once: a second outage could be too long for a message. */
  private void brokersAreAway() {
    if (!brokersWereAway) {
      brokersWereAway = true;
      world.trace.add(world, "world", "the brokers are away");
      cluster.away(true);
      world.after(world.shortTime(LONGEST_OUTAGE), () -> cluster.away(false));
    }
  }

  /** The process dies; perhaps its host loses its power, too. Another process starts soon. */
  private void crash(Instance instance, String why) {
    if (instance.process.isDead()) {
      return;
    }
    instance.process.kill(why);
    if (!plan.shared()) {
      disk.released();
      if (plan.durable() && world.chance(plan.powerFailures())) {
        world.trace.add(world, "world", "the power fails");
        disk.loseWhatIsNotForced(world.random);
      }
    }
    world.after(
        world.shortTime(500_000_000),
        () -> instances.set(instances.indexOf(instance), start(instance.process.next(nextName()))));
  }

  private void check() {
    if (!isHandedOver()) {
      violated("not settled: rows are in the outbox");
      return;
    }
    List<Long> committed =
        database.read("select number from effects order by turn", row -> row.getLong(1));
    Set<Long> handedOver = handedOver();
    eachCommittedRowHasItsMessage(committed, handedOver);
    messagesHaveTheOrderOfTheCommits(committed, handedOver);
  }

  private void eachCommittedRowHasItsMessage(List<Long> committed, Set<Long> handedOver) {
    if (!handedOver.equals(new HashSet<>(committed))) {
      violated("effects: committed %s, handed over %s", committed, handedOver);
    }
  }

  private void messagesHaveTheOrderOfTheCommits(List<Long> committed, Set<Long> handedOver) {
    for (int i = 0; i < CUSTOMERS; i++) {
      int customer = i;
      List<Long> expected = committed.stream().filter(it -> it % CUSTOMERS == customer).toList();
      List<Long> actual = handedOver.stream().filter(it -> it % CUSTOMERS == customer).toList();
      if (!actual.equals(expected)) {
        violated("order: committed %s, handed over %s", expected, actual);
      }
    }
  }

  /** The rows in the order of their first messages in each partition. */
  private Set<Long> handedOver() {
    Set<Long> handedOver = new LinkedHashSet<>();
    for (int i = 0; i < plan.partitions(); i++) {
      int partition = i;
      messages(i)
          .forEach((position, bytes) ->
              handedOver.add(
                  numbers.get(
                      Message.peek(SERVICE, partition, position, ByteBuffer.wrap(bytes)).id())));
    }
    return handedOver;
  }

  private NavigableMap<Long, byte[]> messages(int partition) {
    StoredMessages stored = plan.shared() ? cluster : disk;
    return new TreeMap<>(stored.messages(SERVICE + ".in", partition));
  }

  /** An application. */
  private final class Instance {

    private final SimulatedProcess process;
    private int sending = plan.senders();
    private boolean stopping;
    private @Nullable QueueBackend backend;
    private @Nullable Runnable close;

    Instance(SimulatedProcess process) {
      this.process = process;
    }

    void run() {
      world.trace.add(world, process.name(), "starts");
      QueueBackend queues =
          plan.shared()
              ? new ClusterBackend(cluster, faults)
              : new DiskBackend(disk, plan.level(), faults);
      backend = queues;
      DefinedService<Orders, NoEvents> service =
          DefinedService.open(
              queues,
              ServiceDefinition.of(SERVICE, Orders.PROTOCOL, NO_EVENTS, (_, _) -> _ -> {})
                  .withPartitions(plan.partitions()),
              HostedProgress.none());
      service.start();
      DataSource connections = database.of(process);
      PreparedOutbox<Orders> outbox = new PreparedOutbox<>(connections, service);
      close =
          () -> {
            outbox.close();
            service.close();
            queues.close();
          };
      for (int i = 0; i < plan.senders(); i++) {
        Thread.ofVirtual().name("sender-" + i).start(() -> send(connections, outbox.calls()));
      }
    }

    boolean runs() {
      return close != null && !stopping && !process.isDead() && !process.isFrozen();
    }

    /** What an operator does whose disk failed, and works again. */
    void restartIfItsDiskFailed() {
      if (backend instanceof DiskBackend opened && opened.hasFailed()) {
        crash(this, "its disk failed");
      }
    }

    /** Ends as a process that is asked to. */
    void stops() {
      Runnable closing = close;
      if (closing != null && runs()) {
        stopping = true;
        world.trace.add(world, process.name(), "stops");
        process.start(
            "stop",
            () -> {
              closing.run();
              world.after(0, () -> crash(this, "it has stopped"));
            });
      }
    }

    private void send(DataSource connections, TransactionalCalls<Orders> calls) {
      JdbcTemplate jdbc = new JdbcTemplate(connections);
      TransactionTemplate transaction =
          new TransactionTemplate(new JdbcTransactionManager(connections));
      while (attempts < plan.statements()) {
        Machine.park(world.shortTime(2 * plan.meanPauseNanos()));
        long number = ++attempts;
        try {
          transaction.executeWithoutResult((TransactionStatus status) -> {
            jdbc.update("insert into effects (number) values (?)", number);
            String customer = Long.toString(number % CUSTOMERS);
            numbers.put(calls.send(customer, it -> it.place(number)), number);
            if (world.chance(ROLLED_BACK)) {
              status.setRollbackOnly();
            }
          });
          world.trace.add(world, process.name(), "sent %d", number);
        } catch (RuntimeException e) {
          world.trace.add(world, process.name(), "in doubt %d: %s", number, e);
        }
      }
      sending--;
    }
  }
}
