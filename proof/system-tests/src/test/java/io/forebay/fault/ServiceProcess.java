/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import io.forebay.fault.History.Acknowledgement;
import io.forebay.fault.History.Sent;
import io.forebay.jdbc.gateway.JDBCService;
import io.forebay.queue.PartitionListener;
import io.forebay.queue.QueueBackend;
import io.forebay.service.ServiceOptions;
import io.forebay.service.ServiceState;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.postgresql.util.PSQLException;
import org.postgresql.util.PSQLState;

/**
 * A gateway service and its load in a separate process, which a test kills. A data directory
 * belongs to one process, so the load must run in the same process; it records its knowledge in a
 * {@link Journal}.
 *
 * <p>It reads commands ({@link Command}) from standard input, and writes to standard output: {@code
 * ready}, each change of the service's state, and the answers to commands. It ends at the end of
 * its input.
 */
final class ServiceProcess {

  /** The commands. */
  enum Command {
    /** Stops sending. Answered by {@code silent}. */
    SILENCE,
    /** Answered by {@code quiet} when everything accepted is performed and answered. */
    QUIET,
    /** Answered by {@code accepted}, with a number. */
    ACCEPTED,
    /**
     * Starts and stops the service repeatedly until {@link #STEADY}, while it keeps sending.
     * Answered by {@code churning}.
     */
    CHURN,
    /** Ends that. Answered by {@code steady} when the service is started. */
    STEADY,
    /** Stops sending, closes everything and ends, whatever is left to perform. */
    LEAVE,
    /** Drains, closes everything and ends. */
    DRAIN
  }

  private static final Duration DRAIN_TIMEOUT = Duration.ofSeconds(120);

  /** How many keyed statements the next process sends again although their outcome is known. */
  private static final int FORGOTTEN = 30;

  private ServiceProcess() {}

  public static void main(String[] words) throws Exception {
    ServiceArguments arguments = ServiceArguments.of(words);
    BufferedReader commands =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    try (QueueBackend backend = Queues.open(arguments.queues(), arguments.settings().level());
        Target target = Target.open(arguments.database());
        Journal journal = Journal.open(arguments.journal());
        JDBCService service =
            JDBCService.builder(ServiceArguments.SERVICE)
                .queues(backend, ServiceArguments.PARTITIONS)
                .dataSource(target.gateway())
                .migrate(target.owner())
                .acceptText(true)
                .results(arguments.settings().results())
                .options(ServiceOptions.defaults().withMaxBatch(arguments.settings().maxBatch()))
                .build()) {
      Plan plan = new Plan(arguments.seed(), arguments.process(), target.returning());
      createRows(target, plan);
      if (!service.in().shared()) {
        service.in().subscribe("fault tests", new KeepAll());
      }
      service.start();
      watch(service);
      Load load =
          new Load(service, journal, plan, arguments.settings().maxBacklog(), ServiceProcess::die);
      load.start(toSendAgain(arguments.before()));
      CountDownLatch ending = new CountDownLatch(1);
      Thread checkpoints = checkpoints(target, plan, ending);
      say("ready");
      obey(commands, service, load);
      ending.countDown();
      checkpoints.join();
    }
    say("closed");
  }

  /** Creates the rows. If the database is down, those of an earlier process must suffice. */
  private static void createRows(Target target, Plan plan) throws SQLException {
    try (Connection connection = target.owner().getConnection()) {
      target.alone(connection);
      target.createTables();
      Workload.createTally(connection, Workload.SHARED_TALLY);
      for (String list : plan.lists()) {
        Workload.createList(connection, list);
        Workload.createTally(connection, list);
      }
    } catch (PSQLException e) {
      if (!PSQLState.isConnectionError(e.getSQLState())) {
        throw e;
      }
    }
  }

  /**
   * The keyed statements that were sent but neither acknowledged nor successfully sent again, plus
   * always the last ones: a client that was killed may not remember their outcome.
   */
  private static List<Invocation> toSendAgain(List<Path> journals) {
    Sent sent = Journal.read(journals);
    Map<Long, Invocation> keyed = new LinkedHashMap<>();
    for (Invocation invocation : sent.invocations()) {
      if (invocation.kind().keyed()) {
        keyed.merge(invocation.number(), invocation, (a, b) -> a.attempt() > b.attempt() ? a : b);
      }
    }
    Set<Long> known = new HashSet<>(sent.refused());
    sent.acknowledgements().stream().map(Acknowledgement::number).forEach(known::add);
    keyed.keySet().stream().skip(Math.max(0, keyed.size() - FORGOTTEN)).forEach(known::remove);
    keyed.keySet().removeAll(known);
    return keyed.values().stream().map(Invocation::again).toList();
  }

  private static void obey(BufferedReader commands, JDBCService service, Load load)
      throws IOException, InterruptedException {
    Churn churn = new Churn(service);
    while (true) {
      String word = commands.readLine();
      if (word == null) {
        Runtime.getRuntime().halt(1); // the test has ended
        return;
      }
      switch (Command.valueOf(word)) {
        case SILENCE -> {
          load.stop();
          say("silent");
        }
        case QUIET -> {
          while (!Load.quiet(service)) {
            Thread.sleep(20);
          }
          say("quiet");
        }
        case ACCEPTED -> say("accepted " + load.accepted());
        case CHURN -> {
          churn.start();
          say("churning");
        }
        case STEADY -> {
          churn.end();
          say("steady");
        }
        case LEAVE -> {
          load.stop();
          return;
        }
        case DRAIN -> {
          load.stop();
          if (!service.drain(DRAIN_TIMEOUT)) {
            throw new IllegalStateException("not drained in " + DRAIN_TIMEOUT + ": " + service);
          }
          return;
        }
      }
    }
  }

  private static void watch(JDBCService service) {
    Thread.ofPlatform()
        .name("states")
        .daemon()
        .start(() -> {
          Map<Integer, ServiceState> last = Map.of();
          while (true) {
            Map<Integer, ServiceState> states = service.states();
            for (Map.Entry<Integer, ServiceState> state : states.entrySet()) {
              ServiceState before = last.get(state.getKey());
              if (before == null || !before.toString().equals(state.getValue().toString())) {
                say("state %d %s".formatted(state.getKey(), state.getValue()));
              }
            }
            for (Integer partition : last.keySet()) {
              if (!states.containsKey(partition)) {
                say("state %d NOT ASSIGNED".formatted(partition));
              }
            }
            last = states;
            try {
              Thread.sleep(5);
            } catch (InterruptedException e) {
              return;
            }
          }
        });
  }

  /**
   * Runs checkpoints, so that kills occasionally hit one. An interrupt would not end them: within a
   * checkpoint the database swallows it.
   */
  private static Thread checkpoints(Target target, Plan plan, CountDownLatch ending) {
    RandomGenerator random = plan.random(Load.Sender.values().length);
    return Thread.ofPlatform()
        .name("checkpoints")
        .daemon()
        .start(() -> {
          try {
            while (!ending.await(random.nextInt(50, 800), TimeUnit.MILLISECONDS)) {
              target.checkpoint();
            }
          } catch (InterruptedException e) {
            // the process ends
          } catch (SQLException e) {
            die(e);
          }
        });
  }

  private static void die(Throwable cause) {
    cause.printStackTrace();
    say("load failed " + cause);
    Runtime.getRuntime().halt(3);
  }

  /** A consumer that passes no message, so that all are kept. */
  private static final class KeepAll implements PartitionListener {

    @Override
    public void assigned(int partition) {}

    @Override
    public void revoked(int partition) {}

    @Override
    public void lost(int partition) {}
  }

  private static synchronized void say(String line) {
    System.out.println(line.replace('\n', ' '));
    System.out.flush();
  }
}
