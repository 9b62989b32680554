/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import io.forebay.call.AnswerRun;
import io.forebay.call.CallReader;
import io.forebay.call.Message;
import io.forebay.call.Protocol;
import io.forebay.call.value.Aliases;
import io.forebay.jdbc.Call;
import io.forebay.jdbc.JDBCResult;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.jdbc.Receipt;
import io.forebay.jdbc.Row;
import io.forebay.jdbc.Rows;
import io.forebay.jdbc.SqlFailure;
import io.forebay.queue.MessageHandler;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Compares what the senders know with the queues and the tables at the end of a history. */
final class Checker {

  private static final String IN = GatewayHistory.GATEWAY + ".in";
  private static final String OUT = GatewayHistory.GATEWAY + ".out";
  private static final Protocol<JDBCStatement> STATEMENTS =
      Protocol.of(JDBCStatement.class, Aliases.none().with("row", Row.class));
  private static final Protocol<JDBCResult> RESULTS = Protocol.of(JDBCResult.class);

  private final Plan plan;
  private final List<StoredMessages> backends;
  private final SimulatedDatabase database;
  private final List<Sent> sent;
  private final int powerFailures;
  private final Map<Place, Accepted> accepted = new HashMap<>();
  private final Map<Place, String> answers = new HashMap<>();

  /** What was in the in-queue once, and may have been performed; see {@link StoredMessages}. */
  private final Map<Place, Set<Accepted>> gone = new HashMap<>();

  /** Which message the answers are for. */
  private final Map<Place, UUID> answered = new HashMap<>();

  /** The messages whose answers were in the out-queue once. */
  private final Set<UUID> answeredBefore = new HashSet<>();

  private List<String> violations = List.of();
  private boolean complete;

  private record Place(String backend, int partition, long position) {}

  private record Accepted(long number, UUID id) {}

  Checker(
      Plan plan,
      List<StoredMessages> backends,
      SimulatedDatabase database,
      List<Sent> sent,
      int powerFailures) {
    this.plan = plan;
    this.backends = backends;
    this.database = database;
    this.sent = sent;
    this.powerFailures = powerFailures;
  }

  /**
   * @param complete whether everything should be performed and answered
   */
  void check(List<String> into, boolean complete) {
    violations = into;
    this.complete = complete;
    backends.forEach(this::read);
    acknowledgedIsInTheQueue();
    everyMessageIsAnsweredOnce();
    if (!complete && !mayHaveLost()) {
      noMessageIsSkipped();
    }
    effectsAreThereOnce();
    effectsHaveTheOrderOfTheQueue();
    sendersReceivedTheRightResults();
    eachKeyHasOneResult();
  }

  private void eachKeyHasOneResult() {
    for (Sent statement : sent) {
      if (statement.kind.keyed() && !statement.keyIsLost) {
        Set<String> results = new TreeSet<>();
        statement.attempts.stream()
            .map(it -> it.result)
            .filter(Objects::nonNull)
            .forEach(results::add);
        accepted.forEach((place, message) -> {
          if (message.number == statement.number && message.id.equals(answered.get(place))) {
            results.add(answers.get(place));
          }
        });
        if (results.size() > 1) {
          violated("two results of a key: %s has %s", statement, results);
        }
      }
    }
  }

  private void violated(String what, Object... arguments) {
    violations.add(what.formatted(arguments));
  }

  private void read(StoredMessages queues) {
    String backend = queues.backend();
    for (int i = 0; i < plan.partitions(); i++) {
      int partition = i;
      readStatements(
          queues.messages(IN, partition).entrySet(),
          partition,
          (position, number) ->
              accepted.put(
                  new Place(backend, partition, position),
                  new Accepted(number, Message.current().id())));
      readStatements(
          queues.gone(IN, partition),
          partition,
          (position, number) ->
              gone.computeIfAbsent(new Place(backend, partition, position), _ -> new HashSet<>())
                  .add(new Accepted(number, Message.current().id())));
      readAnswers(
          queues.messages(OUT, partition).entrySet(),
          partition,
          new Results(backend, answers, answered));
      queues
          .gone(OUT, partition)
          .forEach(message -> {
            Map<Place, UUID> one = new HashMap<>();
            readAnswers(List.of(message), partition, new Results(backend, new HashMap<>(), one));
            answeredBefore.addAll(one.values());
          });
    }
  }

  private static void readStatements(
      Collection<Map.Entry<Long, byte[]>> messages,
      int partition,
      BiConsumer<Long, Long> received) {
    CallReader<JDBCStatement> reader = STATEMENTS.reader(IN, new Statements(received));
    messages.forEach(
        message -> reader.read(partition, message.getKey(), ByteBuffer.wrap(message.getValue())));
    Message.clear();
  }

  private static void readAnswers(
      Collection<Map.Entry<Long, byte[]>> messages, int partition, Results results) {
    CallReader<JDBCResult> reader = RESULTS.reader(OUT, results);
    MessageHandler handler = AnswerRun.singly(OUT, partition, reader.handler(partition));
    messages.forEach(message ->
        handler.handle(message.getKey(), ByteBuffer.wrap(message.getValue()).asReadOnlyBuffer()));
    Message.clear();
  }

  /** An acknowledged statement may be lost only at level PROCESS, and only with the power. */
  private boolean isSafe(Sent.Attempt attempt) {
    return attempt.acknowledged >= 0 && (plan.durable() || attempt.acknowledged == powerFailures);
  }

  /** At level PROCESS, messages and results are lost with the power. */
  private boolean mayHaveLost() {
    return !plan.durable() && powerFailures > 0;
  }

  private boolean isInQueue(Sent statement, Sent.Attempt attempt) {
    Receipt receipt = Objects.requireNonNull(attempt.receipt);
    Place place = new Place(attempt.backend, receipt.partition(), receipt.position());
    Accepted there = accepted.get(place);
    return (there != null && there.number == statement.number)
        || wasAt(place).stream().anyMatch(it -> it.number == statement.number);
  }

  private Set<Accepted> wasAt(Place place) {
    return gone.getOrDefault(place, Set.of());
  }

  private boolean isGone(long number) {
    return gone.values().stream().flatMap(Set::stream).anyMatch(it -> it.number == number);
  }

  /** Whether the answer to a place is that to a message which once was there, and is not now. */
  private boolean answersWhatWasAt(Place place) {
    return wasAt(place).stream().anyMatch(it -> it.id.equals(answered.get(place)));
  }

  private void acknowledgedIsInTheQueue() {
    for (Sent statement : sent) {
      for (Sent.Attempt attempt : statement.attempts) {
        if (isSafe(attempt) && !isInQueue(statement, attempt)) {
          violated("lost: %s was acknowledged at %s", statement, attempt.receipt);
        }
      }
    }
  }

  private void everyMessageIsAnsweredOnce() {
    accepted.forEach((place, message) -> {
      String answer = answers.get(place);
      Kind kind = sent.get((int) message.number - 1).kind;
      if (answer == null) {
        if (mayHaveLost() || !complete || answeredBefore.contains(message.id)) {
          return;
        }
        violated("no result: statement %d at %s", message.number, place);
      } else if (!message.id.equals(answered.get(place))
          && (mayHaveLost() || !complete && answersWhatWasAt(place))) {
        return; // it answers a message that was lost here
      } else if (!kind.mayAnswer(answer)) {
        violated("wrong result: %s of statement %d %s at %s", answer, message.number, kind, place);
      } else if (!message.id.equals(answered.get(place))) {
        violated("result of another message: statement %d at %s", message.number, place);
      }
    });
    answers
        .keySet()
        .forEach(place -> {
          if (!accepted.containsKey(place) && !answersWhatWasAt(place) && !mayHaveLost()) {
            violated("a result of nothing, at %s", place);
          }
        });
  }

  /** A gateway that waits for an operator has answered a part, without gaps. */
  private void noMessageIsSkipped() {
    Map<String, Place> unanswered = new HashMap<>();
    accepted.entrySet().stream()
        .sorted(Comparator.comparingLong(it -> it.getKey().position))
        .forEach(entry -> {
          Place place = entry.getKey();
          UUID id = entry.getValue().id;
          String partition = place.backend + place.partition;
          if (!id.equals(answered.get(place)) && !answeredBefore.contains(id)) {
            unanswered.putIfAbsent(partition, place);
          } else if (unanswered.containsKey(partition) && !answersWhatWasAt(place)) {
            violated("skipped: %s, but %s is answered", unanswered.get(partition), place);
          }
        });
  }

  private void effectsAreThereOnce() {
    Map<Long, Integer> effects = new HashMap<>();
    database
        .read("select number from effects", row -> row.getLong(1))
        .forEach(number -> effects.merge(number, 1, Integer::sum));
    Map<Long, Integer> messages = new HashMap<>();
    accepted.values().forEach(it -> messages.merge(it.number, 1, Integer::sum));
    for (Sent statement : sent) {
      int rows = effects.getOrDefault(statement.number, 0);
      int inQueue = messages.getOrDefault(statement.number, 0);
      int most = statement.kind.rows();
      int least = inQueue > 0 && complete ? most : 0;
      if ((rows != 0 && rows != most)
          || rows < least
          || (inQueue == 0 && rows > 0 && !mayHaveLost() && !isGone(statement.number))) {
        violated("effects: %s has %d rows, and is in the queue %d times", statement, rows, inQueue);
      }
      if (statement.kind.rows() > 0
          && rows == 0
          && complete
          && !isGone(statement.number)
          && statement.attempts.stream().anyMatch(this::isSafe)) {
        violated("no effect: %s was acknowledged", statement);
      }
    }
    long tally =
        database.read("select n from tally where name = 'a'", row -> row.getLong(1)).getFirst();
    long tallies = accepted.values().stream().filter(it -> isTally(it.number)).count();
    long attempts = sent.stream().filter(it -> isTally(it.number)).count();
    long most = tallies + sent.stream().filter(it -> isGoneTally(it.number)).count();
    if ((tally < tallies && complete) || (!mayHaveLost() && tally > most) || tally > attempts) {
      violated("tally: %d, but %d statements were performed", tally, tallies);
    }
  }

  private boolean isGoneTally(long number) {
    return isTally(number)
        && isGone(number)
        && accepted.values().stream().noneMatch(it -> it.number == number);
  }

  private boolean isTally(long number) {
    return sent.get((int) number - 1).kind == Kind.TALLY;
  }

  private void effectsHaveTheOrderOfTheQueue() {
    Map<Long, Integer> turns = new HashMap<>();
    List<Long> order =
        database.read("select number from effects order by turn", row -> row.getLong(1));
    for (int i = 0; i < order.size(); i++) {
      turns.putIfAbsent(order.get(i), i);
    }
    Map<String, Integer> last = new HashMap<>();
    accepted.entrySet().stream()
        .sorted((a, b) -> Long.compare(a.getKey().position, b.getKey().position))
        .forEach(entry -> {
          long number = entry.getValue().number;
          Integer turn = turns.get(number);
          String partition = entry.getKey().backend + entry.getKey().partition;
          if (turn == null || sent.get((int) number - 1).kind.keyed()) {
            return;
          }
          if (turn < last.getOrDefault(partition, -1)) {
            violated("order: statement %d in partition %s", number, partition);
          }
          last.put(partition, turn);
        });
  }

  private void sendersReceivedTheRightResults() {
    for (Sent statement : sent) {
      for (Sent.Attempt attempt : statement.attempts) {
        if (attempt.result != null && !statement.kind.mayAnswer(attempt.result)) {
          violated("wrong result received: %s of %s", attempt.result, statement);
        }
        if (attempt.refused && !statement.kind.keyed()) {
          if (accepted.values().stream().anyMatch(it -> it.number == statement.number)) {
            violated("refused, but in the queue: %s", statement);
          }
        }
      }
    }
  }

  /** Collects messages of the in-queue. */
  private record Statements(BiConsumer<Long, Long> received) implements JDBCStatement {

    @Override
    public void executeQuery(String query, Class<?> resultType, @Nullable Object... args) {
      add(args[0]);
    }

    @Override
    public void executeUpdate(String query, @Nullable Object... args) {
      add(args[0]);
    }

    @Override
    public void executeTogether(List<Call> calls) {
      add(calls.getFirst().args().getFirst());
    }

    private void add(@Nullable Object number) {
      received.accept(Message.current().position(), (Long) Objects.requireNonNull(number));
    }
  }

  /** Collects answers of the out-queue by the place of what they answer. */
  private final class Results implements JDBCResult {

    private final String backend;
    private final Map<Place, String> into;
    private final Map<Place, UUID> ids;
    private long lastPosition = -1;
    private int lastPartition = -1;
    private long lastSource = -1;

    Results(String backend, Map<Place, String> into, Map<Place, UUID> ids) {
      this.backend = backend;
      this.ids = ids;
      this.into = into;
    }

    @Override
    public void queryResult(Rows rows) {
      add(GatewayHistory.text(rows));
    }

    @Override
    public void queryThrown(SqlFailure failure) {
      add("failed " + failure.kind());
    }

    @Override
    public void updateResult(long count) {
      add("count " + count);
    }

    @Override
    public void updateThrown(SqlFailure failure) {
      add("failed " + failure.kind());
    }

    /** The answers to statements that took effect together are one message. */
    private void add(String outcome) {
      Message message = Message.current();
      Place place = new Place(backend, message.partition(), message.source().orElse(-1));
      boolean same = lastPartition == message.partition() && lastPosition == message.position();
      String before = into.get(place);
      if (before != null && !same) {
        violated("two results: %s has %s, %s", place, before, outcome);
      } else if (!same && lastPartition == place.partition && place.position <= lastSource) {
        violated("order: the result of %s is behind that of position %d", place, lastSource);
      }
      lastSource = place.position;
      ids.put(place, message.id());
      into.put(place, before == null ? outcome : before + ", " + outcome);
      lastPartition = message.partition();
      lastPosition = message.position();
    }
  }
}
