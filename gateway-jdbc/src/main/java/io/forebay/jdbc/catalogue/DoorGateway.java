/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

import com.zaxxer.hikari.HikariDataSource;
import io.forebay.call.Message;
import io.forebay.call.UndecodableMessage;
import io.forebay.jdbc.Call;
import io.forebay.jdbc.JDBCResult;
import io.forebay.jdbc.Receipt;
import io.forebay.jdbc.gateway.JDBCService;
import io.forebay.jdbc.gateway.StatementClient;
import io.forebay.jdbc.gateway.StatementClient.Statements;
import io.forebay.jdbc.gateway.StreamWriter;
import io.forebay.jdbc.ledger.KeyedResult;
import io.forebay.jdbc.ledger.KeyedResults;
import io.forebay.jdbc.ledger.StreamState;
import io.forebay.jdbc.results.PublishedResult;
import io.forebay.jdbc.results.ResultCursor;
import io.forebay.jdbc.results.ResultFeed;
import io.forebay.queue.Level;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.Tailer;
import io.forebay.service.ServiceState;
import io.forebay.service.progress.Unavailable;
import io.forebay.trace.TraceParent;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** All that the door knows of a gateway or a lane. Thread-safe. */
public final class DoorGateway implements AutoCloseable {

  private static final Duration LONGEST_READ = Duration.ofSeconds(5);
  private static final Set<ServiceState.Phase> ENDED =
      Set.of(
          ServiceState.Phase.STOPPED,
          ServiceState.Phase.DRAINED,
          ServiceState.Phase.FENCED,
          ServiceState.Phase.FAILED);

  private final JDBCService service;
  private final StatementClient client;
  private final StreamWriter streams;
  private final KeyedResults results;
  private final ResultFeed feed;

  /**
   * @param client shared by all requests
   */
  public DoorGateway(JDBCService service, StatementClient client) {
    this.service = service;
    this.client = client;
    streams = service.createStreamWriter();
    results = service.createKeyedResults();
    feed = new ResultFeed(client);
  }

  /** Only for those that prepare the gateway. */
  JDBCService service() {
    return service;
  }

  HikariDataSource pool() {
    return results.pool();
  }

  public String name() {
    return service.name();
  }

  public int partitions() {
    return service.in().partitions();
  }

  /** Sends statements with this idempotency key. */
  public Statements keyed(String sender, String key) {
    return client.keyed(sender, key);
  }

  /** Sends the lines of a stream. */
  public StreamWriter.Lines lines(String sender, String stream, @Nullable TraceParent trace) {
    return streams.lines(sender, stream, trace);
  }

  /**
   * How far a stream is.
   *
   * @throws Unavailable if the database does not respond
   */
  public StreamState progress(String sender, String stream) {
    return results.stream(sender, stream);
  }

  /**
   * The result that the database stores.
   *
   * @throws Unavailable if it does not respond
   */
  public Optional<KeyedResult> kept(UUID id) {
    return results.find(id);
  }

  /** As {@link StatementClient#result(Receipt, String, JDBCResult)}, from the out-queue. */
  public boolean answered(Receipt receipt, String sender, JDBCResult target) {
    return client.result(receipt, sender, target);
  }

  /** All results of a sender; as {@link ResultFeed#open}. */
  public ResultCursor open(String sender, String from) {
    return feed.open(sender, from);
  }

  /** As {@link ResultFeed#read}. */
  public void read(PublishedResult result, JDBCResult target) {
    feed.read(result, target);
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
