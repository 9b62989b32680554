/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

import io.forebay.call.Message;
import io.forebay.call.UndecodableMessage;
import io.forebay.jdbc.Call;
import io.forebay.jdbc.Receipt;
import io.forebay.jdbc.gateway.JDBCService;
import io.forebay.jdbc.gateway.StatementClient;
import io.forebay.jdbc.gateway.StreamWriter;
import io.forebay.jdbc.ledger.KeyedResults;
import io.forebay.jdbc.results.ResultFeed;
import io.forebay.queue.Level;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.Tailer;
import io.forebay.service.ServiceState;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A gateway or a lane, with what the door needs of it. Thread-safe. */
public record DoorGateway(
    JDBCService service,
    StatementClient client,
    StreamWriter streams,
    KeyedResults results,
    ResultFeed feed)
    implements AutoCloseable {

  private static final Duration LONGEST_READ = Duration.ofSeconds(5);
  private static final Set<ServiceState.Phase> ENDED =
      Set.of(
          ServiceState.Phase.STOPPED,
          ServiceState.Phase.DRAINED,
          ServiceState.Phase.FENCED,
          ServiceState.Phase.FAILED);

  /**
   * @param client shared by all requests
   */
  public DoorGateway(JDBCService service, StatementClient client) {
    this(
        service,
        client,
        service.createStreamWriter(),
        service.createKeyedResults(),
        new ResultFeed(client));
  }

  public String name() {
    return service.name();
  }

  /**
   * Returns the call that a message carries for a statement of the catalogue. If the gateway
   * accepts text, it is the text with its arguments, so that later changes of the catalogue do not
   * affect the message. Otherwise it is the reference with the values of the parameters.
   */
  public Call call(CatalogueEntry entry, @Nullable Object[] values) {
    return service.acceptsText()
        ? new Call(entry.sql(), Arrays.asList(entry.arguments(values)))
        : new Call(entry.reference(), Arrays.asList(values));
  }

  /** The durability level of an accepted statement. */
  public String level() {
    return service.in().capabilities().strongest().name().toLowerCase(Locale.ROOT);
  }

  /**
   * The levels that a line of a stream can reach when it is appended, the strongest last. A shared
   * queue knows the position of a line when it has reached the strongest level.
   */
  public List<String> levels() {
    boolean isOne =
        service.in().shared() || service.in().capabilities().strongest() == Level.MEMORY;
    return isOne ? List.of(level()) : Stream.of("process", level()).distinct().toList();
  }

  /**
   * Whether a statement whose sender chose no idempotency key needs one that is stored: its
   * position may stay unknown, or no queue keeps its result.
   */
  public boolean needsStoredKeys() {
    return !service.in().capabilities().contiguous() || !service.keepsAllResults();
  }

  /** Whether this instance performs the partition of the statement. */
  public boolean performsHere(Receipt receipt) {
    int partition = receipt.partition();
    ServiceState state = service.states().get(partition);
    return state != null && !ENDED.contains(state.phase()) && service.position(partition) >= 0;
  }

  /**
   * Whether the statement at this position is performed and answered, as far as this instance
   * knows.
   */
  public boolean hasAnswered(Receipt receipt) {
    int partition = receipt.partition();
    long here = service.position(partition);
    long answered = performsHere(receipt) ? here : Math.max(here, service.answeredByAny(partition));
    return answered > receipt.position();
  }

  /**
   * Whether a statement of this sender is at this position of the in-queue, performed or not. Also
   * true if the position cannot be read yet because of another program's open transaction.
   *
   * @throws QueueUnavailable if the queue cannot be read now
   */
  public boolean hasAccepted(Receipt receipt, String sender) {
    if (receipt.partition() < 0
        || receipt.partition() >= service.in().partitions()
        || receipt.position() < 0) {
      return false;
    }
    boolean[] found = {false};
    try (Tailer tailer = service.in().tailer(receipt.partition())) {
      tailer.seek(receipt.position());
      long readable = tailer.readableEnd();
      if (receipt.position() >= readable) {
        return receipt.position() < tailer.end();
      }
      tailer.pollBefore(
          readable,
          LONGEST_READ,
          (position, bytes) -> {
            Message message =
                Message.peek(service.in().name(), receipt.partition(), position, bytes);
            found[0] =
                position == receipt.position()
                    && message.id().equals(receipt.id())
                    && sender.equals(message.client());
          });
    } catch (PositionOutOfRange | UndecodableMessage _) {
      // it is not there
    }
    return found[0];
  }

  @Override
  public void close() {
    streams.close();
    results.close();
  }
}
