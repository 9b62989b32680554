/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import io.forebay.call.Message;
import io.forebay.jdbc.Receipt;
import io.forebay.jdbc.Rows;
import io.forebay.jdbc.SqlFailed;
import io.forebay.jdbc.gateway.JDBCService;
import io.forebay.jdbc.gateway.Pending;
import io.forebay.jdbc.gateway.PreparedGateway;
import io.forebay.jdbc.gateway.StatementClient;
import io.forebay.machine.Machine;
import io.forebay.queue.Appender;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueRefused;
import io.forebay.service.ServiceOptions;
import io.forebay.service.ServiceState;
import io.forebay.service.progress.Checksum;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A history of a gateway, on the queues of one host or in several instances on those of a cluster:
 * senders, crashes and stops of processes and hosts, and a database and brokers that are not always
 * there. At the end all faults stop, and everything must be performed and answered.
 */
final class GatewayHistory extends History {

  static final String GATEWAY = "main";

  private static final long MOST_STEPS = 400_000;
  private static final String THOUSAND = "x".repeat(1_000);
  private static final long LONGEST_TROUBLE = 5_000_000_000L;
  private static final long CALM = 600_000_000_000L;
  private static final long STANDSTILL = 100_000_000_000L;

  private static final int LOOK_EVERY = 200;

  /** When something is tried again that was not possible. */
  private static final long ACCIDENT_AGAIN = 50_000_000;

  private static final long A_MOMENT = 100_000;

  /** So many transient errors of the same statement do not happen by chance. */
  private static final int TRIES = 10;

  /** How often a drained gateway starts once more with the old backend. */
  private static final double STARTED_BY_MISTAKE = 0.5;

  /** How often a failure of the power also takes the database away. */
  private static final double ALSO_THE_DATABASE = 0.4;

  /** What a gateway says whose queue lost messages that it performed; an operator decides. */
  private static final String WENT_BACK =
      "see docs/operations.md, \"A queue returned to an older state\"";

  private final Plan plan;
  private final Accident accident;
  private final List<Sent> sent = new ArrayList<>();
  private final List<Instance> instances = new ArrayList<>();

  /** The positions up to which answers were in an out-queue that is not there any more. */
  private final Map<Integer, Long> movedAway = new HashMap<>();

  private int powerFailures;
  private int generation;
  private boolean shared;
  private boolean draining;
  private int troublesLeft;

  private GatewayHistory(World world, Plan plan, SimulatedDatabase database) {
    super(world, plan, database, LOOK_EVERY);
    this.plan = plan;
    this.shared = plan.shared();
    this.accident = plan.accident();
    Plan.of(world.random); // the plan of a seed begins its random numbers
  }

  /** Runs the history of a seed. */
  static Outcome run(long seed, SimulatedDatabase database, boolean traced) throws SQLException {
    return run(Replay.of(seed), database, traced);
  }

  /** Runs a history. */
  static Outcome run(Replay replay, SimulatedDatabase database, boolean traced)
      throws SQLException {
    GatewayHistory history =
        new GatewayHistory(new World(replay.seed(), new Trace(traced)), replay.plan(), database);
    history.run();
    return history.outcome(replay.seed());
  }

  private void run() throws SQLException {
    database.begin(world, faults);
    troublesLeft = plan.troubles() + (accident == Accident.NONE ? 0 : 1);
    boolean settled = false;
    try {
      startAll();
      for (int i = 0; i < plan.troubles(); i++) {
        world.after(world.random.nextLong(plan.troublesWithinNanos()), this::trouble);
      }
      if (accident != Accident.NONE) {
        world.after(
            accident == Accident.UNANSWERED_DAMAGE ? 0 : world.random.nextLong(LONGEST_TROUBLE / 5),
            this::accident);
      }
      world.run("all is sent", MOST_STEPS, () -> look(() -> troublesLeft == 0 && isSent()));
      world.trace.add(world, "world", "no more faults");
      faults.end();
      long until = world.nanos() + CALM;
      world.run(
          "all is performed and answered",
          MOST_STEPS,
          () -> look(() -> isSettled() || world.nanos() > until || hasFailed()));
      settled = isSettled();
      if (!settled && waitsForAnOperator()) {
        world.trace.add(world, "world", "it waits for an operator");
      } else if (!settled) {
        violations.add("not settled: " + instances.stream().map(Instance::state).toList());
      }
    } catch (World.Stuck e) {
      violations.add("stuck: " + e.getMessage());
    } finally {
      world.trace.add(world, "world", "the end");
      instances.forEach(it -> it.process.end());
      database.end();
    }
    if (violations.isEmpty()) {
      new Checker(plan, List.of(disk, cluster), database, sent, powerFailures)
          .check(violations, settled);
    }
  }

  private void startAll() {
    for (int i = 0; i < (shared ? Math.max(1, plan.instances()) : 1); i++) {
      instances.add(start(new SimulatedProcess(world, nextName())));
    }
  }

  private StoredMessages queues() {
    return shared ? cluster : disk;
  }

  /** Looks after the instances that an accident has stopped, before each question. */
  @Override
  boolean look(BooleanSupplier question) {
    return super.look(() -> {
      if (accident != Accident.NONE) {
        List.copyOf(instances).forEach(Instance::restartIfItsDiskFailed);
        List.copyOf(instances).forEach(Instance::operate);
        if (draining) {
          drain();
        }
      }
      return question.getAsBoolean();
    });
  }

  /** Rows without what makes them long. */
  static String text(Rows rows) {
    return "rows " + rows.values().toString().replace(THOUSAND, "");
  }

  private boolean isSent() {
    instances.forEach(Instance::restartIfItsDiskFailed);
    return sent.size() >= plan.statements()
        && instances.stream()
            .allMatch(it -> !it.process.isDead() && (it.sendersLeft == 0 || it.hasFailed()));
  }

  private boolean hasFailed() {
    return instances.stream().anyMatch(Instance::hasFailed);
  }

  /** At level PROCESS a host may lose messages that were performed; a gateway may notice it. */
  private boolean waitsForAnOperator() {
    boolean mayLoseMessages = accident == Accident.TAIL_CUT || !plan.durable() && powerFailures > 0;
    return mayLoseMessages && instances.stream().anyMatch(it -> it.state().contains(WENT_BACK));
  }

  /** Whether the database has performed, and the out-queue answered, the last message of each. */
  private boolean isSettled() {
    instances.forEach(Instance::restartIfItsDiskFailed);
    if (draining
        || troublesLeft > 0
        || !isCompared()) { // the power may have taken messages that were performed
      return false;
    }
    for (int i = 0; i < plan.partitions(); i++) {
      NavigableMap<Long, byte[]> in = queues().messages(GATEWAY + ".in", i);
      NavigableMap<Long, byte[]> out = queues().messages(GATEWAY + ".out", i);
      if (!isAdopted(i) || isAheadOfItsTopic(i)) {
        return false;
      }
      if (!in.isEmpty()
          && (!isAnswered(out, i, in.lastKey()) || database.nextPosition(i) <= in.lastKey())) {
        return false;
      }
    }
    return instances.stream().noneMatch(it -> it.process.isDead() || it.hasFailed());
  }

  /** An election cut off what was performed; the gateway notices it when it reads again. */
  private boolean isAheadOfItsTopic(int partition) {
    NavigableMap<Long, byte[]> in = queues().messages(GATEWAY + ".in", partition);
    return accident == Accident.TAIL_CUT
        && database
            .read(
                "select last_position, last_checksum from forebay.outcome where partition_id = "
                    + partition
                    + " and last_position is not null order by to_position desc limit 1",
                last -> isMessage(in.get(last.getLong(1)), last.getLong(2)))
            .contains(false);
  }

  private static boolean isMessage(byte @Nullable [] stored, long checksum) {
    return stored != null && new Checksum().of(ByteBuffer.wrap(stored)) == checksum;
  }

  /** Whether the progress is that of the backend of now. */
  private boolean isAdopted(int partition) {
    return accident != Accident.SWITCH
        || database
            .read(
                "select queue_id from forebay.progress where partition_id = " + partition,
                row -> row.getString(1))
            .stream()
            .allMatch(it -> it.startsWith(queues().backend()));
  }

  /** Whether a message has its answer, safely; at level PROCESS the power may have taken it. */
  private boolean isAnswered(NavigableMap<Long, byte[]> out, int partition, long position) {
    if (position < movedAway.getOrDefault(partition, 0L)) {
      return true;
    }
    if (!plan.durable()) {
      return powerFailures > 0 || !out.isEmpty() && answered(out, partition) >= position;
    }
    Disk.Stored stored = disk.stored(GATEWAY + ".out");
    boolean forced = shared || stored != null && stored.partitions.get(partition).isForced();
    return forced && !out.isEmpty() && answered(out, partition) >= position;
  }

  /** The position of the last message that has an answer. */
  private static long answered(NavigableMap<Long, byte[]> out, int partition) {
    Map.Entry<Long, byte[]> last = out.lastEntry();
    Message message =
        Message.peek(GATEWAY + ".out", partition, last.getKey(), ByteBuffer.wrap(last.getValue()));
    return message.source().orElse(-1) + message.sources() - 1;
  }

  private String nextName() {
    return "process" + ++generation;
  }

  private Instance start(SimulatedProcess process) {
    Instance started = new Instance(process);
    started.process.start("main", started::run);
    return started;
  }

  private void trouble() {
    troublesLeft--;
    Instance instance = instances.get(world.random.nextInt(instances.size()));
    Trouble trouble = Trouble.of(world.random.nextInt(Trouble.shares()));
    if (!plan.kindsOfTrouble().contains(trouble)) {
      return;
    }
    switch (trouble) {
      case DATABASE_RESTARTS -> {
        world.trace.add(world, "world", "the database restarts");
        database.restart();
      }
      case PROCESS_STOPS -> instance.stops();
      case PROCESS_FREEZES -> instance.process.freeze(world.shortTime(20_000_000_000L));
      case DATABASE_IS_AWAY -> databaseIsAway();
      case DATABASE_STANDS_STILL -> databaseStandsStill();
      case BROKERS_ARE_AWAY -> {
        world.trace.add(world, "world", "the brokers are away");
        cluster.away(true);
        world.after(world.shortTime(30_000_000_000L), () -> cluster.away(false));
      }
      case CLOCK_JUMPS -> instance.process.clockJumps();
      case PROCESS_IS_KILLED -> crash(instance, "by chance");
    }
  }

  private void tailIsCut() {
    troublesLeft--;
    Cluster.Topic topic = cluster.topic(GATEWAY + ".in");
    if (topic == null) {
      return; // no process has started yet
    }
    Cluster.Log log = topic.partitions.getFirst();
    long at = log.end - world.random.nextLong(1 + Math.min(3, log.end));
    world.trace.add(world, "world", "an election cuts %s.in/0 at %d", GATEWAY, at);
    sent.stream()
        .flatMap(it -> it.attempts.stream())
        .filter(it -> it.receipt != null && it.receipt.partition() == 0)
        .filter(it -> it.receipt.position() >= at)
        .forEach(it -> it.acknowledged = -1); // the operator has given it up
    log.cut(at);
  }

  private void accident() {
    switch (accident) {
      case DAMAGE, UNANSWERED_DAMAGE -> damage();
      case TAIL_CUT -> {
        instances.forEach(it -> crash(it, "all brokers lose their power"));
        world.after(world.random.nextLong(LONGEST_TROUBLE), this::tailIsCut);
      }
      case QUEUE_RETURNS, DATABASE_RETURNS -> copy();
      case SWITCH -> {
        world.trace.add(world, "world", "an operator drains the gateway");
        troublesLeft -= draining ? 1 : 0; // it is being drained
        draining = true;
      }
      case NONE -> throw new IllegalStateException("no accident");
    }
  }

  /** Copies the files of the queues, or the rows of the database, which replace newer ones soon. */
  private void copy() {
    if (!isCompared()) { // messages of such a copy may be performed a second time
      if (world.nanos() < 10 * LONGEST_TROUBLE) {
        world.after(ACCIDENT_AGAIN, this::copy);
      } else {
        troublesLeft--;
      }
      return;
    }
    world.trace.add(world, "world", "everything is copied");
    List<Disk.Stored> queues = disk.copy();
    Map<String, List<List<@Nullable Object>>> rows = database.copy();
    world.after(
        world.shortTime(LONGEST_TROUBLE / 2),
        () -> {
          if (accident == Accident.QUEUE_RETURNS) {
            queueReturns(queues);
          } else {
            whenNobodyWrites(() -> databaseReturns(rows));
          }
        });
  }

  private boolean isCompared() {
    Disk.Stored in = disk.stored(GATEWAY + ".in");
    return shared || in != null && in.isCompared();
  }

  private void queueReturns(List<Disk.Stored> copy) {
    troublesLeft--;
    crash(instances.getFirst(), "its queues are restored");
    boolean both = plan.durable() && world.chance(0.5);
    for (Disk.Stored stored : copy) {
      if (both && stored.name.endsWith(".in")) {
        for (int i = 0; i < plan.partitions(); i++) {
          answersAreGone(i);
        }
      }
      if (both || stored.name.endsWith(".in")) {
        world.trace.add(world, "world", "%s returns to %s", stored.name, stored.ends());
        disk.restore(stored);
      }
    }
  }

  /** The runbook of a queue whose original files are still there. */
  private void takeBack(Instance instance, List<Integer> partitions) {
    if (!partitions.isEmpty() && kill(instance, "an operator takes its files back")) {
      partitions.forEach(it -> disk.takeBack(GATEWAY + ".in", it));
      startAgain(instance);
    }
  }

  private void databaseReturns(Map<String, List<List<@Nullable Object>>> copy) {
    world.trace.add(world, "world", "the database returns");
    database.restore(copy);
    Set<String> keys = database.keys();
    sent.stream()
        .filter(it -> !keys.contains(Calls.key(it.number)))
        .forEach(it -> it.keyIsLost = true);
    // a gateway without statements notices it at its next start
    world.after(
        world.shortTime(20_000_000_000L),
        () -> {
          troublesLeft--;
          List.copyOf(instances).forEach(it -> crash(it, "after its database"));
        });
  }

  private void moveAnswersAway() {
    for (int i = 0; i < plan.partitions(); i++) {
      answersAreGone(i);
    }
    disk.moveAway(GATEWAY + ".out");
    cluster.delete(GATEWAY + ".out");
  }

  /** Nobody writes answers again that are safe as far as the ledger knows. */
  private void answersAreGone(int partition) {
    NavigableMap<Long, byte[]> out = queues().messages(GATEWAY + ".out", partition);
    long answered = out.isEmpty() ? 0 : answered(out, partition) + 1;
    movedAway.merge(partition, Math.min(database.nextPosition(partition), answered), Math::max);
  }

  /** The runbook of a database that returned to an older state. */
  private void performAgain() {
    world.trace.add(world, "world", "an operator lets it perform statements again");
    List<Instance> stopped =
        instances.stream().filter(it -> kill(it, "an operator stops it")).toList();
    moveAnswersAway();
    Disk.Stored in = disk.stored(GATEWAY + ".in");
    if (in != null) {
      in.partitions.forEach(it -> it.passed.clear());
    }
    stopped.forEach(this::startAgain);
  }

  /** "With several instances, stop all but one": an instance drains only what it owns. */
  private void drain() {
    List.copyOf(instances.subList(1, instances.size())).forEach(Instance::leaves);
    Instance last = instances.getFirst();
    if (instances.size() > 1 || !last.isRunning()) {
      return;
    }
    last.drain();
    if (last.drained().size() == plan.partitions()) {
      draining = false;
      if (world.chance(STARTED_BY_MISTAKE)) {
        acceptAgain();
      } else {
        switchBackend();
      }
    }
  }

  /** All instances start once more with the old backend, perhaps while the database is away. */
  private void acceptAgain() {
    if (world.chance(0.7)) {
      databaseIsAway();
    }
    List.copyOf(instances).forEach(it -> crash(it, "by mistake with the old backend"));
    world.after(world.random.nextLong(2_000_000_000L), this::switchBackend);
  }

  private void switchBackend() {
    troublesLeft--;
    startOnTheOtherBackend();
    if (world.chance(0.5)) {
      troublesLeft++;
      world.after(world.random.nextLong(LONGEST_TROUBLE), this::accident);
    }
  }

  private void startOnTheOtherBackend() {
    world.trace.add(world, "world", "the backend changes");
    instances.forEach(it -> kill(it, "an operator stops it"));
    instances.clear();
    shared = !shared;
    startAll();
  }

  /** What an operator does if the former backend was not drained. */
  private void drainTheFormerBackend() {
    troublesLeft += draining ? 0 : 1;
    draining = true;
    startOnTheOtherBackend();
  }

  /** An administrator waits for transactions that are still open. */
  private void whenNobodyWrites(Runnable action) {
    if (database.isBeingWritten()) {
      world.after(ACCIDENT_AGAIN, () -> whenNobodyWrites(action));
    } else {
      action.run();
    }
  }

  /** The disk of the host loses some messages, which its process does not survive. */
  private void damage() {
    Instance instance = instances.getFirst();
    if (accident == Accident.UNANSWERED_DAMAGE
        && !awaitsAnAnswer()
        && world.nanos() < LONGEST_TROUBLE) {
      world.after(A_MOMENT, this::damage);
      return;
    }
    if (!kill(instance, "its disk is damaged")) {
      world.after(ACCIDENT_AGAIN, this::damage);
      return;
    }
    whenNobodyWrites(() -> {
      troublesLeft--;
      damageMessages();
      startAgain(instance);
    });
  }

  /** Whether a statement was performed and not answered. */
  private boolean awaitsAnAnswer() {
    for (int i = 0; i < plan.partitions(); i++) {
      NavigableMap<Long, byte[]> out = queues().messages(GATEWAY + ".out", i);
      if (!out.isEmpty() && answered(out, i) < database.nextPosition(i) - 2) {
        return true;
      }
    }
    return false;
  }

  private void damageMessages() {
    String queue = GATEWAY + (accident != Accident.DAMAGE || world.chance(0.7) ? ".in" : ".out");
    Disk.Stored stored = disk.stored(queue);
    if (stored == null) {
      return;
    }
    int partition = world.random.nextInt(plan.partitions());
    List<Long> positions = new ArrayList<>(stored.partitions.get(partition).messages.keySet());
    if (queue.endsWith(".in")) {
      positions.removeIf(it -> !mayBeDamaged(partition, it));
    } else if (!positions.isEmpty()) {
      positions.removeLast(); // an answer that is the newest one may be written again
    }
    int first = positions.isEmpty() ? 0 : world.random.nextInt(positions.size());
    int count = 1 + world.random.nextInt(2);
    positions.stream().skip(first).limit(count).forEach(it -> damage(stored, partition, it));
  }

  private boolean mayBeDamaged(int partition, long position) {
    NavigableMap<Long, byte[]> out = queues().messages(GATEWAY + ".out", partition);
    long answered = out.isEmpty() ? -1 : answered(out, partition);
    boolean awaitsItsAnswer = position < database.nextPosition(partition) && position > answered;
    return awaitsItsAnswer || accident == Accident.DAMAGE;
  }

  private void damage(Disk.Stored stored, int partition, long position) {
    world.trace.add(
        world, "world", "%s loses %d of partition %d", stored.name, position, partition);
    stored.partitions.get(partition).damage(position);
  }

  private void databaseStandsStill() {
    world.trace.add(world, "world", "the database stands still");
    database.standsStillFor(world.random.nextLong(STANDSTILL));
  }

  /** The process dies; perhaps its host loses its power, too. Another process starts soon. */
  private void crash(Instance instance, String why) {
    if (kill(instance, why)) {
      startAgain(instance);
    }
  }

  /** Returns whether it was alive. */
  private boolean kill(Instance instance, String why) {
    if (instance.process.isDead()) {
      return false;
    }
    instance.process.kill(why);
    disk.released();
    if (!shared && world.chance(plan.powerFailures())) {
      powerFailures++;
      world.trace.add(world, "world", "the power fails");
      disk.loseWhatIsNotForced(world.random);
      if (world.chance(ALSO_THE_DATABASE)) {
        databaseIsAway();
      }
    }
    return true;
  }

  private void startAgain(Instance instance) {
    world.after(
        world.shortTime(500_000_000),
        () -> {
          if (instances.contains(instance)) { // or it was replaced, with the backend
            SimulatedProcess next = instance.process.next(nextName());
            instances.set(instances.indexOf(instance), start(next));
          }
        });
  }

  /** A process with the gateway and its senders. */
  private final class Instance {

    private final SimulatedProcess process;
    private int sendersLeft = plan.senders();
    private boolean stopping;
    private boolean drains;
    private @Nullable QueueBackend backend;
    private @Nullable JDBCService service;

    Instance(SimulatedProcess process) {
      this.process = process;
    }

    void run() {
      world.trace.add(world, process.name(), "starts");
      process.onFatal(why -> crash(this, why));
      QueueBackend opened =
          shared
              ? new ClusterBackend(cluster, faults)
              : new DiskBackend(disk, plan.level(), faults);
      backend = opened;
      JDBCService made =
          PreparedGateway.builder(GATEWAY)
              .queues(opened, plan.partitions())
              .dataSource(database.of(process))
              .migrate(database.of(process))
              .tries(TRIES)
              .acceptText(true)
              .options(
                  ServiceOptions.defaults()
                      .withMaxBatch(plan.maxBatch())
                      .withIdle(Plan::idle)
                      .withRetry(Duration.ofMillis(50), Duration.ofSeconds(2)))
              .build();
      StatementClient client = made.createClient();
      service = made;
      made.start();
      for (int i = 0; i < plan.senders(); i++) {
        Thread.ofVirtual().name("sender-" + i).start(() -> send(made, client));
      }
    }

    /** What an operator does whose disk failed, and works again. */
    void restartIfItsDiskFailed() {
      if (backend instanceof DiskBackend opened && opened.hasFailed()) {
        crash(this, "its disk failed");
      }
    }

    /** What an operator does whose gateway has failed. */
    void operate() {
      JDBCService started = service;
      if (started == null || stopping || !hasFailed()) {
        return;
      }
      switch (accident) {
        case DAMAGE, UNANSWERED_DAMAGE, QUEUE_RETURNS -> {
          if (Operator.setsAside(started)) {
            world.trace.add(world, process.name(), "its damage is set aside");
            restart();
          }
          takeBack(this, Operator.othersInPlace(started));
        }
        case DATABASE_RETURNS -> {
          if (Operator.databaseReturned(started)) {
            performAgain();
          }
        }
        case SWITCH -> {
          if (Operator.notDrained(started)) {
            drainTheFormerBackend();
          }
        }
        case TAIL_CUT, NONE -> {}
      }
    }

    boolean isRunning() {
      JDBCService started = service;
      return !process.isDead() && !stopping && started != null && started.isRunning();
    }

    void drain() {
      if (!drains) {
        drains = true;
        process.start("drain", () -> drain(Objects.requireNonNull(service)));
      }
    }

    private void drain(JDBCService started) {
      try {
        started.drain(Duration.ofMinutes(10));
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    private Set<Integer> drained() {
      Set<Integer> drained = new TreeSet<>();
      JDBCService started = service;
      if (started != null) {
        started
            .states()
            .forEach((partition, state) -> {
              if (state.phase() == ServiceState.Phase.DRAINED) {
                drained.add(partition);
              }
            });
      }
      return drained;
    }

    private void restart() {
      if (world.chance(0.5)) {
        stops();
      } else {
        crash(this, "an operator restarts it");
      }
    }

    String state() {
      JDBCService started = service;
      Throwable failure = process.failure();
      return failure != null
          ? failure.toString()
          : started == null ? "starting" : started.toString();
    }

    boolean hasFailed() {
      JDBCService started = service;
      if (process.isDead() || stopping) {
        return false; // another one starts soon
      }
      return process.failure() != null
          || started != null && started.state().phase() == ServiceState.Phase.FAILED;
    }

    /** Ends as a process that is asked to. */
    void stops() {
      JDBCService started = service;
      if (started == null || stopping || process.isDead()) {
        return;
      }
      stopping = true;
      world.trace.add(world, process.name(), "stops");
      process.start(
          "stop",
          () -> {
            started.close();
            world.trace.add(world, process.name(), "stopped");
            world.after(0, () -> crash(this, "it has stopped"));
          });
    }

    /** Stops, and does not start again. */
    void leaves() {
      if (process.isDead()) {
        instances.remove(this);
      } else {
        stops();
      }
    }

    private void send(JDBCService gateway, StatementClient client) {
      try {
        while (sent.size() < plan.statements()) {
          Machine.sleep(Duration.ofNanos(world.shortTime(2 * meanPauseNanos())));
          Sent next = next();
          Sent.Attempt attempt = next.attempt(Objects.requireNonNull(backend).name());
          try {
            if (next.kind.foreign()) {
              sendForeign(gateway, next, attempt);
            } else {
              send(client, next, attempt);
            }
          } catch (QueueRefused e) {
            attempt.refused = true;
            world.trace.add(world, process.name(), "%s is refused: %s", next, e.reason());
            Machine.sleep(Duration.ofMillis(100));
          } catch (QueueFailed | TimeoutException e) {
            world.trace.add(world, process.name(), "%s is in doubt: %s", next, e);
          }
        }
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      } catch (IllegalStateException e) {
        if (!stopping) {
          throw e;
        }
      }
      sendersLeft--;
    }

    /** With an accident, there should be statements before and after it. */
    private long meanPauseNanos() {
      return accident == Accident.TAIL_CUT
          ? 1_000_000_000
          : (accident == Accident.NONE || accident == Accident.UNANSWERED_DAMAGE ? 1 : 20)
              * plan.meanPauseNanos();
    }

    private void send(StatementClient client, Sent next, Sent.Attempt attempt)
        throws InterruptedException, TimeoutException {
      Pending<?> pending = Calls.send(client, next);
      attempt.receipt = pending.receiptIfKnown().orElse(null);
      world.trace.add(world, process.name(), "sends %s", next);
      pending.whenComplete((result, failure) -> received(next, attempt, result, failure));
      pending.awaitAccepted(shortWait());
      acknowledged(next, attempt, pending.receipt());
    }

    private Sent next() {
      List<Sent> unanswered =
          sent.stream().filter(it -> it.kind.keyed() && !it.isAnswered()).toList();
      if (!unanswered.isEmpty() && world.chance(0.3)) {
        return unanswered.get(world.random.nextInt(unanswered.size()));
      }
      Kind kind = plan.kinds().get(world.random.nextInt(plan.kinds().size()));
      Sent next = new Sent(sent.size() + 1, kind);
      sent.add(next);
      return next;
    }

    /** Appends a message as a program does that may write to the in-queue. */
    private void sendForeign(JDBCService gateway, Sent next, Sent.Attempt attempt)
        throws InterruptedException, TimeoutException {
      UUID id = Machine.uuid();
      int partition = world.random.nextInt(plan.partitions());
      try (Appender appender = gateway.in().appender()) {
        appender.onAcknowledged(
            (_, _, position) -> acknowledged(next, attempt, new Receipt(partition, position, id)));
        appender.append(partition, Calls.message(next, id));
        appender.await(appender.ticket(), shortWait());
      }
    }

    private void acknowledged(Sent statement, Sent.Attempt attempt, Receipt receipt) {
      attempt.receipt = receipt;
      attempt.acknowledged = powerFailures;
      world.trace.add(world, process.name(), "%s is acknowledged%s", statement, attempt.place());
    }

    private Duration shortWait() {
      return Duration.ofNanos(1 + world.random.nextLong(3_000_000_000L));
    }

    private void received(
        Sent statement,
        Sent.Attempt attempt,
        @Nullable Object result,
        @Nullable Throwable failure) {
      String text =
          switch (failure) {
            case null -> text(result);
            case SqlFailed failed -> "failed " + failed.failure().kind();
            default -> null; // the client has ended
          };
      if (text != null) {
        attempt.result = text;
        world.trace.add(world, process.name(), "%s has the result: %s", statement, text);
      }
    }

    private static String text(@Nullable Object result) {
      return switch (result) {
        case Rows rows -> GatewayHistory.text(rows);
        case List<?> counts ->
            String.join(", ", counts.stream().map(count -> "count " + count).toList());
        case null, default -> "count " + result;
      };
    }
  }
}
