/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting.messages;

import io.forebay.call.CallFailure;
import io.forebay.call.Message;
import io.forebay.call.history.History;
import io.forebay.call.history.Hop;
import io.forebay.operations.PartitionView;
import io.forebay.operations.ServiceOperations;
import io.forebay.operations.Services;
import io.forebay.operations.messages.Life;
import io.forebay.operations.messages.Life.Stage;
import io.forebay.operations.messages.Life.State;
import io.forebay.queue.stored.StoredQueue;
import io.forebay.service.ServiceState;
import io.forebay.service.errors.BlockingMessage;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Follows a message through the queues: back to the first one, and then from each in-queue to the
 * answer in the out-queue, which is a binary search by position. For one thread.
 */
final class Lives {

  private static final Duration LONGEST = Duration.ofSeconds(2);
  private static final Selection ANY = new Selection(null, null, null, null, null);

  private final Function<String, @Nullable StoredQueue> queues;
  private final StatementNames names;
  private final Services services;
  private final Effort effort = new Effort(Long.MAX_VALUE, LONGEST);

  /**
   * @param queues those that exist now, by name
   */
  Lives(Function<String, @Nullable StoredQueue> queues, StatementNames names, Services services) {
    this.queues = queues;
    this.names = names;
    this.services = services;
  }

  /** What is needed of a message in an in-queue. */
  private record Sent(UUID id, Instant at, @Nullable Instant deliverBy, long source) {

    static @Nullable Sent of(StoredMessage stored) {
      Message envelope = stored.envelope();
      return envelope == null
          ? null
          : new Sent(
              envelope.id(),
              envelope.appendTime(),
              envelope.deliverBy(),
              envelope.source().orElse(-1));
    }
  }

  /** What is needed of an answer. */
  private record Answer(
      long position,
      UUID id,
      Instant at,
      State state,
      @Nullable String error,
      @Nullable Long rows,
      boolean goesOn,
      List<Hop> history) {

    static @Nullable Answer of(StoredMessage stored) {
      Message envelope = stored.envelope();
      if (envelope == null) {
        return null;
      }
      Content content = stored.content();
      String kind = content.kind(envelope);
      CallFailure failure = envelope.failure();
      String error = failure == null ? content.error() : failure.error();
      return new Answer(
          stored.position(),
          envelope.id(),
          envelope.appendTime(),
          !kind.equals("failure")
              ? State.PERFORMED
              : failure != null && failure.declined() ? State.DECLINED : failed(error),
          error,
          content.rows(),
          !kind.equals("failure") && !kind.equals("none"),
          envelope.history());
    }

    private static State failed(@Nullable String error) {
      String kind = error == null ? "" : error.substring(error.lastIndexOf(' ') + 1);
      return switch (kind) {
        case "EXPIRED" -> State.EXPIRED;
        case "CANCELLED" -> State.CANCELLED;
        default -> State.FAILED;
      };
    }
  }

  /**
   * @return empty if there is neither such a message nor an answer to it
   * @throws io.forebay.queue.QueueUnavailable if its answers are not found in time
   */
  Optional<Life> of(String queue, int partition, long position) {
    StoredQueue stored = queues.apply(queue);
    if (stored == null || partition < 0 || partition >= stored.partitions() || position < 0) {
      return Optional.empty();
    }
    boolean exists = read(stored, partition, scan -> scan.at(position, _ -> true)) != null;
    String in = queue;
    long first = position;
    for (int hops = 0; hops < History.MAX_HOPS; hops++) {
      Optional<ServiceOperations> answerer = service(in, false);
      Sent sent = answerer.isEmpty() ? null : sent(in, partition, first);
      if (sent == null || sent.source() < 0) {
        break;
      }
      in = answerer.get().queues().getFirst();
      first = sent.source();
    }
    List<Stage> stages = stages(in, partition, first);
    return exists || (!stages.isEmpty() && stages.getFirst().answer() != null)
        ? Optional.of(new Life(stages))
        : Optional.empty();
  }

  private List<Stage> stages(String queue, int partition, long first) {
    List<Stage> stages = new ArrayList<>();
    String in = queue;
    long position = first;
    Optional<ServiceOperations> next = service(in, true);
    while (next.isPresent() && stages.size() < History.MAX_HOPS) {
      ServiceOperations service = next.get();
      String out = service.queues().getLast();
      // The view comes first: what it calls answered must then be in the out-queue.
      PartitionView view = view(service, partition);
      Sent sent = sent(in, partition, position);
      Answer answer = answer(out, partition, position, sent);
      stages.add(stage(service, in, partition, position, view, sent, answer));
      if (answer == null || !answer.goesOn()) {
        break;
      }
      in = out;
      position = answer.position();
      next = service(in, true);
    }
    return stages;
  }

  private Optional<ServiceOperations> service(String queue, boolean reads) {
    return services.all().stream()
        .filter(it ->
            queue.equals(reads ? it.queues().getFirst() : it.queues().getLast())
                && !it.queues().getFirst().equals(it.queues().getLast()))
        .findFirst();
  }

  private static @Nullable PartitionView view(ServiceOperations service, int partition) {
    List<PartitionView> partitions = service.view().partitions();
    return partition < partitions.size() ? partitions.get(partition) : null;
  }

  /** Null if it was deleted or cannot be decoded. */
  private @Nullable Sent sent(String queue, int partition, long position) {
    StoredQueue stored = queues.apply(queue);
    return stored == null || partition >= stored.partitions()
        ? null
        : read(stored, partition, scan -> scan.at(position, Sent::of));
  }

  /** Null if there is none, and if it answers a message of an earlier queue of this name. */
  private @Nullable Answer answer(String queue, int partition, long source, @Nullable Sent sent) {
    StoredQueue stored = queues.apply(queue);
    if (stored == null || partition >= stored.partitions()) {
      return null;
    }
    Answer answer = read(stored, partition, scan -> scan.answer(source, effort, Answer::of));
    return answer == null || (sent != null && !sent.id().equals(answer.id())) ? null : answer;
  }

  private <T> @Nullable T read(
      StoredQueue queue, int partition, Function<PartitionScan, @Nullable T> reading) {
    try (PartitionScan scan = new PartitionScan(queue, partition, ANY, false, names)) {
      return reading.apply(scan);
    }
  }

  private static Stage stage(
      ServiceOperations service,
      String queue,
      int partition,
      long position,
      @Nullable PartitionView view,
      @Nullable Sent sent,
      @Nullable Answer answer) {
    Hop hop =
        answer == null
            ? null
            : answer.history().stream()
                .filter(it -> it.service().equals(service.name()) && it.position() == position)
                .findFirst()
                .orElse(null);
    Instant appended = sent != null ? sent.at() : hop == null ? null : hop.appended();
    Instant read = hop == null ? null : hop.received();
    Instant performed = hop == null ? null : hop.performed();
    Instant answered = answer == null ? null : answer.at();
    Instant deliverBy = sent == null ? null : sent.deliverBy();
    Standing standing =
        answer == null
            ? Standing.of(view, position, deliverBy)
            : new Standing(answer.state(), null, null);
    return new Stage(
        service.name(),
        queue,
        partition,
        position,
        standing.state(),
        standing.reason(),
        answer == null ? null : answer.error(),
        answer == null ? null : answer.rows(),
        standing.ahead(),
        deliverBy,
        appended,
        read,
        performed,
        answered,
        micros(appended, read),
        micros(read, performed),
        micros(performed, answered),
        micros(appended, answered),
        service.queues().getLast(),
        answer == null ? null : answer.position());
  }

  private static @Nullable Long micros(@Nullable Instant from, @Nullable Instant to) {
    return from == null || to == null
        ? null
        : TimeUnit.NANOSECONDS.toMicros(Duration.between(from, to).toNanos());
  }

  /** Where a message stands. */
  private record Standing(State state, @Nullable String reason, @Nullable Long ahead) {

    static Standing of(@Nullable PartitionView view, long position, @Nullable Instant deliverBy) {
      if (view == null || view.position().isEmpty()) {
        return new Standing(
            State.UNKNOWN,
            "the service does not know how far it has performed the partition",
            null);
      }
      long next = view.position().getAsLong();
      if (position < next) {
        return new Standing(State.ANSWERED, null, null);
      }
      BlockingMessage blocking = view.waitsFor();
      if (blocking != null && blocking.position() == position) {
        return new Standing(
            State.RETRIED,
            "tried %,d times since %s: %s"
                .formatted(
                    blocking.attempts(),
                    blocking.since().truncatedTo(ChronoUnit.SECONDS),
                    blocking.reason()),
            null);
      }
      String reason = reason(view.state());
      if (reason == null && position == next) {
        return new Standing(State.NEXT, null, null);
      }
      if (deliverBy != null && deliverBy.isBefore(Instant.now())) {
        reason = "its time to be performed is over; it will expire";
      }
      return new Standing(State.WAITING, reason, position - next);
    }

    /** Why a partition does not perform now; null if it does. */
    private static @Nullable String reason(@Nullable ServiceState state) {
      if (state == null) {
        return "no instance that is known here performs the partition";
      }
      return switch (state.phase()) {
        case RUNNING, DRAINING -> null;
        default -> {
          String phase = "the service is " + state.phase().name().toLowerCase(Locale.ROOT);
          yield state.reason().isEmpty() ? phase : phase + ": " + state.reason();
        }
      };
    }
  }
}
