/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a contender of the backlog benchmark reported, slice by slice. */
final class BacklogRun {

  static final String ACCEPTED = "acceptedPerSecond";
  static final String ACCEPTED_FIRST = "acceptedPerSecondInFirstTenth";
  static final String ACCEPTED_LAST = "acceptedPerSecondInLastTenth";
  static final String ACCEPTED_SLICES = "acceptedPerSecondInSlices";
  static final String DRAINED = "drainedPerSecond";
  static final String DRAINED_FIRST = "drainedPerSecondInFirstTenth";
  static final String DRAINED_LAST = "drainedPerSecondInLastTenth";
  static final String DRAINED_SLICES = "drainedPerSecondInSlices";

  private static final List<String> MEMORY =
      List.of(MemorySample.OWN, MemorySample.RESIDENT, MemorySample.PAGE_CACHE, MemorySample.DIRTY);

  private final Map<String, Map<String, List<Double>>> slices = new LinkedHashMap<>();

  /** Adds a report of a {@link BacklogTrial}. */
  void add(String kind, Map<String, Double> figures) {
    Map<String, List<Double>> of = slices.computeIfAbsent(kind, _ -> new LinkedHashMap<>());
    figures.forEach((name, value) -> of.computeIfAbsent(name, _ -> new ArrayList<>()).add(value));
  }

  /** The values of a figure in the order of the slices; empty if it was not measured. */
  List<Double> values(String kind, String figure) {
    return slices.getOrDefault(kind, Map.of()).getOrDefault(figure, List.of());
  }

  Rounds figures() {
    Rounds figures = new Rounds();
    rates(figures, BacklogTrial.WRITTEN, ACCEPTED, ACCEPTED_FIRST, ACCEPTED_LAST, ACCEPTED_SLICES);
    rates(figures, BacklogTrial.DRAINED, DRAINED, DRAINED_FIRST, DRAINED_LAST, DRAINED_SLICES);
    for (String name : MEMORY) {
      for (String kind : List.of(BacklogTrial.WRITTEN, BacklogTrial.DRAINED)) {
        values(kind, name).forEach(it -> figures.add(name, it));
      }
    }
    values(BacklogTrial.CHECKED, BacklogTrial.BYTES)
        .forEach(it -> figures.add(BacklogTrial.BYTES, it));
    return figures;
  }

  private void rates(
      Rounds figures, String kind, String all, String first, String last, String each) {
    List<Double> rates = values(kind, BacklogTrial.PER_SECOND);
    int tenth = Math.max(1, rates.size() / 10);
    figures.add(all, rate(kind, 0, rates.size()));
    figures.add(first, rate(kind, 0, tenth));
    figures.add(last, rate(kind, rates.size() - tenth, rates.size()));
    rates.forEach(it -> figures.add(each, it));
  }

  /** Messages per second in some of the slices, which have equally many. */
  private double rate(String kind, int from, int to) {
    double messages = 0;
    double seconds = 0;
    for (int i = from; i < to; i++) {
      double slice = values(kind, BacklogTrial.SECONDS).get(i);
      messages += values(kind, BacklogTrial.PER_SECOND).get(i) * slice;
      seconds += slice;
    }
    return messages / seconds;
  }

  /** All values of all slices. */
  Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    slices.forEach((kind, figures) -> {
      Map<String, Object> of = new LinkedHashMap<>();
      figures.forEach(
          (name, values) -> of.put(name, values.stream().map(Rounds::rounded).toList()));
      json.put(kind, of);
    });
    return json;
  }
}
