/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http.limit;

import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.catalogue.Catalogue;
import io.forebay.jdbc.catalogue.CatalogueEntry;
import io.forebay.jdbc.catalogue.LiveCatalogue;
import io.forebay.operations.Door;
import io.forebay.operations.callers.RateLimit;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** What operators see of the door, its callers and its lanes. Thread-safe. */
public final class DoorState implements Door {

  private static final int MOST_CALLERS = 200;
  private static final int MOST_SENDERS = 20;

  private static final Comparator<Door.Caller> REFUSED_LAST =
      Comparator.comparing(
              Door.Caller::lastRefused, Comparator.nullsLast(Comparator.<Instant>reverseOrder()))
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
    return new Document(
        refused(),
        callers.senders(MOST_SENDERS),
        commanded.inForce(),
        callers.view().stream().sorted(REFUSED_LAST).limit(MOST_CALLERS).toList(),
        lanes);
  }

  @Override
  public Activity activity() {
    return new Activity(callers.senders(0).lastMinute() > 0, commanded.inForce());
  }

  @Override
  public void limit(RateLimit limit) {
    commanded.put(limit);
  }

  @Override
  public void lift(String caller) {
    commanded.remove(caller);
  }

  private List<RefusedStatement> refused() {
    Catalogue current = catalogue.current();
    List<RefusedStatement> refused = new ArrayList<>();
    for (CatalogueEntry entry : current.entries()) {
      SqlFailure failure = current.failure(entry);
      if (failure != null) {
        refused.add(
            new RefusedStatement(
                entry.name(),
                entry.gateway(),
                "The database refuses it (SQLState %s).".formatted(failure.sqlState())));
      }
    }
    return refused;
  }
}
