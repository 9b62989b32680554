/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

/**
 * A bug that can be planted in the product: a text of a source file, and what replaces it. The
 * simulation must find each of them.
 */
enum Bug {
  PROGRESS_OUTSIDE_THE_TRANSACTION(
      "the effects are committed before the progress",
      Source.TRANSACTION,
      "    CrashPoint.hit(\"after-effects\");",
      "    current.commit();"),
  LOST_COMMIT_TRIED_AGAIN(
      "after a COMMIT in doubt, the batch is performed without comparing the progress",
      Source.TRANSACTION,
      "    boolean done = ledger.begin(current) != next;",
      "    ledger.begin(current);\n    boolean done = false;"),
  LOST_COMMIT_TAKEN_FOR_DONE(
      "a COMMIT in doubt counts as committed",
      Source.TRANSACTION,
      "        failure = settle(doubt);",
      "        doubt = null;"),
  COMMITTED_BEFORE_FORCED(
      "a batch is committed before its messages are forced",
      Source.TRANSACTION,
      "    inQueue.accept(piece.to());",
      ""),
  EFFECTS_NOT_ROLLED_BACK(
      "a batch that failed is isolated without a rollback",
      Source.TRANSACTION,
      "    if (failure.leavesSession()) {\n      undo();",
      "    if (failure.leavesSession()) {"),
  OUTCOMES_NOT_KEPT(
      "outcomes are not written", Source.TRANSACTION, "      ledger.keep(current, outcomes);", ""),
  BOOKKEEPING_AFTER_THE_COMMIT(
      "outcomes are written in a transaction of their own, after the commit",
      Source.TRANSACTION,
      "    if (!atOnce) {\n      ledger.keep(",
      "    current.commit();\n    {\n      ledger.keep("),
  FIRST_ONE_BLAMED(
      "the first message of a piece fails for one of the others",
      Source.SUSPICION,
      "      return next(new Suspicion(Level.ONE_MESSAGE, end, 0, null), Retry.AT_ONCE);",
      "      return next(new Suspicion(Level.FAILS, end, 0, failure.verdict(1)), Retry.AT_ONCE);"),
  TRANSIENT_ERROR_FAILS(
      "a statement fails at its first transient error",
      Source.SUSPICION,
      "(fails() || !failure.mayPass() ? FEW : limit)",
      "1"),
  SUSPICION_NOT_RAISED(
      "a message that fails alone is tried without end",
      Source.SUSPICION,
      "    int failed = tries + 1;",
      "    int failed = 1;"),
  OUTAGE_COUNTED(
      "a message fails during an outage of the database",
      Source.SUSPICION,
      "      case AWAY -> new Next(this, Retry.LATER, asked);",
      "      case AWAY -> failedAlone(failure, 1);"),
  TIMEOUT_FAILS(
      "a statement fails at its first time-out",
      Source.PERFORMER,
      "        if (watch == null) {\n          throw watched(List.of(statement));\n        }\n        if (!watch.served()) {",
      "        if (false) {"),
  INNOCENT_POISON(
      "a message is poison after one end of the process",
      Source.ATTEMPTS,
      "    return ended >= LEAST;",
      "    return ended >= 1;"),
  POISON_OF_ANOTHER(
      "all partitions count an end of the process",
      Source.ATTEMPTS,
      "    if (!quarantine.enter(this, isSuspect())) {",
      "    if (!quarantine.enter(this, false)) {"),
  PRUNED_BEFORE_ANSWERED(
      "outcomes are deleted with the commit of the next batch",
      Source.BOOKKEEPING,
      "    if (++batchesSincePruned >= PRUNE_EVERY && answered > 0) {\n      ledger.prune(session, answered);",
      "    if (++batchesSincePruned >= 1) {\n      ledger.prune(session, to);"),
  NEWEST_OUTCOME_NOT_COMPARED(
      "a batch is performed wherever the newest outcome ends",
      Source.TRANSACTION,
      "    ledger.mustBeAt(next);",
      ""),
  NEWEST_OUTCOME_DELETED(
      "the newest outcome is deleted when it is answered",
      Source.LEDGER,
      "    pruned = Math.min(position + 1, newest);",
      "    pruned = position + 1;"),
  NO_LOCK(
      "the progress row is read and not locked",
      Source.LEDGER,
      "      session.update(LOCK_IN_HSQLDB, service, partition);",
      ""),
  KEY_NOT_REMEMBERED(
      "idempotency keys are not written",
      Source.BOOKKEEPING,
      "    idempotencyKeys.remember(session, time);",
      ""),
  KEY_FORGOTTEN_EARLY(
      "idempotency keys are deleted at once",
      Source.BOOKKEEPING,
      "    Instant passed = keys.passed(session, time, to);",
      "    Instant passed = settings.clock().wall().instant().plus(settings.requestsKept());"),
  DUPLICATE_NOT_ANSWERED(
      "the second statement with a key in a batch has no answer",
      Source.IDEMPOTENCY_KEYS,
      "        statement.answerKnown(outcome(original));",
      "        statement.answerKnown(Outcome.UNANSWERED);"),
  ANSWER_BOUNDED_TOO_LATE(
      "whether the answer to a message fits is decided after the commit",
      Source.PENDING_STATEMENT,
      "    return room == null ? AnswerRoom.BYTES : room.left(state);",
      "    return AnswerRoom.BYTES;"),
  ROWS_NOT_KEPT(
      "outcomes are kept without the rows of queries",
      Source.OUTCOME_CODEC,
      "List.of(ROWS, result.encoded());",
      "List.of(ROWS, encodeRows(new Rows(List.of(), List.of())));"),
  OUTCOMES_WITHOUT_POSITIONS(
      "outcomes are kept without the positions that have no message",
      Source.OUTCOME_CODEC,
      "List.of(run.first - next, run.messages)",
      "List.of(0L, run.messages)"),
  RECALLED_TOO_LITTLE(
      "the first outcome behind the last answer is not recalled",
      Source.RESUMPTION,
      "ledger.kept(session, lastAnswered + 1)",
      "ledger.kept(session, lastAnswered + 2)"),
  ANSWERED_TOO_FAR(
      "the answered position of the ledger is read as one more",
      Source.RESUMPTION,
      "Math.max(lastAnswered, row.answered() - 1)",
      "Math.max(lastAnswered, row.answered())"),
  ANSWERED_AGAIN(
      "the last answer is written again after a restart",
      Source.RECALL,
      "statement.recall(outcome, wantedPosition <= lastAnswered);",
      "statement.recall(outcome, wantedPosition < lastAnswered);"),
  WRONG_PARTITION(
      "the ledger of every partition is that of the first one",
      Source.LEDGER,
      "    this.partition = partition;",
      "    this.partition = 0;"),
  ANSWERS_NOT_AWAITED(
      "answers count as safe before they are forced",
      Source.SAFE_ANSWERS,
      "answers.isAcknowledged(ticket)",
      "answers.lastTicket() >= ticket"),
  POSITION_USED_TWICE(
      "a queue that lost performed messages goes on at its own end",
      Source.COMPARISON,
      "    in.skipTo(tailer.partition(), next);",
      ""),
  READ_BEHIND_THE_PROGRESS(
      "reading begins at the progress and not at the first message to recall",
      Source.COMPARISON,
      "      tailer.seek(progress.readFrom());",
      "      tailer.seek(progress.next());"),
  OFFSET_OUTSIDE_THE_TRANSACTION(
      "the offset of an own service is committed behind the transaction of its answers",
      Source.OUTPUT,
      "      appender.publish(offsets.apply(lastSource + 1));",
      "      appender.publish();\n      appender.publish(offsets.apply(lastSource + 1));"),
  OFFSET_TOO_HIGH(
      "the offset of an own service includes a message that has no answer yet",
      Source.OUTPUT,
      "      appender.publish(offsets.apply(lastSource + 1));",
      "      appender.publish(offsets.apply(lastSource + 2));"),
  OFFSET_MISSING(
      "an own service whose offset is lost begins as a new one",
      Source.COMMITTED_PROGRESS,
      "      mustBeNew(offset, comparison.tailer());",
      ""),
  ACKNOWLEDGED_BEFORE_FORCED(
      "a sender need not wait for the force",
      Source.TICKET_WAITS,
      "    if (appender.isAcknowledged(ticket)) {",
      "    if (appender.ticket() >= ticket) {"),
  LAST_ANSWERED_PERFORMED_AGAIN(
      "an own service resumes at the message that it answered last",
      Source.COMPARISON,
      "      next = behind(lastAnswered.getAsLong());",
      "      next = lastAnswered.getAsLong();"),
  PERFORMED_BEFORE_SAFE(
      "an own service and later stages perform what the queue can still lose",
      Source.ANSWERED_PROGRESS,
      "    in.awaitSafe(adoption.partition, position + 1);",
      ""),
  LETTER_AFTER_THE_ANSWER(
      "a dead letter is stored after the answer",
      Source.CALL_GUARD,
      "    waits.untilAvailable(() -> letters.store(letter, message));\n    CrashPoint.hit(\"after-dead-letter\");\n    parts.counts().deadLetters().increment();\n    return new Attempt(envelope, failure);",
      "    if (envelope != null) {\n      answer(envelope, failure);\n    }\n    CrashPoint.hit(\"after-dead-letter\");\n    waits.untilAvailable(() -> letters.store(letter, message));\n    return new Attempt(null, null);"),
  LETTER_FORGOTTEN(
      "a message that is a dead letter is performed again after a crash",
      Source.CALL_GUARD,
      "letters.from(partition, parts.in().queue().identity(), from)",
      "new java.util.HashMap<Long, DeadLetter>()"),
  RECEIVED_OUTSIDE_THE_TRANSACTION(
      "the position of a receiver is stored after its transaction",
      Source.ANSWER_TRANSACTIONS,
      "        ask(() -> {\n          if (store(queueId, partition, from, to) != 1) {",
      "        ask(() -> {\n          transactions.commit(all);\n          store(queueId, partition, from, to);\n          return true;\n        });\n        ask(() -> {\n          if (transactions == null) {"),
  RECEIVED_AGAIN_AFTER_LOST_COMMIT(
      "a receiver does not read its position again after a COMMIT in doubt",
      Source.ANSWER_DELIVERY,
      "    void rollback() {\n      stored.remove(partition);",
      "    void rollback() {"),
  RECEIVED_BEFORE_SAFE(
      "a receiver's transaction has answers that the queue can still lose",
      Source.ANSWER_DELIVERY,
      "      out.awaitSafe(partition, position + 1);",
      ""),
  OLDER_QUEUE_NOT_NOTICED(
      "a queue that returned to an older state is not noticed",
      Source.COMPARISON,
      "    if (from >= next) {\n      return;\n    }",
      "    if (from <= end) {\n      return;\n    }"),
  OLDER_DATABASE_NOT_NOTICED(
      "a database that returned to an older state is not noticed",
      Source.COMPARISON,
      "    databaseMustNotHaveGoneBack(progress.next(), first);",
      ""),
  HELD_BACK_NOT_COUNTED(
      "messages that were accepted before the comparison count as compared",
      Source.COMPARISON,
      "in.uncompared(tailer.partition()).orElse(end)",
      "end"),
  DRAINED_UNSAFELY(
      "a partition is drained before its answers are safe",
      Source.PARTITION_LOOP,
      "    while (safe().position() < answeredPosition) {",
      "    while (safe().position() < 0) {"),
  ACCEPTED_AFTER_THE_DRAIN(
      "a drained queue accepts again before its service was compared with it",
      Source.PARTITION_LOOP,
      "in.drained(partition) && isAtEnd()",
      "isAtEnd()"),
  ACCEPTED_WHILE_DRAINED(
      "a partition is drained although a message is still being appended",
      Source.PARTITION_LOOP,
      "in.drained(partition) && isAtEnd()",
      "(in.drained(partition) || true)"),
  LOST_POSITIONS_USED_AGAIN(
      "after an operator's decision, a queue that returned continues one position too early",
      Source.COMPARISON,
      "in.lost(tailer.partition(), from, next);",
      "in.lost(tailer.partition(), from, next - 1);"),
  OTHER_QUEUE_NOT_ADOPTED(
      "a queue that replaces a drained one begins where that one ended",
      Source.LEDGER,
      "    newest = there == null ? first : Math.max(first, there.next());",
      "    newest = Math.max(first, former.next());"),
  ROWS_DELETED_BEFORE_ACCEPTED(
      "the outbox deletes messages that their queue has not accepted",
      Source.DESTINATION,
      "        await(next.ticket(), late ? 0 : until - Machine.nanos());",
      "        if (late) {\n          await(next.ticket(), 0);\n        }"),
  SENT_OUTSIDE_THE_TRANSACTION(
      "the outbox inserts a message in a transaction of its own",
      Source.TRANSACTIONAL_CALLS,
      "      mustBeInTransaction(connection);",
      "      connection.commit();");

  private final String what;
  private final String file;
  private final String text;
  private final String replacement;

  Bug(String what, String file, String text, String replacement) {
    this.what = what;
    this.file = file;
    this.text = text;
    this.replacement = replacement;
  }

  String what() {
    return what;
  }

  /** The first seed of the histories that find it. */
  long firstSeed() {
    return file.startsWith(Source.OUTBOX) ? Histories.OF_OUTBOXES : 1;
  }

  /** The source file, from the root of the sources. */
  String file() {
    return file;
  }

  /**
   * The source with the bug.
   *
   * @throws IllegalStateException if the text is not there exactly once
   */
  String plant(String source) {
    int at = source.indexOf(text);
    if (at < 0 || source.indexOf(text, at + 1) >= 0) {
      throw new IllegalStateException(
          "%s: its text is not exactly once in %s; adapt it to the new source"
              .formatted(this, file));
    }
    return source.replace(text, replacement);
  }

  /** Files in which bugs are planted. */
  private static final class Source {
    private static final String CORE = "platform-core/src/main/java/io/forebay/";
    private static final String JDBC = "gateway-jdbc/src/main/java/io/forebay/jdbc/";
    private static final String TRANSACTION = JDBC + "batch/BatchTransaction.java";
    private static final String SUSPICION = JDBC + "batch/Suspicion.java";
    private static final String PERFORMER = JDBC + "batch/Performer.java";
    private static final String ATTEMPTS = JDBC + "batch/Attempts.java";
    private static final String BOOKKEEPING = JDBC + "batch/Bookkeeping.java";
    private static final String IDEMPOTENCY_KEYS = JDBC + "ledger/IdempotencyKeys.java";
    private static final String PENDING_STATEMENT = JDBC + "statement/PendingStatement.java";
    private static final String OUTCOME_CODEC = JDBC + "statement/OutcomeCodec.java";
    private static final String RESUMPTION = JDBC + "ledger/Resumption.java";
    private static final String RECALL = JDBC + "ledger/Recall.java";
    private static final String LEDGER = JDBC + "ledger/Ledger.java";
    private static final String SAFE_ANSWERS = CORE + "service/progress/SafeAnswers.java";
    private static final String COMPARISON = CORE + "service/progress/Comparison.java";
    private static final String PARTITION_LOOP = CORE + "service/PartitionLoop.java";
    private static final String ANSWERED_PROGRESS = CORE + "service/progress/AnsweredProgress.java";
    private static final String COMMITTED_PROGRESS =
        CORE + "service/progress/CommittedProgress.java";
    private static final String OUTPUT = CORE + "call/Output.java";
    private static final String CALL_GUARD = CORE + "service/CallGuard.java";
    private static final String ANSWER_DELIVERY = CORE + "hosting/AnswerDelivery.java";
    private static final String ANSWER_TRANSACTIONS =
        "starters/platform-spring/src/main/java/io/forebay/spring/hosting/JdbcAnswerTransactions.java";
    private static final String OUTBOX =
        "starters/forebay-starter-outbox/src/main/java/io/forebay/outbox/";
    private static final String DESTINATION = OUTBOX + "Destination.java";
    private static final String TRANSACTIONAL_CALLS = OUTBOX + "TransactionalCalls.java";
    private static final String TICKET_WAITS = CORE + "queue/TicketWaiters.java";
  }
}
