/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import io.forebay.operations.callers.RateLimit;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP door as its operators see it, at this instance: what it refuses, and how much of their
 * limits the callers use. It also limits callers by command, at all instances. Thread-safe.
 */
public interface Door {

  /**
   * A statement that the door does not accept now.
   *
   * @param state {@code broken} or {@code differs}, as in the list of statements
   * @param reason in words
   */
  record RefusedStatement(String name, String gateway, String state, String reason) {}

  /**
   * A limit of a caller; {@code burst} is one of its own.
   *
   * @param name as in the configuration
   * @param most of all instances together
   * @param here the part of this instance
   * @param used of that part, at this moment; null for {@code rate}, see {@code burst}
   * @param refused how often a request was refused because of it since the start
   */
  record Limit(String name, long most, double here, @Nullable Long used, long refused) {}

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
   * @param instances how many share the limits, including this one
   * @param limited the limits by command that are in force, by the names of the callers
   * @param moreCallers how many more callers have limits; they were refused longer ago, or use less
   *     of them
   */
  record Document(
      int instances,
      List<RefusedStatement> refused,
      Senders senders,
      List<RateLimit> limited,
      List<Caller> callers,
      int moreCallers,
      List<Lane> lanes) {}

  Document document();

  /**
   * The limit by command of a caller, if one is in force.
   *
   * @throws io.forebay.service.progress.Unavailable if it cannot be read now
   */
  Optional<RateLimit> limitOf(String caller);

  /**
   * Limits a caller, unless another limit by command is in force than the one that is to be
   * replaced, or that one was lifted. It is durable and holds here when this returns, and at the
   * other instances a second later, or when they can read it. Requests beyond the limit are refused
   * and may be repeated; streams are read more slowly.
   *
   * @param replaces when the limit was set that this one may replace; null to replace none
   * @return whether it was set
   * @throws io.forebay.service.progress.Unavailable if it may not have been stored
   */
  boolean limit(RateLimit limit, @Nullable Instant replaces);

  /**
   * Lifts a limit by command; then the configured limits hold again.
   *
   * @param at when it was set
   * @return whether this call lifted it; false if it was replaced, lifted or ended meanwhile
   * @throws io.forebay.service.progress.Unavailable if it may not have been lifted
   */
  boolean lift(String caller, Instant at);
}
