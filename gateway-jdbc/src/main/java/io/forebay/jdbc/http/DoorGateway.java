/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.call.Message;
import io.forebay.call.UndecodableMessage;
import io.forebay.jdbc.JDBCService;
import io.forebay.jdbc.KeyedResults;
import io.forebay.jdbc.Receipt;
import io.forebay.jdbc.StatementClient;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.Tailer;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A gateway as the door uses it.
 *
 * @param client shared by all requests
 */
record DoorGateway(JDBCService service, StatementClient client, KeyedResults results)
    implements AutoCloseable {

  String name() {
    return service.name();
  }

  /** What an accepted statement survives. */
  String level() {
    return service.in().capabilities().strongest().name().toLowerCase(Locale.ROOT);
  }

  /** Whether this instance works on that partition. */
  boolean performsHere(Receipt receipt) {
    return service.position(receipt.partition()) >= 0;
  }

  /** Whether this instance has performed and answered what stands there. */
  boolean hasAnswered(Receipt receipt) {
    return service.position(receipt.partition()) > receipt.position();
  }

  /** Whether a statement of this sender stands there in the in-queue, performed or not. */
  boolean hasAccepted(Receipt receipt, String sender) {
    if (receipt.partition() < 0
        || receipt.partition() >= service.in().partitions()
        || receipt.position() < 0) {
      return false;
    }
    try (Tailer tailer = service.in().tailer(receipt.partition())) {
      tailer.seek(receipt.position());
      Peeked peeked = new Peeked();
      tailer.poll(
          1,
          (position, bytes) ->
              peeked.message =
                  Message.peek(service.in().name(), receipt.partition(), position, bytes));
      Message found = peeked.message;
      return found != null
          && found.position() == receipt.position()
          && found.id().equals(receipt.id())
          && sender.equals(found.client());
    } catch (PositionOutOfRange | UndecodableMessage _) {
      return false;
    }
  }

  @Override
  public void close() {
    results.close();
  }

  private static final class Peeked {
    @Nullable Message message;
  }
}
