/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http.limit;

import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.catalogue.CatalogueEntry;
import io.forebay.jdbc.catalogue.CheckedCatalogue;
import io.forebay.jdbc.catalogue.LiveCatalogue;
import io.forebay.operations.Door;
import io.forebay.operations.callers.RateLimit;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What operators see of the door, its callers and its lanes. Thread-safe. */
public final class DoorState implements Door {

  private static final int MOST_CALLERS = 200;
  private static final int MOST_SENDERS = 20;

  private static final Comparator<Door.Caller> URGENCY =
      Comparator.comparing(
              Door.Caller::lastRefused, Comparator.nullsLast(Comparator.<Instant>reverseOrder()))
          .thenComparing(DoorState::use, Comparator.reverseOrder())
          .thenComparing(Door.Caller::name);

  private final LiveCatalogue catalogue;
  private final Callers callers;
  private final CommandedLimits commanded;
  private final List<Lane> lanes;

  public DoorState(
      LiveCatalogue catalogue, Callers callers, CommandedLimits commanded, List<Lane> lanes) {
    this.catalogue = catalogue;
    this.callers = callers;
    this.commanded = commanded;
    this.lanes = List.copyOf(lanes);
  }

  @Override
  public Document document() {
    List<Door.Caller> all = callers.view();
    all.sort(URGENCY);
    int shown = Math.min(all.size(), MOST_CALLERS);
    return new Document(
        catalogue.instances(),
        refused(),
        callers.senders(MOST_SENDERS),
        commanded.inForce(),
        all.subList(0, shown),
        all.size() - shown,
        lanes);
  }

  @Override
  public Optional<RateLimit> limitOf(String caller) {
    commanded.follow();
    return commanded.inForce().stream().filter(it -> it.caller().equals(caller)).findFirst();
  }

  @Override
  public boolean limit(RateLimit limit, @Nullable Instant replaces) {
    return commanded.put(limit, replaces);
  }

  @Override
  public boolean lift(String caller, Instant at) {
    return commanded.remove(caller, at);
  }

  /** The largest part of a limit that is used. */
  private static double use(Door.Caller caller) {
    return caller.limits().stream()
        .mapToDouble(
            limit -> limit.used() == null || limit.here() == 0 ? 0 : limit.used() / limit.here())
        .max()
        .orElse(0);
  }

  private List<RefusedStatement> refused() {
    CheckedCatalogue current = catalogue.current();
    List<RefusedStatement> refused = new ArrayList<>();
    for (CatalogueEntry entry : current.catalogue().entries()) {
      String state = current.state(entry);
      String reason =
          switch (state) {
            case "broken" -> {
              SqlFailure failure = Objects.requireNonNull(current.broken().get(entry.reference()));
              yield "The database refuses it (SQLState %s).".formatted(failure.sqlState());
            }
            case "differs" ->
                "Its definition differs, or is missing, on "
                    + String.join(", ", current.differing(entry))
                    + ".";
            default -> "";
          };
      if (!reason.isEmpty()) {
        refused.add(new RefusedStatement(entry.name(), entry.gateway(), state, reason));
      }
    }
    return refused;
  }
}
