/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import io.forebay.call.Message;
import io.forebay.service.progress.HostedProgress;
import io.forebay.simulation.ServicePlan.Receivers;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/**
 * A history of own services, on the queues of one host or in several instances on those of a
 * cluster: callers, receivers of answers, later stages, crashes and stops of processes and hosts,
 * and brokers and a database that are not always there. At the end all faults stop, and everything
 * must be performed, answered and received.
 */
final class ServiceHistory extends History {

  static final String FIRST = "first";
  static final String SECOND = "second";
  static final String LAST = "last";

  private static final long MOST_STEPS = 400_000;
  private static final long LONGEST_TROUBLE = 5_000_000_000L;
  private static final long CALM = 600_000_000_000L;

  /** See {@link DefinedService#result}. */
  private static final long CLOCKS_MAY_DIFFER = 300_000_000_000L;

  private static final int LOOK_EVERY = 200;

  /** So often no call is performed by chance. */
  private static final int MOST_PERFORMANCES = 30;

  /** So often no partition is opened by chance by a process that has just lost it. */
  private static final int MOST_STRAYS = 5;

  private static final long HANGS = 100_000_000_000L;

  final ServicePlan plan;
  final List<SentCall> calls = new ArrayList<>();
  final List<Performed> performed = new ArrayList<>();

  /** What an operator has given up. */
  final Set<SentCall> lostCalls = new HashSet<>();

  /** What receivers without transactions received. */
  final List<Received> received = new ArrayList<>();

  /** The results that were found by the ids of their calls. */
  final Map<UUID, Object> found = new HashMap<>();

  private final List<ServiceInstance> instances = new ArrayList<>();
  private final HostedProgress progress;
  final Hosts hosts = new Hosts();
  private final Map<String, Integer> performances = new HashMap<>();
  private int strays;
  private boolean accidentHappened;
  private boolean hung;
  private int generation;

  /** Whether a clock has jumped so far that results need not be found. */
  private boolean clocksDiffer;

  private int troublesLeft;

  /**
   * A component performed a message.
   *
   * @param turn identifies this
   */
  record Performed(long turn, String service, long number, int partition, long position, UUID id) {}

  /** A receiver got an answer. */
  record Received(int partition, long number, long turn) {}

  private ServiceHistory(World world, SimulatedDatabase database) {
    ServicePlan plan = ServicePlan.of(world.random);
    super(world, plan.base(), database, LOOK_EVERY);
    this.plan = plan;
    this.progress =
        plan.remembered() ? new RememberedProgress(plan.shared()) : HostedProgress.none();
  }

  /** Runs the history of a seed. */
  static Outcome run(long seed, SimulatedDatabase database, boolean traced) throws SQLException {
    ServiceHistory history = new ServiceHistory(new World(seed, new Trace(traced)), database);
    history.run();
    return history.outcome(seed);
  }

  private void run() throws SQLException {
    world.trace.add(world, "world", plan.toString());
    database.begin(world, faults);
    troublesLeft = plan.base().troubles();
    if (plan.slowForces()) {
      faults.forcesAreSlow();
    }
    boolean settled = false;
    try {
      for (int i = 0; i < Math.max(1, plan.base().instances()); i++) {
        instances.add(start(new SimulatedProcess(world, nextName()), i));
      }
      for (int i = 0; i < plan.base().troubles(); i++) {
        world.after(world.random.nextLong(LONGEST_TROUBLE), this::trouble);
      }
      world.run(
          "all is sent",
          MOST_STEPS,
          () -> look(() -> !violations.isEmpty() || (troublesLeft == 0 && isSent())));
      world.trace.add(world, "world", "CALM");
      faults.end();
      settle();
      if (isSettled()) {
        findResults();
        settle(); // brokers may have taken what was in doubt
      }
      settled = isSettled();
      if (!settled && violations.isEmpty()) {
        if (waitsForAnOperator()) {
          world.trace.add(world, "world", "it waits for an operator");
        } else {
          violated("not settled: %s", instances.stream().map(ServiceInstance::state).toList());
        }
      }
    } catch (World.Stuck e) {
      violated("stuck: %s", e.getMessage());
    } finally {
      instances.forEach(it -> it.process.kill("the end"));
      database.end();
      hosts.delete();
    }
    if (settled || violations.isEmpty()) {
      new ServiceChecker(this).check(settled);
    }
  }

  private void settle() {
    long until = world.nanos() + CALM;
    world.run(
        "all is performed and answered",
        MOST_STEPS,
        () ->
            look(() ->
                isSettled() || world.nanos() > until || hasFailed() || !violations.isEmpty()));
  }

  /** Asks for the results of all calls that have one, as another process may. */
  private void findResults() {
    List<UUID> ids =
        calls.stream()
            .filter(it -> it.kind == CallKind.ASK && it.id != null && isInQueue(it.id))
            .map(it -> it.id)
            .toList();
    if (!ids.isEmpty() && !clocksDiffer) {
      instances.getFirst().find(ids);
      long until = world.nanos() + CALM;
      world.run(
          "results are found",
          MOST_STEPS,
          () -> found.size() == ids.size() || world.nanos() > until);
      ids.stream()
          .filter(id -> !found.containsKey(id))
          .forEach(id -> violated("no result is found: message %s", id));
    }
  }

  private boolean isInQueue(UUID id) {
    String queue = FIRST + ".in";
    for (int i = 0; i < plan.partitions(); i++) {
      int partition = i;
      if (messages(queue, i).entrySet().stream()
          .anyMatch(it ->
              Message.peek(queue, partition, it.getKey(), ByteBuffer.wrap(it.getValue()))
                  .id()
                  .equals(id))) {
        return true;
      }
    }
    return false;
  }

  /** The messages of a partition that readers see. */
  NavigableMap<Long, byte[]> messages(String queue, int partition) {
    if (plan.shared()) {
      Cluster.Topic topic = cluster.topic(queue);
      if (topic == null) {
        return new TreeMap<>(); // no process has started it yet
      }
      Cluster.Log log = topic.partitions.get(partition);
      return log.messages.headMap(log.readable(), false);
    }
    return disk.stored(queue).partitions.get(partition).messages;
  }

  /** The position of the last message of a service that has an answer; −1 if none has. */
  long answered(String service, int partition) {
    String out = service + ".out";
    Map.Entry<Long, byte[]> last = messages(out, partition).lastEntry();
    return last == null
        ? -1
        : Message.peek(out, partition, last.getKey(), ByteBuffer.wrap(last.getValue()))
            .source()
            .orElse(-1);
  }

  /** The messages of a service that became dead letters. */
  Map<Long, UUID> letters(String service, int partition) {
    return StoredLetters.of(partition, messages(service + ".dead", partition));
  }

  NavigableMap<Long, Answer> firstAnswers(int partition) {
    return Answer.ofFirst(partition, messages(FIRST + ".out", partition));
  }

  NavigableMap<Long, Answer> secondAnswers(int partition) {
    return Answer.ofSecond(partition, messages(SECOND + ".out", partition));
  }

  /** The positions that the results of the gateway answer, in their order. */
  List<Long> answeredByLast(int partition) {
    String out = LAST + ".out";
    return messages(out, partition).entrySet().stream()
        .map(it -> Message.peek(out, partition, it.getKey(), ByteBuffer.wrap(it.getValue())))
        .map(it -> it.source().orElse(-1))
        .toList();
  }

  /**
   * A component of a partition was created, before it performs. Another process may own the
   * partition meanwhile, but soon this one must notice it.
   */
  void opened(String service, int partition) {
    if (!plan.shared()) {
      return;
    }
    Cluster.Topic topic = cluster.topic(service.equals(FIRST) ? FIRST + ".in" : FIRST + ".out");
    Cluster.Group group = cluster.group(topic, service);
    Cluster.Member owner = group.owners[partition];
    if (owner != null
        && owner.process == SimulatedProcess.current()
        && cluster.topic(service + ".out").partitions.get(partition).refusedIn
            == group.assignments[partition]) {
      violated(
          "opened again: partition %d of %s, although its answers were refused",
          partition, service);
    }
    if (owner != null && owner.process != SimulatedProcess.current() && ++strays == MOST_STRAYS) {
      violated(
          "two owners: partition %d of %s was opened again, for the %dth time, by another process than its owner",
          partition, service, strays);
    }
  }

  /** A component performs a message; returns the turn. */
  long performed(String service, long number, Message message) {
    long turn = performed.size() + 1;
    if (performances.merge(message.id() + service, 1, Integer::sum) == MOST_PERFORMANCES) {
      violated(
          "performed without end: call %d at %d/%d of %s, %d times",
          number, message.partition(), message.position(), service, MOST_PERFORMANCES);
    }
    performed.add(
        new Performed(
            turn, service, number, message.partition(), message.position(), message.id()));
    world.trace.add(
        world,
        SimulatedProcess.current().name(),
        "%s performs %d at %d/%d, turn %d",
        service,
        number,
        message.partition(),
        message.position(),
        turn);
    return turn;
  }

  private boolean ownsAll(SimulatedProcess process) {
    return Arrays.stream(cluster.group(cluster.topic(FIRST + ".in"), FIRST).owners)
        .allMatch(it -> it != null && it.process == process);
  }

  /** What a call takes, on the thread that performs it. */
  void takesTime() {
    SimulatedProcess process = SimulatedProcess.current();
    process.pause();
    if (plan.accident() == ServicePlan.Accident.CALL_HANGS
        && !hung
        && Message.current().partition() == 1
        && ownsAll(process)) {
      hung = true;
      world.trace.add(world, process.name(), "a call hangs");
      process.takes(HANGS);
    }
    if (world.chance(0.3)) {
      process.takes(world.shortTime(faults.callIsSlow() ? 20_000_000_000L : 30_000_000));
    }
  }

  HostedProgress progress() {
    return progress;
  }

  private boolean isSent() {
    instances.forEach(ServiceInstance::restartIfItsDiskFailed);
    return calls.size() >= plan.base().statements()
        && instances.stream()
            .allMatch(it -> !it.process.isDead() && (it.hasSent() || it.hasFailed()));
  }

  private boolean hasFailed() {
    return instances.stream().anyMatch(ServiceInstance::hasFailed);
  }

  /** Whether the service says what its accident is, and what to do. */
  private boolean waitsForAnOperator() {
    String text =
        switch (plan.accident()) {
          case CALL_HANGS, NONE -> null;
          case TOPIC_MADE_AGAIN ->
              plan.remembered()
                  ? "see docs/operations.md, \"A queue was lost\""
                  : "see docs/operations.md, \"A position is missing\"";
          case TAIL_CUT -> "see docs/operations.md, \"A queue returned to an older state\"";
          case ANSWERS_REFUSED -> "the brokers refuse a message that is too large";
        };
    return text != null && instances.stream().anyMatch(it -> it.state().contains(text));
  }

  private boolean isSettled() {
    instances.forEach(ServiceInstance::restartIfItsDiskFailed);
    return instances.stream().allMatch(it -> it.runs() && !it.process.isFrozen()) // may append more
        && !hasFailed()
        && isAnswered(FIRST, FIRST + ".in")
        && (plan.stages() < 2 || isAnswered(SECOND, FIRST + ".out"))
        && (plan.stages() < 3 || isPerformedByTheGateway())
        && isReceived();
  }

  /** Whether the gateway has answered the last message that has statements, safely. */
  private boolean isPerformedByTheGateway() {
    for (int i = 0; i < plan.partitions(); i++) {
      NavigableMap<Long, Answer> statements = secondAnswers(i);
      statements.values().removeIf(it -> it.calls.isEmpty());
      if (!statements.isEmpty()
          && (answered(LAST, i) < statements.lastKey() || !isForced(LAST + ".out", i))) {
        return false;
      }
    }
    return true;
  }

  private boolean isReceived() {
    for (int i = 0; i < plan.partitions() && plan.receivers() != Receivers.NONE; i++) {
      Set<Long> turns = new HashSet<>(receivedTurns(i));
      if (firstAnswers(i).values().stream().anyMatch(it -> !turns.containsAll(it.turns()))) {
        return false;
      }
    }
    return true;
  }

  /** The turns of the answers that were received, in their order. */
  List<Long> receivedTurns(int partition) {
    return plan.receivers() == Receivers.TRANSACTED
        ? database.read(
            "select turn from received where partition_id = %d order by seq".formatted(partition),
            row -> row.getLong(1))
        : received.stream().filter(it -> it.partition() == partition).map(Received::turn).toList();
  }

  /** Whether the last message of each partition has its answer, safely. */
  private boolean isAnswered(String service, String in) {
    for (int i = 0; i < plan.partitions(); i++) {
      NavigableMap<Long, byte[]> messages = messages(in, i);
      if (!messages.isEmpty()
          && (answered(service, i) < messages.lastKey()
              || !isForced(service + ".out", i)
              || !isOfTheSame(service, in, i))) {
        return false;
      }
    }
    return true;
  }

  /** Whether the last answer is that to the last message, and not to one that an accident took. */
  private boolean isOfTheSame(String service, String in, int partition) {
    return plan.accident() == ServicePlan.Accident.NONE
        || lastId(in, partition).equals(lastId(service + ".out", partition));
  }

  private UUID lastId(String queue, int partition) {
    Map.Entry<Long, byte[]> last = messages(queue, partition).lastEntry();
    return Message.peek(queue, partition, last.getKey(), ByteBuffer.wrap(last.getValue())).id();
  }

  private boolean isForced(String queue, int partition) {
    return plan.shared()
        || !plan.base().durable()
        || disk.stored(queue).partitions.get(partition).isForced();
  }

  private String nextName() {
    return "process" + ++generation;
  }

  private ServiceInstance start(SimulatedProcess process, int host) {
    ServiceInstance started = new ServiceInstance(this, process, host);
    started.process.start("main", started::run);
    return started;
  }

  private void trouble() {
    troublesLeft--;
    if (plan.accident() == ServicePlan.Accident.CALL_HANGS) {
      instances.get(world.random.nextInt(instances.size())).stops();
      return;
    }
    if (plan.accident() != ServicePlan.Accident.NONE && !accidentHappened) {
      accidentHappened = true;
      accident();
      return;
    }
    ServiceInstance instance = instances.get(world.random.nextInt(instances.size()));
    switch (world.random.nextInt(plan.usesDatabase() ? 9 : 7)) {
      case 0 -> instance.stops();
      case 1 -> instance.process.freeze(world.shortTime(20_000_000_000L));
      case 2 -> brokersAreAway();
      case 3 -> clockJumps(instance.process);
      case 7 -> database.restart();
      case 8 -> databaseIsAway();
      default -> crash(instance, "by chance");
    }
  }

  private void accident() {
    world.trace.add(world, "world", "accident %s", plan.accident());
    switch (plan.accident()) {
      case TOPIC_MADE_AGAIN -> {
        instances.forEach(it -> crash(it, "its topic is made again"));
        lostCalls.addAll(calls);
        cluster.delete(FIRST + ".in");
        cluster.open(FIRST + ".in", plan.partitions());
      }
      case TAIL_CUT -> tailIsCut();
      case ANSWERS_REFUSED -> cluster.topic(FIRST + ".out").mostBytes = 0;
      case CALL_HANGS, NONE -> throw new IllegalStateException("no accident");
    }
  }

  private void tailIsCut() {
    String queue = FIRST + ".in";
    int partition = world.random.nextInt(plan.partitions());
    Cluster.Log log = cluster.topic(queue).partitions.get(partition);
    long at = log.end - world.random.nextLong(1 + Math.min(3, log.end));
    world.trace.add(world, "world", "an election cuts %s/%d at %d", queue, partition, at);
    Set<UUID> cut = new HashSet<>();
    log.messages
        .tailMap(at, true)
        .forEach((position, bytes) ->
            cut.add(Message.peek(queue, partition, position, ByteBuffer.wrap(bytes)).id()));
    calls.stream().filter(it -> cut.contains(it.id)).forEach(lostCalls::add);
    log.cut(at);
  }

  private void clockJumps(SimulatedProcess process) {
    process.clockJumps();
    clocksDiffer |= Math.abs(process.clockIsOff()) > CLOCKS_MAY_DIFFER / 2;
  }

  private void brokersAreAway() {
    world.trace.add(world, "world", "the brokers are away");
    cluster.away(true);
    world.after(world.shortTime(30_000_000_000L), () -> cluster.away(false));
  }

  /** The process dies; perhaps its host loses its power, too. Another process starts soon. */
  void crash(ServiceInstance instance, String why) {
    if (instance.process.isDead()) {
      return;
    }
    instance.process.kill(why);
    disk.released();
    if (!plan.shared() && world.chance(plan.powerFailures())) {
      world.trace.add(world, "world", "the power fails");
      disk.loseWhatIsNotForced(world.random);
    }
    long pause = plan.accident() == ServicePlan.Accident.CALL_HANGS ? 5_000_000_000L : 0;
    world.after(
        pause + world.shortTime(500_000_000),
        () ->
            instances.set(instance.host, start(instance.process.next(nextName()), instance.host)));
  }
}
