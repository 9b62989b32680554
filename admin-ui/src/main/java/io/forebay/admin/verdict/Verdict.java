/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import io.forebay.capacity.Alert.Severity;
import io.forebay.service.ServiceState;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The overall state, in one sentence.
 *
 * @param severity the severity of the worst problem that is neither silenced nor acknowledged;
 *     WATCH if the others are acknowledged
 * @param problems all problems, the most urgent first
 * @param recovered a sentence for each service that has recovered lately
 */
public record Verdict(
    Severity severity,
    String text,
    @JsonIgnoreProperties({"figure", "threshold", "marks"}) List<Problem> problems,
    List<String> recovered) {

  private static final int MOST = 20;

  /** The most paused services that are named. */
  private static final int MOST_PAUSED = 2;

  public static Verdict of(
      List<ServiceReport> services, List<Problem> problems, List<String> recovered) {
    List<Problem> seen = problems.stream().filter(it -> it.silenced() == null).toList();
    List<Problem> open = seen.stream().filter(it -> it.acknowledged() == null).toList();
    if (open.isEmpty() && !seen.isEmpty()) {
      return new Verdict(Severity.WATCH, acknowledged(seen), most(problems), recovered);
    }
    Severity severity = open.isEmpty() ? Severity.FINE : open.getFirst().severity();
    String text =
        switch (severity) {
          case FINE -> fine(services);
          case WATCH, BAD -> needed(services.size(), severity, open);
        };
    return new Verdict(severity, text, most(problems), recovered);
  }

  private static List<Problem> most(List<Problem> problems) {
    return problems.stream().limit(MOST).toList();
  }

  /** Somebody takes care of each open problem. */
  private static String acknowledged(List<Problem> problems) {
    String by =
        problems.stream()
            .map(Problem::acknowledged)
            .filter(Objects::nonNull)
            .map(Problem.Acknowledgement::by)
            .distinct()
            .collect(Collectors.joining(", "));
    return "%s open, acknowledged by %s.".formatted(Sentences.count(problems.size(), "alert"), by);
  }

  private static String needed(int all, Severity severity, List<Problem> open) {
    List<String> names =
        open.stream()
            .filter(it -> it.severity() == severity)
            .map(Problem::service)
            .filter(Objects::nonNull)
            .distinct()
            .toList();
    @Nullable String first = open.getFirst().service();
    boolean bad = severity == Severity.BAD;
    String services = Sentences.count(all, "service");
    @Nullable String job = open.getFirst().job();
    if (job != null) {
      return names.isEmpty()
          ? (bad ? "Job %s needs attention." : "Watch job %s.").formatted(job)
          : (bad ? "Job %s and %d of %s need attention." : "Watch job %s and %d of %s.")
              .formatted(job, names.size(), services);
    }
    if (names.isEmpty() || first == null) {
      return firstSentence(open.getFirst().text());
    }
    return names.size() == 1
        ? (bad ? "%s needs attention (1 of %s)." : "Watch %s (1 of %s).").formatted(first, services)
        : (bad ? "%d of %s need attention, %s first." : "Watch %d of %s, %s first.")
            .formatted(names.size(), services, first);
  }

  private static String firstSentence(String text) {
    int end = text.indexOf(". ");
    return end < 0 ? text : text.substring(0, end + 1);
  }

  /** No service is late, but some are paused, which must not be forgotten. */
  private static String paused(List<String> paused, int others) {
    String names =
        paused.size() > MOST_PAUSED
            ? paused.size() + " services are"
            : String.join(" and ", paused) + (paused.size() == 1 ? " is" : " are");
    return others == 0
        ? names + " paused."
        : "%s paused; %s."
            .formatted(
                names,
                others == 1
                    ? "the other service keeps up"
                    : "the other %d services keep up".formatted(others));
  }

  private static String fine(List<ServiceReport> services) {
    if (services.isEmpty()) {
      return "There are no services.";
    }
    List<String> paused =
        services.stream()
            .filter(it -> it.phase() == ServiceState.Phase.PAUSED)
            .map(ServiceReport::name)
            .toList();
    return paused.isEmpty()
        ? services.size() == 1
            ? services.getFirst().name() + " keeps up."
            : "All %d services keep up.".formatted(services.size())
        : paused(paused, services.size() - paused.size());
  }
}
