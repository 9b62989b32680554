/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.admin.verdict.Figures;
import io.forebay.admin.verdict.Problem;
import java.util.Locale;

/** Three simulated services; tests change the last one. */
class SimulatedOrders {

  final SimulatedServices services = new SimulatedServices("ledger", "mail", "orders-post");
  final SimulatedServices.Simulated orders = services.all.getLast();

  static String state(Snapshot snapshot) {
    return orders(snapshot).report().state().name().toLowerCase(Locale.ROOT);
  }

  static Snapshot.Service orders(Snapshot snapshot) {
    return snapshot.services().stream()
        .filter(it -> it.report().name().equals("orders-post"))
        .findFirst()
        .orElseThrow();
  }

  static Figures.Behind behind(Snapshot snapshot) {
    return first(snapshot, Figures.Behind.class);
  }

  static <T extends Figures> T first(Snapshot snapshot, Class<T> type) {
    return figures(snapshot.verdict().problems().getFirst(), type);
  }

  static <T extends Figures> T figures(Problem problem, Class<T> type) {
    return type.cast(problem.figures());
  }

  static double growth(Figures.Behind behind) {
    return behind.now().lag().growth().known().orElseThrow();
  }
}
