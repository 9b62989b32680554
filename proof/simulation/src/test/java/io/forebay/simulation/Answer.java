/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import io.forebay.call.CallFailure;
import io.forebay.call.CallReader;
import io.forebay.call.FailureReceiver;
import io.forebay.call.Message;
import io.forebay.jdbc.Call;
import io.forebay.jdbc.JDBCStatement;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A message of the out-queue of an own service. */
final class Answer {

  /** The position of what it answers. */
  final long source;

  final UUID id;

  /** The arguments of its calls, without the SQL. */
  final List<List<?>> calls = new ArrayList<>();

  @Nullable CallFailure failure;

  private Answer(Message message) {
    source = message.source().orElse(-1);
    id = message.id();
  }

  /** The turns in which it was given, one for each of its calls. */
  List<Long> turns() {
    return calls.stream().map(it -> (Long) it.getLast()).toList();
  }

  @Override
  public String toString() {
    return failure == null ? calls.toString() : failure.toString();
  }

  /** Reads the answers in the out-queue of the first service, by their positions. */
  static NavigableMap<Long, Answer> ofFirst(int partition, NavigableMap<Long, byte[]> messages) {
    Notes notes = new Notes();
    return read(partition, messages, Work.Answers.PROTOCOL.reader("first", notes), notes);
  }

  /** Reads the answers in the out-queue of the second service, by their positions. */
  static NavigableMap<Long, Answer> ofSecond(int partition, NavigableMap<Long, byte[]> messages) {
    Statements statements = new Statements();
    return read(
        partition, messages, SecondComponent.STATEMENTS.reader("second", statements), statements);
  }

  private static NavigableMap<Long, Answer> read(
      int partition,
      NavigableMap<Long, byte[]> messages,
      CallReader<?> reader,
      Collector collector) {
    NavigableMap<Long, Answer> found = new TreeMap<>();
    messages.forEach((position, bytes) -> {
      collector.calls.clear();
      collector.failure = null;
      Answer answer = new Answer(reader.read(partition, position, ByteBuffer.wrap(bytes)));
      Message.clear();
      answer.calls.addAll(collector.calls);
      answer.failure = collector.failure;
      found.put(position, answer);
    });
    return found;
  }

  /** Collects the calls of the current message. */
  private abstract static class Collector implements FailureReceiver {
    final List<List<?>> calls = new ArrayList<>();
    @Nullable CallFailure failure;

    @Override
    public void callFailed(CallFailure why) {
      failure = why;
    }
  }

  private static final class Notes extends Collector implements Work.Answers {
    @Override
    public void noted(long number, long turn) {
      calls.add(List.of(number, turn));
    }
  }

  private static final class Statements extends Collector implements JDBCStatement {
    @Override
    public void executeQuery(String query, Class<?> resultType, @Nullable Object... args) {
      throw new IllegalStateException("nobody queries");
    }

    @Override
    public void executeUpdate(String query, @Nullable Object... args) {
      calls.add(List.of(args));
    }

    @Override
    public void executeTogether(List<Call> together) {
      throw new IllegalStateException("nobody sends calls together");
    }
  }
}
