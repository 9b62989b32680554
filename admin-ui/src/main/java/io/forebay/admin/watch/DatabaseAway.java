/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.report.Outage;
import io.forebay.report.ServiceReport;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The databases of services, or the system database, that do not respond: for the banner on every
 * screen.
 *
 * @param services those that wait for their database; none: it is the system database
 * @param since since when, as the first that needed it noticed
 */
record DatabaseAway(List<String> services, Instant since) {

  /**
   * @param system since when the system database has not responded; null if it responds
   */
  static List<DatabaseAway> of(List<ServiceReport> reports, @Nullable Instant system) {
    List<ServiceReport> waiting = reports.stream().filter(ServiceReport::waitsForDatabase).toList();
    List<DatabaseAway> away = new ArrayList<>();
    waiting.stream()
        .flatMap(it -> Stream.ofNullable(it.outage()))
        .map(Outage::since)
        .min(Comparator.naturalOrder())
        .ifPresent(since ->
            away.add(new DatabaseAway(waiting.stream().map(ServiceReport::name).toList(), since)));
    if (system != null) {
      away.add(new DatabaseAway(List.of(), system));
    }
    return away;
  }
}
