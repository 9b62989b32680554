/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import io.forebay.operations.callers.RateLimit;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP door as its operators see it, at this instance: what it refuses, and how much of their
 * limits the callers use. It also limits callers by command, at all instances. Thread-safe.
 */
public interface Door {

  /**
   * A statement that the door does not accept now.
   *
   * @param reason in words
   */
  record RefusedStatement(String name, String gateway, String reason) {}

  /**
   * A limit of a caller; {@code burst} is one of its own.
   *
   * @param name as in the configuration
   * @param used at this moment; null for {@code rate}, see {@code burst}
   * @param refused how often a request was refused because of it since the start
   */
  record Limit(String name, long most, @Nullable Long used, long refused) {}

  /**
   * A caller with limits.
   *
   * @param lastRefused null if none of its limits was reached since the start
   */
  record Caller(String name, List<Limit> limits, @Nullable Instant lastRefused) {}

  /**
   * A caller that sends statements.
   *
   * @param lastMinute how many of its statements this instance accepted in the last minute
   */
  record Sender(String name, long lastMinute) {}

  /**
   * Who sends how much.
   *
   * @param lastMinute the statements of all callers
   * @param most those that sent most, most first
   * @param more how many others sent something
   */
  record Senders(long lastMinute, List<Sender> most, int more) {}

  /**
   * A lane of a gateway.
   *
   * @param service its name among the services
   * @param weight its share of the database's time, relative to the gateway and its other lanes
   * @param callers whose statements it receives
   */
  record Lane(String gateway, String service, int weight, List<String> callers) {}

  /**
   * @param limited the limits by command that are in force, by the names of the callers
   * @param callers up to 200 that have limits, beginning with those that were refused last
   */
  record Document(
      List<RefusedStatement> refused,
      Senders senders,
      List<RateLimit> limited,
      List<Caller> callers,
      List<Lane> lanes) {}

  Document document();

  /**
   * What home shows of the door.
   *
   * @param receives whether this instance accepted a statement in the last minute
   * @param limited the limits by command that are in force, by the names of the callers
   */
  record Activity(boolean receives, List<RateLimit> limited) {}

  Activity activity();

  /**
   * Limits a caller, instead of any other limit by command. It is durable and holds here when this
   * returns, and at the other instances a second later, or when they can read it. Requests beyond
   * the limit are refused and may be repeated; streams are read more slowly.
   *
   * @throws io.forebay.service.progress.Unavailable if it may not have been stored
   */
  void limit(RateLimit limit);

  /**
   * Lifts a limit by command, if there is one; then the configured limits hold again.
   *
   * @throws io.forebay.service.progress.Unavailable if it may not have been lifted
   */
  void lift(String caller);
}
